import { appendFileSync, cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ledgerOf,
  mergeLedgers,
  readLedger,
  runsIn,
  type LedgerEntry,
  type NamedLedger,
} from '../plugin/ledger/index.ts'
import { lastingFields } from '../fixtures/lasting-fields.ts'
import { RandomStream } from '../plugin/inputs/index.ts'
import { edited, Project, type Edits, type Result } from './project.ts'
import { leftoversOf, survivingProcessesOf } from './traces.ts'

/** Runs that are killed; NPU_ROBUST_KILLS asks for fewer. */
const kills = Number(process.env['NPU_ROBUST_KILLS'] || 10)
const seed = Number(process.env['NPU_ROBUST_SEED'] || Date.now() % 2 ** 31)
const random = new RandomStream(seed)

const include = '#include "kernel_operator.h"'
/** What samples are made of, in turns. */
const changes: readonly Edits[] = [
  [],
  [['data.factor, static', '2 * data.factor, static']],
  [[include, `${include}\nno such type;`]],
  [['data.factor, static', '__builtin_nanf(""), static']],
]
const operators = ['ScaleOne', 'ScaleTwo', 'ScaleThree', 'ScaleFour']
/** Of each operator; NPU_ROBUST_SAMPLES asks for more than these, of all together. */
const samples = Math.ceil(Number(process.env['NPU_ROBUST_SAMPLES'] || 16) / operators.length)

/** Of the time of a run in which it is killed: of a short one most is the start, a long one has to last for all kills. */
const shareOfRun = samples > 8 ? 1.6 / kills : 0.5

const project = new Project()
const runs = join(project.folder, '.npu/runs')
const kernelOf = (operator: string, sample: number): string => {
  const kernel = project.kernelOf(operator)
  return kernel.replace('/op_kernel/', `/${nameOf(sample)}/op_kernel/`)
}
const nameOf = (sample: number): string => `s${String(sample).padStart(4, '0')}`

/** Each sample another kernel, of which every fourth is right. */
function writeSamples(): void {
  for (const operator of operators) {
    project.operator(operator)
    const source = readFileSync(join(project.folder, project.kernelOf(operator)), 'utf8')
    const folder = join(project.folder, 'candidates', operator)
    for (let i = 0; i < samples; i++) {
      cpSync(join(folder, 'op_host'), join(folder, nameOf(i), 'op_host'), { recursive: true })
      project.write(kernelOf(operator, i), `${edited(source, changes[i % changes.length] ?? [])}// ${seed} ${i}\n`)
    }
    project.clear(`candidates/${operator}/op_host`)
    project.clear(`candidates/${operator}/op_kernel`)
  }
}

const options = (soc = 'Ascend910B2'): string =>
  `{ remember: false, seed: 7, fuzzRuns: 2, narrowDevices: false, soc: '${soc}' }`

/**
 * What of each entry depends neither on when it was judged, nor on the line that was added to the sources, nor on where a
 * counterexample was found.
 */
const lasting = (entries: readonly LedgerEntry[]): string[] =>
  entries.map((entry) => JSON.stringify([...lastingFields(entry)].filter(([field]) => !passing.has(field)))).sort()

const passing = new Set(['runs', 'sources', 'artifact'])

const isChanged = ({ task, sample }: LedgerEntry): boolean => task === 'ScaleTwo' && sample === nameOf(0)

/** How many samples the run has noted as judged to the end. */
const noted = (): number => {
  const [run] = existsSync(runs) ? runsIn(runs) : []
  const path = join(runs, run ?? '', 'samples.jsonl')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0
}

/** Whether the run has a verdict in its ledger. */
const begun = (): boolean => {
  const [run] = existsSync(runs) ? runsIn(runs) : []
  const path = run === undefined ? '' : ledgerOf(runs, run)
  return existsSync(path) && statSync(path).size > 0
}

let cache: string
let wholeMs: number
let undisturbed: LedgerEntry[]
const resumed: Result[] = []

beforeAll(async () => {
  console.log(`NPU_ROBUST_SEED=${seed}`)
  writeSamples()
  project.config(options())
  // a first run brings the shared cache up to date
  await project.run({ args: ['-t', 'ScaleOne s0000 compiles'] })
  cache = project.linkCache()
  project.forget()
  const started = performance.now()
  await project.run({ env: { NPU_CACHE_DIR: cache } })
  wholeMs = performance.now() - started
  undisturbed = project.ledger()
  project.forget()
})
afterAll(() => project.remove())

test('shards that are merged are the whole run', async () => {
  const parts: NamedLedger[] = []
  for (let shard = 1; shard <= operators.length; shard++) {
    await project.run({ args: [`--shard=${shard}/${operators.length}`], env: { NPU_CACHE_DIR: cache } })
    parts.push({ name: `shard ${shard}`, entries: project.ledger() })
    project.forget()
  }
  // each has a spec of its own to judge
  for (const { entries } of parts) expect(new Set(entries.map(({ task }) => task)).size).toBe(1)
  expect(lasting(mergeLedgers(parts))).toEqual(lasting(undisturbed))
})

describe('a run that is killed and continued', () => {
  let id: string
  let pids: number[]

  beforeAll(async () => {
    // its candidates are compiled anew
    for (const operator of operators)
      for (let i = 0; i < samples; i++) appendFileSync(join(project.folder, kernelOf(operator, i)), `// again\n`)
    pids = []
    let before = 0
    const found: number[] = []
    for (let kill = 0; kill < kills; kill++) {
      const resume: Record<string, string> = runsIn(runs).length > 0 ? { NPU_RESUME: 'latest' } : {}
      const { child, done } = project.start({ env: { NPU_CACHE_DIR: cache, ...resume } })
      const pid = child.pid ?? 0
      pids.push(pid)
      const afterMs = 1500 + random.below(Math.ceil(wholeMs * shareOfRun))
      // a start may be killed before it has judged anything: all of them may not
      const isLast = kill === kills - 1
      const end = performance.now() + afterMs
      const timer = setInterval(() => {
        if (child.exitCode !== null || performance.now() < end || (isLast && !begun())) return
        clearInterval(timer)
        process.kill(pid, 'SIGKILL')
      }, 10)
      resumed.push(await done)
      clearInterval(timer)
      expect(await survivingProcessesOf([project.folder]), `processes after kill ${kill}`).toEqual([])
      expect(noted(), `samples after kill ${kill}`).toBeGreaterThanOrEqual(before)
      before = noted()
      found.push(before)
    }
    console.log(`samples judged before the start after each kill: ${found.join(', ')} of ${operators.length * samples}`)
    const [run] = runsIn(runs)
    id = run ?? ''
    // cut in the middle of a line
    const path = ledgerOf(runs, id)
    writeFileSync(path, readFileSync(path).subarray(0, -20))
    resumed.push(await project.run({ env: { NPU_CACHE_DIR: cache, NPU_RESUME: 'latest' } }))
  })

  test('is one run, whose ledger is that of an undisturbed one', () => {
    expect(runsIn(runs)).toEqual([id])
    expect(lasting(readLedger(ledgerOf(runs, id)))).toEqual(lasting(undisturbed))
    const kinds = new Set(undisturbed.map(({ verdict }) => verdict.kind))
    expect([...kinds].sort()).toEqual(['compile-failed', 'correct', 'wrong-nonfinite', 'wrong-value'])
  })

  test('leaves no file and no socket', () => {
    expect(pids.flatMap((pid) => leftoversOf(pid, cache))).toEqual([])
  })

  test('judges nothing again where it is over', async () => {
    const before = readFileSync(ledgerOf(runs, id), 'utf8')
    const { text } = await project.run({ env: { NPU_CACHE_DIR: cache, NPU_RESUME: id } })
    expect(text).toContain(`the run ${id} is continued: ${operators.length * samples} samples are judged`)
    expect(readFileSync(ledgerOf(runs, id), 'utf8')).toBe(before)
    // and ends as it would have
    expect(text).toMatch(/all|level1/)
    expect(text).toContain('before the run was continued')
  })

  test('judges again what has changed meanwhile, and nothing else', async () => {
    const before = readLedger(ledgerOf(runs, id))
    const changed = kernelOf('ScaleTwo', 0)
    project.write(changed, `${readFileSync(join(project.folder, changed), 'utf8')}no such type either;\n`)
    await project.run({ env: { NPU_CACHE_DIR: cache, NPU_RESUME: id.slice(0, 15) } })
    const after = readLedger(ledgerOf(runs, id))
    expect(after.filter((entry) => !isChanged(entry))).toEqual(before.filter((entry) => !isChanged(entry)))
    expect(before.filter(isChanged).length).toBeGreaterThan(2)
    expect(after.filter(isChanged).map(({ stage, verdict }) => `${stage} ${verdict.kind}`)).toEqual([
      'compile compile-failed',
    ])
  })

  test('is refused with other settings', async () => {
    project.config(options('Ascend910B4'))
    const { exitCode, text } = await project.run({ env: { NPU_CACHE_DIR: cache, NPU_RESUME: 'latest' } })
    expect(exitCode).toBe(64)
    expect(text).toContain(`the run ${id} was begun with soc "Ascend910B2", this one has "Ascend910B4"`)
    const none = await project.run({ env: { NPU_CACHE_DIR: cache, NPU_RESUME: '1999' } })
    expect(none.text).toContain('resume (NPU_RESUME) is "1999": there is no such run in')
  })
})
