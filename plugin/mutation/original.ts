import { basename } from 'node:path'
import type { Outcome } from '../evaluation/evaluate.ts'
import { isReached } from '../evaluation/reached.ts'
import { caseOfRun, derivedSeed } from '../evaluation/seed.ts'
import {
  InfrastructureError,
  isStatic,
  type KernelCase,
  type KernelCode,
  type Report,
  type Sample,
  type Verdict,
} from '../model/index.ts'
import { combinationsOf } from '../task/combinations.ts'
import { largestArgument } from '../task/fit.ts'
import { noSuchCase, staticCasesOf } from '../task/fixed-case.ts'
import type { GuideOptions } from '../search/index.ts'
import { guideOf } from '../vitest/guided.ts'
import { onNarrowDevices } from '../vitest/narrow-device.ts'
import { search } from '../vitest/property.ts'
import type { Original } from './judge.ts'
import type { RunMachine } from './machine.ts'

/** Which cases a run judges a kernel on; the options of the same names. */
export interface CaseOptions {
  seed: number
  fuzzRuns: number
  fuzzBudgetMs: number
  narrowDevices: boolean
  guided: boolean
  maxElements?: number | undefined
  /** cases that failed in earlier runs */
  corpus: readonly KernelCase[]
}

/** A case that the original gets right. */
export interface PassedCase {
  kernelCase: KernelCase
  /** names it in reports */
  id: string
  /** milliseconds by the clock */
  ms: number
  /** lines that it has reached, see {@link placeOf}; undefined where nothing tells */
  reached: ReadonlySet<string> | undefined
}

/** An operator that is right on all of its cases, and what they reach. */
export interface PassedOriginal extends Original {
  /** the fastest ones first */
  cases: readonly PassedCase[]
  /** lines that have code */
  code: ReadonlySet<string>
}

/** Mutants of a kernel that is wrong by itself say nothing. */
export class NotCleanError extends Error {
  override name = 'NotCleanError'
  readonly verdict: Verdict

  constructor(where: string, verdict: Verdict) {
    super(`${verdict.kind} (${where})`)
    this.verdict = verdict
  }
}

/** A line of a source, by its absolute path. */
export const placeOf = (path: string, line: number): string => `${path}:${line}`

/** Judges an operator on the cases of a run, static and generated ones. Throws {@link NotCleanError}. */
export async function judgeOriginal(
  machine: RunMachine,
  sample: Sample,
  options: CaseOptions,
  signal: AbortSignal,
): Promise<PassedOriginal> {
  const { task } = machine
  const whole = await machine.buildWhole(sample)
  if (!whole.ok) throw notBuilt(whole.verdict)
  const { artifact } = whole
  const lines = new LinesOf(await machine.codeOf(artifact))
  const contents: (string | null)[] = []
  for (const index of combinationsOf(task).keys()) {
    const built = await machine.build(sample, index)
    if (!built.ok) throw notBuilt(built.verdict)
    contents.push(await machine.contentOf(built.artifact))
  }
  const cases: PassedCase[] = []
  const known = new Set<string>()
  const evaluate = async (kernelCase: KernelCase): Promise<Outcome> => {
    const started = performance.now()
    const outcome = await machine.evaluate(artifact, kernelCase)
    for (const report of outcome.reports) known.add(keyOf(report))
    const ms = performance.now() - started
    const id = isStatic(kernelCase) ? kernelCase.name : `${kernelCase.name} ${cases.length}`
    if (outcome.verdict.kind === 'correct')
      cases.push({ kernelCase, id, ms, reached: lines.of(outcome.launch?.reached) })
    return outcome
  }
  const { fixedCase } = sample
  const { seed, maxElements = Infinity } = options
  const rows = staticCasesOf(task, sample)
  if (rows.length === 0 && fixedCase !== undefined) throw new InfrastructureError(noSuchCase(task, fixedCase))
  for (const row of rows) {
    if (largestArgument(row) > maxElements) continue
    const { verdict } = await evaluate(caseOfRun(row, seed))
    if (verdict.kind === 'infrastructure') throw new InfrastructureError(verdict.message)
    if (verdict.kind !== 'correct') throw new NotCleanError(row.name, verdict)
  }
  if (fixedCase === undefined && options.fuzzRuns > 0) {
    const runs = options.fuzzRuns * contents.length
    const sketch: GuideOptions['sketch'] = (all, timeoutMs) => machine.sketch(artifact, all, timeoutMs)
    const finding = await search({
      domain: options.narrowDevices ? onNarrowDevices(task.domain) : task.domain,
      corpus: options.corpus,
      evaluate,
      runs,
      ...(options.guided && { choose: (draws) => guideOf(task, options, { draws, runs, earlier: undefined, sketch }) }),
      budgetMs: options.fuzzBudgetMs,
      seed: derivedSeed(seed, `${task.interface.name}:generated`),
      signal,
    })
    if (finding.kind !== 'holds') throw failed(finding.outcome.verdict)
  }
  return {
    contents,
    tells: (report) => !known.has(keyOf(report)),
    cases: cases.toSorted((one, other) => one.ms - other.ms),
    code: lines.all,
  }
}

const notBuilt = (verdict: Extract<Verdict, { kind: 'compile-failed' | 'infrastructure' }>): Error =>
  verdict.kind === 'infrastructure'
    ? new InfrastructureError(verdict.message)
    : new NotCleanError(verdict.diagnostics[0]?.message ?? verdict.stage, verdict)

const failed = (verdict: Verdict): Error =>
  verdict.kind === 'infrastructure'
    ? new InfrastructureError(verdict.message)
    : new NotCleanError('a generated case', verdict)

/** Edits leave lines where they are. */
const keyOf = ({ code, file = '', line = 0 }: Report): string => `${code} ${basename(file)}:${line}`

/** Lines of the blocks of an artifact. */
class LinesOf {
  readonly all: ReadonlySet<string>
  readonly #blocks: readonly string[][]
  readonly #known = new Map<string, ReadonlySet<string>>()

  constructor(code: KernelCode | null) {
    const { files, blocks } = code ?? { files: [], blocks: [] }
    this.#blocks = blocks.map(({ file, lines }) => lines.map((line) => placeOf(files[file] ?? '', line)))
    this.all = new Set(this.#blocks.flat())
  }

  /** Those that a launch has reached. */
  of(reached: string | undefined): ReadonlySet<string> | undefined {
    if (reached === undefined) return undefined
    const bits = Buffer.from(reached, 'base64')
    const found = this.#known.get(reached) ?? new Set(this.#blocks.filter((_, i) => isReached(bits, i)).flat())
    this.#known.set(reached, found)
    return found
  }
}
