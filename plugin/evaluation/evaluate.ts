import { withCaseFile, type CaseFile } from '../case-file/index.ts'
import { accepts, judge } from '../compare/index.ts'
import type { GoldenOutputs } from '../compare/rules.ts'
import type {
  Allocate,
  Assessment,
  KernelCase,
  LaunchArgs,
  LaunchResult,
  MeasureArgs,
  Profile,
  Report,
  TensorValue,
  Verdict,
} from '../model/index.ts'
import type { KernelTask } from '../task/kernel-task.ts'
import { bytesOfCase } from '../task/work.ts'
import { assessmentOf } from './assessment.ts'
import { findingsOf, isRepeated, isShuffled, otherOrder, shuffledOrders } from './core-order.ts'
import { decide, type Warnings } from './decide.ts'
import type { PreparedCases } from './prepared.ts'
import { MemoryBudget } from './memory-budget.ts'
import { notComputed } from './not-computed.ts'
import { eitherOf } from './reached.ts'
import { poisonOf } from './seed.ts'
import { casesBefore, stateFindings } from './tiling-state.ts'
import { TensorPool } from './tensor-pool.ts'

/** A candidate of a task that has been built and can be launched. */
export interface BuiltKernel {
  task: KernelTask
  artifact: string
}

// Of this worker: what a case leaves is the next one's.
const memory = new TensorPool()
const budget = new MemoryBudget(2 ** 28)

/** What evaluating a case needs besides the case. */
export interface EvaluationContext {
  launch(args: LaunchArgs): Promise<LaunchResult>
  prepared: PreparedCases
  profile: Profile
  /** `report` when absent */
  warnings?: Warnings
  /** the file that defines the task, named when golden fails */
  spec: string
}

/** How a launch that ran to its end went. */
export type LaunchFacts = Omit<Extract<LaunchResult, { ok: true }>, 'ok' | 'reports' | 'log'>

/** What evaluating one case came to. */
export interface Outcome {
  verdict: Verdict
  /** what each tolerance profile says of the outputs; absent when nothing was compared */
  assessment?: Assessment
  launch?: LaunchFacts
  reports: Report[]
  /** what the candidate printed */
  log: string
  /** the case that was judged, where its outputs are wrong */
  judged?: KernelCase
  /** judged in an earlier run under this seed; everything else that it follows from was the same */
  remembered?: { seed: number }
}

/**
 * Judges one case: draws the inputs, launches the kernel, computes golden meanwhile, compares. Every failure of ours,
 * a golden that throws included, is an `infrastructure` verdict; only an aborted call throws.
 */
export async function evaluateCase(
  kernel: BuiltKernel,
  kernelCase: KernelCase,
  context: EvaluationContext,
): Promise<Outcome> {
  return await withMemoryFor(kernelCase, (allocate) => evaluateIn(allocate, kernel, kernelCase, context))
}

/** Does something with the tensors of a case once the budget of the worker has room; what is allocated is valid until it ends. */
export async function withMemoryFor<T>(kernelCase: KernelCase, work: (allocate: Allocate) => Promise<T>): Promise<T> {
  return await budget.run(bytesOf(kernelCase), async () => {
    const { allocate, end } = memory.lease()
    try {
      return await work(allocate)
    } finally {
      end()
    }
  })
}

/** What the tensors of a case take: in memory, in its file, and golden. */
const bytesOf = (kernelCase: KernelCase): number => 3 * bytesOfCase(kernelCase)

async function evaluateIn(
  allocate: Allocate,
  kernel: BuiltKernel,
  kernelCase: KernelCase,
  context: EvaluationContext,
): Promise<Outcome> {
  const { task, artifact } = kernel
  const inputs = attempt(() => context.prepared.inputs(task, kernelCase, allocate))
  if (inputs instanceof Failure)
    return failed(`drawing the inputs of ${kernelCase.name} in ${context.spec} failed: ${inputs.message}`)
  return withCaseFile(task.interface, kernelCase, inputs, async (file) => {
    const poison = poisonOf(kernelCase)
    const before = casesBefore(task, kernelCase)
    const after = before.length > 0 && { after: before }
    const launching = context.launch({ artifact, case: kernelCase, poison, ...after, ...launchFields(file) })
    const expected = attempt(() => context.prepared.expected(task, kernelCase, inputs))
    const launch = await launching
    if (expected instanceof Failure) return failed(goldenFailed(kernel, kernelCase, context, expected))
    const { golden, reference } = expected
    if (!launch.ok) return { verdict: launch.verdict, reports: launch.reports, log: launch.log }
    const actual = file.readOutputs(allocate)
    // golden may be computed block by block while it is compared
    const { ok: _, reports: told, log, toldShapes, tiledOtherwise, ...facts } = launch
    const judgement = attempt(() =>
      judge(task, kernelCase, golden, actual, Buffer.from(poison, 'hex'), reference, toldShapes),
    )
    if (judgement instanceof Failure) return failed(goldenFailed(kernel, kernelCase, context, judgement))
    const { profile } = context
    const assessment = assessmentOf(judgement)
    const early = decide(judgement, told, context)
    if ('comparison' in early)
      return { verdict: early, assessment, launch: facts, reports: told, log, judged: kernelCase }
    if (early.kind !== 'correct' || profile === 'benchmark')
      return { verdict: early, assessment, launch: facts, reports: told, log }

    const acceptsAs = (wanted: GoldenOutputs, outputs: Record<string, TensorValue>): boolean =>
      accepts(task, kernelCase, wanted, outputs, Buffer.from(poison, 'hex'), profile)
    const unread = attempt(() =>
      notComputed({
        task,
        kernelCase,
        inputs,
        outputs: actual,
        coverage: launch.coverage,
        accepts: (wanted) => acceptsAs(wanted, actual),
      }),
    )
    if (unread instanceof Failure) return failed(goldenFailed(kernel, kernelCase, context, unread))
    const found = [...told, ...unread]
    if (tiledOtherwise) {
      file.restoreInputs()
      const asked = { after: before, isTiledAfter: true, ...launchFields(file) }
      const again = await context.launch({ artifact, case: kernelCase, poison, ...asked })
      const isRight = (): boolean => acceptsAs(golden, file.readOutputs(allocate))
      const findings = attempt(() => stateFindings({ kernelCase, before, again, isRight }))
      if (findings instanceof Failure)
        return failed(`running ${kernelCase.name} after another case failed: ${findings.message}`)
      found.push(...findings)
    }
    const isStatic = task.staticCases.some(({ name }) => name === kernelCase.name)
    if (found.length > told.length || !isRepeated(launch, file.fileBytes, isStatic))
      return { verdict: decide(judgement, found, context), assessment, launch: facts, reports: found, log }

    const reports = [...found]
    const { addsFloats } = launch
    let { reached, meets } = launch
    for (const order of [otherOrder, ...shuffledOrders(kernelCase)]) {
      const isOver = reports.length > found.length || !isShuffled({ meets, addsFloats }, kernelCase, isStatic)
      if (order !== otherOrder && isOver) break
      file.restoreInputs()
      const again = await context.launch({ artifact, case: kernelCase, poison, ...order, ...launchFields(file) })
      const findings = attempt(() =>
        findingsOf({
          order,
          task,
          kernelCase,
          first: actual,
          again,
          outputs: file.readOutputs(allocate),
          accepts: (outputs) => acceptsAs(golden, outputs),
        }),
      )
      if (findings instanceof Failure)
        return failed(`running ${kernelCase.name} in another order failed: ${findings.message}`)
      reports.push(...findings)
      if (!again.ok) break
      meets ||= again.meets
      reached = eitherOf(reached, again.reached)
    }
    const all = reached === undefined ? facts : { ...facts, reached }
    return { verdict: decide(judgement, reports, context), assessment, launch: all, reports, log }
  })
}

/** Hands `measure` a function that launches the case once more on each call. Nothing is compared. */
export async function timeCase<T>(
  kernel: BuiltKernel,
  kernelCase: KernelCase,
  context: EvaluationContext,
  measure: (launch: (asked?: Pick<LaunchArgs, 'timeline'>) => Promise<LaunchResult>) => Promise<T>,
): Promise<T> {
  const { task, artifact } = kernel
  const inputs = context.prepared.inputs(task, kernelCase)
  return withCaseFile(task.interface, kernelCase, inputs, (file) =>
    measure((asked) => {
      file.restoreInputs()
      return context.launch({
        artifact,
        case: kernelCase,
        poison: poisonOf(kernelCase),
        ...launchFields(file),
        ...asked,
      })
    }),
  )
}

/** What is asked of a target that times operators in turn, of a case on disk. */
export type MeasuredCase = Pick<MeasureArgs, 'artifact' | 'case' | 'file' | 'fileBytes' | 'slots' | 'poison'>

/** Hands `measure` a case whose inputs are drawn and in its file. Nothing is compared. */
export async function measureCase<T>(
  { task, artifact }: BuiltKernel,
  kernelCase: KernelCase,
  prepared: PreparedCases,
  measure: (place: MeasuredCase) => Promise<T>,
): Promise<T> {
  const inputs = prepared.inputs(task, kernelCase)
  return await withCaseFile(task.interface, kernelCase, inputs, async (file) =>
    measure({ artifact, case: kernelCase, poison: poisonOf(kernelCase), ...launchFields(file) }),
  )
}

/** Where the tensors of a launch are. */
export const launchFields = (file: CaseFile): Pick<LaunchArgs, 'file' | 'fileBytes' | 'slots'> => ({
  file: file.path,
  fileBytes: file.fileBytes,
  slots: file.slots,
})

const failed = (message: string): Outcome => ({ verdict: { kind: 'infrastructure', message }, reports: [], log: '' })

const goldenFailed = (
  { task }: BuiltKernel,
  { name }: KernelCase,
  { spec }: EvaluationContext,
  failure: Failure,
): string => `golden of ${task.interface.name} in ${spec} failed on ${name}: ${failure.message}`

/** What a piece of a task threw, as a value. */
class Failure {
  readonly message: string
  constructor(error: unknown) {
    this.message = error instanceof Error ? error.message : String(error)
  }
}

function attempt<T>(work: () => T): T | Failure {
  try {
    return work()
  } catch (error) {
    return new Failure(error)
  }
}
