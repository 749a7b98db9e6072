import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mutants, type Mutant } from '../../fixtures/mutants.ts'
import { buildLimitMs, FixtureOperator, startService } from '../../fixtures/operator.ts'
import { casesOf } from '../../references/cases-of.ts'
import { loadSpecs } from '../../references/load-specs.ts'
import { evaluateCase, type Outcome } from '../evaluation/evaluate.ts'
import { PreparedCases } from '../evaluation/prepared.ts'
import type { KernelCase, Sample } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'
import { largestArgument } from '../task/fit.ts'
import type { KernelTask } from '../task/index.ts'
import { combinationsOf } from '../task/combinations.ts'

const baselines = fileURLToPath(new URL('../../references/baseline/', import.meta.url))

/** Generated cases for each dtype combination, and the largest argument of a case, in elements. */
const generated = 20
const largest = 2 ** 17

let service: KernelService
let tasks: Map<string, KernelTask>
let folder: string
const prepared = new PreparedCases()
const table: string[] = []

beforeAll(async () => {
  // of loops that never end
  service = await startService('Ascend910B2', 4000)
  tasks = new Map((await loadSpecs()).map((task) => [task.interface.name, task]))
  // builds the emulator where it never was: the limits of the tests are for mutants
  await FixtureOperator.build(service, tasks.get('AddCustom')!.interface, join(baselines, 'AddCustom'))
  folder = mkdtempSync(join(tmpdir(), 'mutation-test-'))
}, buildLimitMs)
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
  console.log(table.join('\n'))
})

/** A copy of the baseline with the edit, in a folder of its own. */
function sampleOf({ operator, file, from, to }: Mutant): Sample {
  const root = mkdtempSync(join(folder, `${operator}-`))
  cpSync(join(baselines, operator), root, { recursive: true })
  const text = readFileSync(join(root, file), 'utf8')
  if (!text.includes(from)) throw new Error(`${operator}/${file} does not contain ${from}`)
  writeFileSync(join(root, file), text.replace(from, to))
  const [kernelDir, hostDir] = [join(root, 'op_kernel'), join(root, 'op_host')]
  return { task: operator, name: 'mutant', root, kernelDir, hostDir, cmakeLists: [] }
}

/** Small cases first, the static ones before the generated; then every other static case, which may take seconds. */
function* problemsOf(task: KernelTask, combinations: number): Generator<KernelCase> {
  const small = casesOf(task, Math.max(40, generated * combinations), largest)
  yield* small
  yield* task.staticCases
    .filter((kernelCase) => !small.includes(kernelCase))
    .sort((one, other) => largestArgument(one) - largestArgument(other))
}

/** The first case that the mutant gets wrong; undefined when it gets all of them right. */
async function firstFailure(task: KernelTask, sample: Sample): Promise<Outcome | undefined> {
  const combinations = combinationsOf(task)
  const built = await service.build({ sample, task: task.interface, combinations })
  if (!built.ok) throw new Error(`the mutant does not compile: ${JSON.stringify(built.verdict)}`)
  const bench = {
    launch: async (args: Parameters<KernelService['launch']>[0]) => await service.launch(args),
    prepared,
    profile: 'strict' as const,
    spec: task.interface.name,
  }
  for (const kernelCase of problemsOf(task, combinations.length)) {
    const outcome = await evaluateCase({ task, artifact: built.artifact }, kernelCase, bench)
    if (outcome.verdict.kind === 'infrastructure') throw new Error(outcome.verdict.message)
    if (outcome.verdict.kind !== 'correct') return outcome
  }
  return undefined
}

/** What a person is told, in a line. */
function told({ verdict, reports }: Outcome): string {
  const places = reports.map(({ code, file, line }) => `${code}${file ? ` ${file.split('/').at(-1)}:${line}` : ''}`)
  switch (verdict.kind) {
    case 'device-error':
    case 'hazard':
      return `${verdict.kind}: ${verdict.report.message} [${places.join(', ')}]`
    case 'wrong-value':
    case 'wrong-nonfinite': {
      const { mismatches, elements, index, unwritten } = verdict.comparison
      const rest = unwritten ? `, ${unwritten.bytes} bytes never written` : ''
      return `${verdict.kind}: ${mismatches} of ${elements}, worst at [${index.join()}]${rest} [${places.join(', ')}]`
    }
    case 'tiling-failed':
      return `${verdict.kind}: ${verdict.message}`
    default:
      return verdict.kind
  }
}

/** The message leads to the edit: a line of the mutant, the wrong or unwritten elements, or the forgotten field. */
function leadsThere({ verdict, reports }: Outcome, mutant: Mutant): boolean {
  const { unset } = mutant
  if (unset !== undefined) return reports.some(({ code, message }) => code === 'HostWarning' && message.includes(unset))
  if (verdict.kind === 'device-error' || verdict.kind === 'hazard') return verdict.report.file !== undefined
  return verdict.kind === 'wrong-value' || verdict.kind === 'wrong-nonfinite'
}

describe.each([...new Set(mutants.map(({ operator }) => operator))])('%s', (operator) => {
  const own = mutants.filter((mutant) => mutant.operator === operator)
  test.each(own.map((mutant) => [mutant.damage, mutant.from.trim(), mutant.to.trim(), mutant] as const))(
    '%s: `%s` -> `%s` is noticed, with a message that leads there',
    { timeout: 120_000 },
    async (damage, from, to, mutant) => {
      const task = tasks.get(operator)
      if (!task) throw new Error(`no spec for ${operator}`)
      const outcome = await firstFailure(task, sampleOf(mutant))
      const line = outcome ? told(outcome) : 'SURVIVES'
      table.push(`${operator} ${damage}: ${from} -> ${to}: ${line}`)
      expect(outcome, 'the mutant survives').toBeDefined()
      if (outcome) expect(leadsThere(outcome, mutant), line).toBe(true)
    },
  )
})
