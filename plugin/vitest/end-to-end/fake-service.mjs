// Stands in for the service in tests: no compiler, no emulator. A candidate's source says how it behaves: `mode:
// <word>`.
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHash, randomUUID } from 'node:crypto'

const path = join(tmpdir(), `fake-${randomUUID().slice(0, 8)}.sock`)

/** Puts itself in the place of the service that `npuKernels()` will announce. List it before that plugin. */
export function fakeService() {
  return {
    name: 'fake-service',
    configureVitest({ project, vitest }) {
      const provide = project.provide.bind(project)
      project.provide = (key, value) => provide(key, key === 'npu:options' ? { ...value, socket: path } : value)
      listen(vitest)
    },
  }
}

/** A variable says where outcomes are remembered; none says nowhere. */
const verdictFile = ({ artifact }) => {
  const folder = process.env['FAKE_REMEMBERED']
  return folder ? join(folder, `${createHash('sha256').update(artifact).digest('hex')}.jsonl`) : null
}

const answers = { build, launch, verdictFile, sketch: () => null, code: () => null }

let server

function listen(vitest) {
  if (server) return
  server = createServer((socket) => {
    let rest = ''
    socket.setEncoding('utf8')
    socket.on('error', () => {})
    socket.on('data', (text) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()
      for (const line of lines) {
        const { id, op, args } = JSON.parse(line)
        if (id !== undefined) socket.write(`${JSON.stringify({ id, result: answers[op](args) })}\n`)
      }
    })
  })
  server.listen(path)
  server.unref()
  vitest.onClose(() => server.close())
  process.once('exit', () => rmSync(path, { force: true }))
}

function build({ sample }) {
  const file = join(sample.kernelDir, 'kernel.cpp')
  const mode = /mode: ([\w-]+)/.exec(readFileSync(file, 'utf8'))?.[1] ?? 'right'
  if (mode === 'no-compiler')
    return {
      ok: false,
      verdict: { kind: 'infrastructure', message: 'no C++ compiler was found' },
      ms: 0,
      cached: false,
    }
  if (mode === 'broken') {
    const diagnostics = [{ severity: 'error', message: "unknown type name 'halff'", file, line: 3, column: 1 }]
    const verdict = {
      kind: 'compile-failed',
      stage: 'kernel',
      class: 'scope',
      diagnostics,
      log: `${file}:3:1: error: unknown type`,
    }
    return { ok: false, verdict, ms: 1, cached: false }
  }
  const warnings = mode === 'warn' ? [{ severity: 'warning', message: 'unused variable', file, line: 2 }] : []
  // as where an artifact is named by what it is built of
  const source = process.env['FAKE_ALIKE'] ? 'alike' : file
  return { ok: true, artifact: `${mode} ${source}`, ms: 1, cached: false, warnings, sources: hashOf(file) }
}

/** The hash of a candidate that is one file. */
function hashOf(file) {
  const parts = [Buffer.from('op_kernel/kernel.cpp'), readFileSync(file)]
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest('hex').slice(0, 32)
}

const report = (file, severity) => ({
  code: 'ErrorSync1',
  severity,
  message: 'Muls reads xLocal while DataCopy may still be writing it',
  hint: 'EnQue and DeQue the tensor',
  core: 'AIV 3',
  instruction: 'Muls',
  file,
  line: 2,
  count: 2,
})

function reportsOf(mode, source, length) {
  if (mode === 'hazard') return [report(source, 'error')]
  return mode === 'warn' || (mode === 'warn-tail' && length % 8 !== 0) ? [report(source, 'warning')] : []
}

/** A block for each power of two, up to the length. */
const blocksOf = (length) => Buffer.from(Uint32Array.of(2 ** (1 + Math.floor(Math.log2(length + 1))) - 1).buffer)

const failed = (verdict) => ({ ok: false, verdict, reports: [], log: '' })

let launches = 0

/** y = 2x in float32, or what the mode makes of it. */
function launch({ artifact, file, slots, poison }) {
  const [mode, source] = artifact.split(' ')
  if (process.env['FAKE_LAUNCHES']) appendFileSync(process.env['FAKE_LAUNCHES'], `${mode}\n`)
  if (mode === 'trap') return failed({ kind: 'device-error', report: report(source, 'error') })
  if (mode === 'endless')
    return failed({ kind: 'device-error', report: { ...report(source, 'error'), code: 'InstructionLimit' } })
  if (mode === 'hang' || (mode === 'hang-once' && launches++ === 0)) return failed({ kind: 'timeout', limitMs: 20 })
  if (mode === 'crash') return failed({ kind: 'crashed', signal: 'SIGSEGV', message: '' })
  if (mode === 'tiling') return failed({ kind: 'tiling-failed', message: 'returned GRAPH_FAILED' })
  // several of them take as long as some time budget
  if (mode === 'blocks') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 40)
  // a worker that is gone has taken its case with it
  if (!existsSync(file)) return failed({ kind: 'infrastructure', message: 'the case is gone' })
  const [input, output] = slots
  const x = new Float32Array(input.bytes / 4)
  const handle = openSync(file, 'r+')
  readSync(handle, x, 0, input.bytes, input.offset)
  const y = x.map((value) => 2 * value)
  if (mode === 'near') y.forEach((value, i) => (y[i] = value * (1 + 2 ** -22)))
  // the classic: the last elements are left out when they fill no block of 8
  if (mode === 'tail' || mode === 'hang-once') {
    const bytes = Buffer.from(y.buffer)
    for (let i = (y.length - (y.length % 8)) * 4; i < bytes.length; i++)
      bytes[i] = parseInt(poison.substr((i % 8) * 2, 2), 16)
  }
  writeSync(handle, y, 0, output.bytes, output.offset)
  closeSync(handle)
  return {
    ok: true,
    latencyNs: { slow: 8000, instant: 1500 }[mode] ?? 2000,
    hostMs: 0,
    addsFloats: false,
    source: 'emulated',
    profile: 'Ascend910B2 v10',
    pipes: {},
    coverage: [
      { slot: input.name, bytes: input.bytes, read: mode === 'unread' ? 0 : input.bytes, written: 0 },
      { slot: output.name, bytes: output.bytes, read: 0, written: output.bytes },
    ],
    reports: reportsOf(mode, source, y.length),
    blockDim: 1,
    tilingKey: 0,
    ...(mode === 'blocks' && { reached: blocksOf(y.length).toString('base64') }),
    log: mode === 'tail' ? 'tile 3 skipped\n' : '',
  }
}
