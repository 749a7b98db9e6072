import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VerdictFile } from '../../evaluation/verdict-file.ts'
import { tileReply } from '../../runner/protocol.ts'
import { buildLimitMs, content, Launcher } from '../../../fixtures/launcher.ts'

let launcher: Launcher
beforeAll(async () => {
  launcher = await Launcher.start()
}, buildLimitMs)
afterAll(async () => await launcher?.stop())

const died = (signal: string, exitCode: number | null = null) => ({ kind: 'died', signal, exitCode })

describe('a candidate that misbehaves ends as a failure of its own', () => {
  test.for<[string, object]>([
    ['exits', died('exit', 0)],
    ['exits_at_load', died('exit', 3)],
    ['aborts', died('SIGABRT')],
    ['null_write', { ...died('SIGSEGV'), address: 'null + 0' }],
    ['overflows_stack', { ...died('SIGSEGV'), address: 'outside of every tensor' }],
    ['writes_input', { ...died('SIGSEGV'), address: 'x + 0 (64 bytes long)' }],
    ['writes_past_tensor', { ...died('SIGSEGV'), address: 'y + 4096 (64 bytes long)' }],
    ['forks', died('SIGSYS')],
    ['threads', died('SIGSYS')],
    ['executes', died('SIGSYS')],
    ['connects', died('SIGSYS')],
    ['opens_file', died('SIGSYS')],
    ['traces', died('SIGSYS')],
    ['kills_others', died('SIGSYS')],
    ['makes_code', died('SIGSYS')],
    ['creates_at_load', died('SIGSYS')],
    ['forges_reply', died('invalid reply')],
    ['closes_socket', died('SIGKILL')],
  ])('%s', { timeout: 60_000 }, async ([name, failure]) => {
    expect((await launcher.hostile(name)).reply).toMatchObject({ ok: false, failure })
    expect(existsSync('/tmp/npu-runner-was-here')).toBe(false)
    const next = await launcher.hostile('copies')
    expect(next.reply, 'the next candidate is not affected').toMatchObject({ ok: true, log: 'copied\n' })
  })

  test.for<[number, unknown]>([
    [100, expect.stringMatching(/^[\w+/=]{132,}$/)],
    [1 << 20, ''],
  ])(
    'claims_blocks: what %i claims say of reached code is passed on up to a size, and nothing else',
    async ([claimed, aiv]) => {
      const { reply } = await launcher.launch(await launcher.library('hostile/claims_blocks', `-DCLAIMED=${claimed}`))
      expect(reply).toMatchObject({ ok: true, result: { reached: { aiv, aic: '' }, trapped: false } })
    },
  )

  test.for<[number, unknown]>([
    [100, expect.stringMatching(/^[\w+/=]{136,}$/)],
    [200_000, ''],
  ])('claims_host_blocks: so is what %i claims of a host part say', async ([claimed, reached]) => {
    const x = { dtype: 'float32', shape: [8] }
    const host = await launcher.library('hostile/claims_host_blocks', `-DCLAIMED=${claimed}`)
    const request = { op: 'tile', host, operator: 'Claims', soc: 'Ascend910B2', timeoutMs: 4000 } as const
    const reply = await launcher.runner.request({ ...request, inputs: [x], outputs: [x], attrs: [] }, tileReply)
    expect(reply).toMatchObject({ ok: true, result: { blockDim: 1, reached } })
  })

  test.for(['endless', 'endless_in_library', 'catches_faults'])(
    '%s: the launch ends where the kernel is when its processor time is used up',
    { timeout: 60_000 },
    async (name) => {
      const frames: unknown = expect.arrayContaining([{ lib: 'aiv', offset: expect.any(Number) as unknown }])
      const report = { code: 'InstructionLimit', core: 'AIV 0', count: 1, frames }
      await endsOverdue(name, [], { ok: true, result: { trapped: true, reports: [report] } })
    },
  )

  test.for<[string, string]>([
    ['endless_at_load', ''],
    ['outlives_its_time', ''],
    ['outlives_its_time', '-DANSWER=SIG_DFL'],
    ['sleeps', '-DSECONDS=1000'],
  ])('%s %s: a candidate that cannot be stopped inside is killed', { timeout: 60_000 }, async ([name, flag]) => {
    await endsOverdue(name, flag === '' ? [] : [flag], { ok: false, failure: { kind: 'timeout' } })
  })

  test('time in which it does not have the processor is not held against a kernel', { timeout: 60_000 }, async () => {
    expect((await launcher.hostile('sleeps', { timeoutMs: 500 })).reply).toMatchObject({ ok: true })
  })

  test('a kernel that was stopped in its loop leaves nothing to the next launch of its process', async () => {
    const library = await launcher.library('hostile/endless')
    const codes = async (tiling: string) => {
      const { reply } = await launcher.launch(library, { timeoutMs: 500, tiling })
      return reply.ok && reply.result.reports.map(({ code }) => code)
    }
    const [loops, ends] = ['AQAAAA==', 'AAAAAA==']
    expect([await codes(loops), await codes(ends), await codes(loops)]).toEqual([
      ['InstructionLimit'],
      [],
      ['InstructionLimit'],
    ])
  })

  test.for<[string, string]>([
    ['-DCALL=60000', 'there is no such call'],
    ['-DCALL=3 -DBYTES=800', 'a call has other arguments'],
    ['-DCALL=65281', 'a call has other arguments'],
    ['-DCALL=65282', 'there is no such call'],
    ['-DCALL=65283', 'the kernel ends for no reason'],
  ])('forges_stream %s: what no kernel can issue ends the launch', async ([flags, why]) => {
    const { reply } = await launcher.launch(await launcher.library('hostile/forges_stream', ...flags.split(' ')))
    const message: unknown = expect.stringContaining(why)
    expect(reply).toMatchObject({
      ok: true,
      result: { trapped: true, reports: [{ code: 'InvalidStream', severity: 'error', message }] },
    })
  })

  test.for<[number, string]>([
    [1, 'InvalidStream'],
    [2, 'InvalidStream'],
    [3, 'InvalidStream'],
    [4, 'InvalidStream'],
    [5, 'InvalidStream'],
    [6, 'ErrorGmRead'],
    [7, 'ErrorRead3'],
    [8, 'InvalidStream'],
    [9, 'ParameterRange'],
    [10, 'ParameterRange'],
    [11, 'ParameterRange'],
    [12, 'RepeatRange'],
    [13, 'ErrorRead3'],
    [14, 'ErrorWrite2'],
    [15, 'ErrorWrite2'],
    [16, 'ParameterRange'],
    [17, 'ErrorWrite2'],
    [18, 'ErrorRead3'],
    [19, 'ErrorRead3'],
    [20, 'ErrorWrite2'],
    [21, 'ParameterRange'],
  ])('forges_call %i: arguments that no kernel has end the launch with %s', async ([number, code]) => {
    const { reply } = await launcher.launch(await launcher.library('hostile/forges_call', `-DCASE=${number}`))
    const error = expect.objectContaining({ code, severity: 'error' })
    expect(reply).toMatchObject({ ok: true, result: { trapped: true, reports: expect.arrayContaining([error]) } })
  })

  test.for<[number, string, 'cube'?]>([
    [1, 'ParameterRange'],
    [2, 'ParameterRange'],
    [3, 'ParameterRange'],
    [4, 'ParameterRange'],
    [5, 'ParameterRange'],
    [6, 'ErrorBuffer3'],
    [7, 'ParameterRange'],
    [8, 'ParameterRange'],
    [9, 'ParameterRange'],
    [10, 'ErrorWrite2'],
    [11, 'ParameterRange'],
    [12, 'ParameterRange'],
    [13, 'ParameterRange'],
    [14, 'ParameterRange'],
    [15, 'ParameterRange', 'cube'],
    [16, 'ParameterRange', 'cube'],
    [17, 'ParameterRange', 'cube'],
    [18, 'InvalidStream', 'cube'],
  ])('forges_library %i: arguments that no kernel has end the launch with %s', async ([number, code, on]) => {
    const library = await launcher.library('hostile/forges_library', `-DCASE=${number}`)
    const kernel = on === 'cube' ? { aiv: null, aic: library } : { aiv: library, aic: null }
    const { reply } = await launcher.launch(library, { kernel })
    expect(reply).toMatchObject({ ok: true, result: { trapped: true, reports: [{ code, severity: 'error' }] } })
  })

  test('inputs stay as they were, whatever a kernel tries', async () => {
    for (const name of ['writes_input', 'forges_reply']) {
      const { bytes } = await launcher.hostile(name)
      expect(bytes.subarray(0, 64)).toEqual(content.subarray(0, 64))
    }
  })

  test('files cannot be read while a library is loaded', async () => {
    const library = await launcher.library('hostile/opens_at_load', ...launcher.reporting)
    const { reply, y } = await launcher.launch(library)
    expect(reply.ok).toBe(true)
    expect([y.readInt32LE(0), y.readInt32LE(4)]).toEqual([-1, -1])
  })

  test('positions in files are no place to leave another kernel something', async () => {
    for (const left of [1000, 2000]) {
      const { reply } = await launcher.launch(await launcher.library('hostile/leaves_a_position', `-DLEFT=${left}`))
      expect(reply).toMatchObject({ ok: true, log: '' })
    }
  })

  test('verdicts that are remembered are out of reach', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'npu-runner-verdicts-'))
    try {
      const path = join(folder, 'one.jsonl')
      new VerdictFile(path).keep('0'.repeat(32), 'right')
      const before = readFileSync(path, 'utf8')
      const library = await launcher.library('hostile/writes_file', `-DWRITTEN_FILE="${path}"`)
      expect((await launcher.launch(library)).reply).toMatchObject({ ok: false, failure: died('SIGSYS') })
      expect(readFileSync(path, 'utf8')).toBe(before)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('a log without end is cut, not fatal', async () => {
    const { reply } = await launcher.hostile('prints_forever')
    expect(reply.ok).toBe(true)
    expect(reply.log.length).toBeGreaterThan(10_000)
    expect(reply.log.length).toBeLessThan(66_000)
  })

  test('memory beyond the limit is refused', async () => {
    const lib = await launcher.library('hostile/eats_memory')
    const granted = async (memoryLimitMiB: number): Promise<number> => {
      const { reply } = await launcher.launch(lib, { memoryLimitMiB })
      expect(reply.ok).toBe(true)
      return Number(reply.log)
    }
    expect(await granted(1024)).toBeLessThan(16)
    expect(await granted(4096)).toBeGreaterThan(16)
    const { reply: refused } = await launcher.hostile('copies', { workspaceBytes: 2 ** 45 })
    expect(refused).toMatchObject({
      ok: false,
      failure: { kind: 'rejected', message: /does not fit the memory limit/ },
    })
  })
})

test('a child has no capability, and can get none back', { timeout: 60_000 }, async () => {
  const runner = spawn(launcher.files.runner, [], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const request = await launcher.request(await launcher.library('hostile/copies'))
    runner.stdin.write(`${JSON.stringify({ ...request, timeoutMs: 4000, clockLimitMs: 20_000 })}\n`)
    await once(runner.stdout, 'data')
    const children = childrenOf(runner.pid)
    // a kernel and its device
    expect(children).toHaveLength(2)
    for (const child of children) {
      const status = readFileSync(`/proc/${child}/status`, 'utf8')
      for (const set of ['Inh', 'Prm', 'Eff', 'Amb']) expect(status).toMatch(new RegExp(`^Cap${set}:\\t0+$`, 'm'))
      // who has no right to empty it gains nothing by it: no program is started, nor could one give a right
      if (process.getuid?.() === 0) expect(status).toMatch(/^CapBnd:\t0+$/m)
      expect(status).toMatch(/^NoNewPrivs:\t1$/m)
      expect(status).toMatch(/^Seccomp:\t2$/m)
    }
  } finally {
    runner.kill()
  }
})

test('a runner that ends takes all its children with it', { timeout: 60_000 }, async () => {
  const clockLimitMs = 250_000
  const limits = { timeoutMs: 50_000, clockLimitMs }
  const endless = { ...(await launcher.request(await launcher.library('hostile/endless'))), ...limits }
  const copies = { ...(await launcher.request(await launcher.library('hostile/copies'))), ...limits }
  const halfAnswer = await launcher.library('hostile/forges_reply', '-DHALF')
  const stalls = { ...(await launcher.request(halfAnswer)), ...limits }
  const ends = [
    ['SIGKILL', endless],
    ['SIGTERM', endless],
    ['closed stdin', endless],
    ['closed stdin', stalls],
    ['closed stdin', null],
  ] as const
  for (const [end, working] of ends) {
    const runner = spawn(launcher.files.runner, [], { stdio: ['pipe', 'pipe', 'inherit'] })
    runner.stdin.write(`${JSON.stringify(copies)}\n`)
    await once(runner.stdout, 'data')
    if (working !== null) runner.stdin.write(`${JSON.stringify(working)}\n`)
    // a kernel and its device each
    const wanted = working === null ? 2 : 4
    await expect.poll(() => childrenOf(runner.pid), { timeout: 5000 }).toHaveLength(wanted)
    const children = childrenOf(runner.pid)
    // it does what it was asked by then
    await new Promise((resolve) => setTimeout(resolve, 300))
    let answer = ''
    runner.stdout.on('data', (bytes) => (answer += String(bytes)))
    const closed = once(runner, 'close')
    if (end === 'closed stdin') runner.stdin.end()
    else runner.kill(end)
    await expect.poll(() => children.filter(isAlive), { timeout: 2000, message: end }).toEqual([])
    await closed
    expect(answer, 'nobody was to be told').toBe('')
  }
})

/** Launches a candidate with little time, and one that is right after it. */
async function endsOverdue(name: string, flags: string[], outcome: object): Promise<void> {
  const library = await launcher.library(`hostile/${name}`, ...flags)
  const { reply } = await launcher.launch(library, { timeoutMs: 500 })
  expect(reply).toMatchObject(outcome)
  const next = await launcher.hostile('copies')
  expect(next.reply, 'the next candidate is not affected').toMatchObject({ ok: true, log: 'copied\n' })
}

/** Processes whose parent is `pid`. */
function childrenOf(pid: number | undefined): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statusOf(Number(name))?.parent === pid)
    .map(Number)
}

const isAlive = (pid: number): boolean => !'ZX'.includes(statusOf(pid)?.state ?? 'X')

function statusOf(pid: number): { state: string; parent: number } | null {
  try {
    const [state = 'X', parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return null
  }
}
