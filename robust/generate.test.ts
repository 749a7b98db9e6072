import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ModelServer, type Script } from '../fixtures/model-server.ts'
import { RunFolder } from '../plugin/generation/run-folder.ts'
import { RandomStream } from '../plugin/inputs/index.ts'

const samples = 500
const kills = Number(process.env['NPU_ROBUST_KILLS'] || 20)
const seed = Number(process.env['NPU_ROBUST_SEED'] || Date.now() % 2 ** 31)
const random = new RandomStream(seed)
const key = 'sk-canary-5b1f7c2e90'
const driver = fileURLToPath(new URL('generate-driver.mjs', import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'npu-generate-'))
const run = join(folder, 'run')
/** How many answers the server has given to the end. */
let answered = 0
/** Most requests are answered, each with another text; some are refused, break off, or make no sense. */
function script({ number, authorization = '' }: { number: number; authorization?: string | undefined }): Script {
  const trouble: Record<number, Script> = {
    3: { kind: 'status', status: 429, headers: { 'retry-after-ms': '30' }, body: `slow down, ${authorization}` },
    7: { kind: 'cut', text: 'half' },
    11: { kind: 'status', status: 500, body: `oops ${authorization}` },
    13: { kind: 'malformed' },
  }
  const found = trouble[number % 40]
  if (found) return found
  answered++
  return { kind: 'answer', text: `// answer ${number}, asked with ${authorization}` }
}

const server = new ModelServer(script)
let baseUrl: string
let output = ''

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
}

/** Runs the driver; it is killed after so many answers more. */
async function call(killAfter?: number): Promise<Ended> {
  const until = killAfter === undefined ? Infinity : answered + killAfter
  const child = spawn(process.execPath, [driver, baseUrl, run, String(samples)], {
    env: { ...process.env, NPU_API_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (output += text))
  const watch = setInterval(() => void (answered >= until && child.kill('SIGKILL')), 1)
  const ended = await new Promise<Ended>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })))
  clearInterval(watch)
  return ended
}

interface Line {
  kind: string
  sample: number
  text: string
}

/** Answers that were kept, whole lines alone. */
function kept(): Line[] {
  const path = join(run, 'transcript.jsonl')
  // the first kill may come before the first answer
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
  return lines.map((line): Line => JSON.parse(line)).filter(({ kind }) => kind === 'answer')
}

beforeAll(async () => {
  console.log(`NPU_ROBUST_SEED=${seed}`)
  baseUrl = await server.start()
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

test('five hundred samples survive kills without one that is lost or doubled', async () => {
  let before: Line[] = []
  for (let kill = 0; kill < kills; kill++) {
    expect(await call(1 + random.below(20)), `kill ${kill}`).toEqual({ code: null, signal: 'SIGKILL' })
    const now = kept()
    // nothing that was kept goes, or is asked for again
    expect(now.slice(0, before.length)).toEqual(before)
    before = now
  }
  expect(await call()).toEqual({ code: 0, signal: null })
  const all = kept()
  expect(all.map(({ sample }) => sample).sort((a, b) => a - b)).toEqual(Array.from({ length: samples }, (_, i) => i))
  for (const { sample, text } of all)
    expect(readFileSync(join(run, 'Add', `s${sample}`, 'op_kernel/k.cpp'), 'utf8')).toBe(text)
  // what was on its way when a kill came may have been asked for twice, and no more than that
  expect(answered - samples).toBeLessThanOrEqual(kills * 32)
  const requests = server.asked.length
  expect(await call()).toEqual({ code: 0, signal: null })
  expect(server.asked).toHaveLength(requests)
})

test('no file and no line has the key', () => {
  expect(server.asked[0]?.authorization).toBe(`Bearer ${key}`)
  expect(output).toContain('slow down, Bearer ***')
  expect(output).not.toContain(key)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
  expect(files.length).toBeGreaterThan(samples)
  expect(files.filter((path) => readFileSync(path, 'utf8').includes(key))).toEqual([])
  expect(kept()[0]?.text).toMatch(/asked with Bearer \*\*\*$/)
})

test('another process cannot work in a run that is open', async () => {
  const open = await RunFolder.open(run, { model: 'coder' })
  expect(await call()).toEqual({ code: 3, signal: null })
  expect(output).toContain('another process works in this run')
  open.close()
  expect(await call()).toEqual({ code: 0, signal: null })
})
