import { spawn } from 'node:child_process'
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { cacheDir } from './project.ts'

// NPU_DATASET_ROWS=100000 is the run of a night
const rows = Number(process.env['NPU_DATASET_ROWS'] ?? 1500)
/** Every so many rows one that is nearly the row before it. */
const copyEvery = 10
/** Every so many rows one with code, which is compiled where rows are checked. */
const codeEvery = 500
const limitMiB = 512
const timeoutMs = 60 * 60_000

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

let folder: string
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'dataset-stream-'))))
afterAll(() => rmSync(folder, { recursive: true }))

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  text: string
  /** of the main process, the most that it held */
  peakMiB: number
}

/** Runs a command; kills it where `isEnough` says so. */
async function run(args: readonly string[], isEnough: () => boolean = () => false): Promise<Ended> {
  const child = spawn(process.execPath, [program, 'dataset', ...args], {
    cwd: folder,
    env: { ...process.env, NPU_CACHE_DIR: cacheDir },
  })
  let [text, peakMiB] = ['', 0]
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (text += data.toString()))
  const watching = setInterval(() => {
    const status = `/proc/${child.pid}/status`
    const [, kib] = /VmHWM:\s+(\d+)/.exec(existsSync(status) ? readFileSync(status, 'utf8') : '') ?? []
    peakMiB = Math.max(peakMiB, Number(kib ?? 0) / 1024)
    if (isEnough()) child.kill('SIGKILL')
  }, 50)
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done) =>
    child.once('close', (...ended) => done(ended)),
  )
  clearInterval(watching)
  return { code, signal, text, peakMiB }
}

const sizeOf = (path: string): number => statSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0

/** Texts of some words each, none like another one. */
function writeCorpus(path: string): void {
  const file = openSync(path, 'w')
  let state = 1
  const word = (): string => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return `w${(state >>> 8) % 30_000}`
  }
  let answer = ''
  for (let i = 0; i < rows; i++) {
    answer = i % copyEvery === copyEvery - 1 ? `${answer} again` : Array.from({ length: 150 }, word).join(' ')
    const code = i % codeEvery === 0 ? `\n\`\`\`cpp\nAscendC::Adds(y, x, scalar, ${i});\n\`\`\`\n` : ''
    writeSync(file, `${JSON.stringify({ q: `question ${i}`, a: `${answer}${code}` })}\n`)
  }
  closeSync(file)
}

const identified = z.object({ id: z.string() })

async function idsIn(path: string): Promise<string[]> {
  const ids: string[] = []
  for await (const line of createInterface({ input: createReadStream(join(folder, path)) }))
    ids.push(identified.parse(JSON.parse(line)).id)
  return ids
}

test(
  'rows are streamed in bounded memory, a killed command goes on, and no row is there twice',
  { timeout: timeoutMs },
  async () => {
    writeCorpus(join(folder, 'corpus.jsonl'))
    const importing = ['import', 'corpus.jsonl', '--map', 'request=q,answer=a', '--out', 'imported']
    const mixing = ['mix', 'imported/rows.jsonl', '--benchmarks', 'none', '--max-tokens', '8192', '--out', 'mix']
    const half = sizeOf('corpus.jsonl') / 2
    const killed = await run(importing, () => sizeOf('imported/rows.jsonl') > half)
    expect(killed.signal).toBe('SIGKILL')
    const imported = await run(importing)
    expect([imported.code, imported.text]).toEqual([0, `${rows} rows in imported\n`])

    const checking = ['check', 'imported/rows.jsonl', '--benchmarks', 'none', '--out', 'checked']
    const checkedBytes = 120
    const killedCheck = await run(checking, () => sizeOf('checked/checked.jsonl') > (rows / 2) * checkedBytes)
    expect(killedCheck.signal).toBe('SIGKILL')
    const checked = await run(checking)
    const coded = Math.ceil(rows / codeEvery)
    expect([checked.code, checked.text.split('\n').findLast((line) => line.startsWith('mixed: '))]).toEqual([
      0,
      `mixed: ${coded} right (${coded} with code), 0 wrong, ${rows - coded} with nothing to verify`,
    ])
    const numbers = readFileSync(join(folder, 'checked/checked.jsonl'), 'utf8').match(/"number":\d+/g) ?? []
    expect([numbers.length, new Set(numbers).size]).toEqual([rows, rows])

    const lineBytes = 50
    const killedFirst = await run(mixing, () => sizeOf('mix/filtered.jsonl') > (rows / 2) * lineBytes)
    const killedSecond = await run(mixing, () => sizeOf('mix/rows.jsonl') > half)
    expect([killedFirst.signal, killedSecond.signal]).toEqual(['SIGKILL', 'SIGKILL'])
    const mixed = await run(mixing)
    const copies = Math.floor(rows / copyEvery)
    expect(mixed.text.split('\n').filter((line) => !line.startsWith('dataset mix:'))).toEqual([
      `${rows - copies} rows in mix`,
      `${copies} refused: near duplicate`,
      '',
    ])
    const ids = await idsIn('mix/rows.jsonl')
    expect([ids.length, new Set(ids).size]).toEqual([rows - copies, rows - copies])

    const exported = await run(['export', 'mix/rows.jsonl', '--format', 'trl', '--parquet', '--out', 'data'])
    expect(exported.text).toMatch(new RegExp(`^${rows - copies} records in data/train_sft.parquet\n`))
    const peaks = { imported, killedCheck, checked, killedFirst, killedSecond, mixed, exported }
    const all = Object.fromEntries(Object.entries(peaks).map(([name, { peakMiB }]) => [name, Math.round(peakMiB)]))
    console.log(`${rows} rows, most MiB: ${JSON.stringify(all)}`)
    for (const [name, { peakMiB }] of Object.entries(peaks)) expect(peakMiB, name).toBeLessThan(limitMiB)
  },
)
