import { withCaseFile, type CaseFile } from '../case-file/index.ts'
import { judge } from '../compare/index.ts'
import type { Allocate, KernelCase, LaunchArgs, LaunchResult, Report, Verdict } from '../model/index.ts'
import type { KernelTask } from '../task/kernel-task.ts'
import { findingsOf, isReplayed } from './core-order.ts'
import { decide, type Profile, type Warnings } from './decide.ts'
import type { PreparedCases } from './prepared.ts'
import { poisonOf } from './seed.ts'
import { TensorMemory } from './tensor-memory.ts'

/** A kernel of a task that can be launched. */
export interface Subject {
  task: KernelTask
  artifact: string
}

// Of this worker: what a case leaves is the next one's.
const memory = new TensorMemory()

/** What evaluating a case needs of its surroundings. */
export interface Bench {
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
  /** the public benchmark's answer; absent when nothing was compared */
  benchmark?: 'accepted' | 'rejected'
  launch?: LaunchFacts
  reports: Report[]
  /** what the candidate printed */
  log: string
  /** judged in an earlier run of this seed, when all else that it follows from was the same */
  remembered?: { seed: number }
}

/**
 * Judges one case: draws the inputs, launches the kernel, computes golden meanwhile, compares. Every failure of ours,
 * a golden that throws included, is an `infrastructure` verdict; only an aborted call throws.
 */
export async function evaluateCase(subject: Subject, kernelCase: KernelCase, bench: Bench): Promise<Outcome> {
  const { allocate, end } = memory.lease()
  try {
    return await evaluateIn(allocate, subject, kernelCase, bench)
  } finally {
    end()
  }
}

async function evaluateIn(
  allocate: Allocate,
  subject: Subject,
  kernelCase: KernelCase,
  bench: Bench,
): Promise<Outcome> {
  const { task, artifact } = subject
  const inputs = attempt(() => bench.prepared.inputs(task, kernelCase, allocate))
  if (inputs instanceof Failure)
    return failed(`drawing the inputs of ${kernelCase.name} in ${bench.spec} failed: ${inputs.message}`)
  return withCaseFile(task.interface, kernelCase, inputs, async (file) => {
    const poison = poisonOf(kernelCase)
    const launching = bench.launch({ artifact, case: kernelCase, poison, ...launchFields(file) })
    const answers = attempt(() => bench.prepared.answers(task, kernelCase, inputs))
    const launch = await launching
    if (answers instanceof Failure) return failed(goldenFailed(subject, kernelCase, bench, answers))
    const { golden, reference } = answers
    if (!launch.ok) return { verdict: launch.verdict, reports: launch.reports, log: launch.log }
    const actual = file.readOutputs(allocate)
    // golden may be computed block by block while it is compared
    const judgement = attempt(() => judge(task, kernelCase, golden, actual, Buffer.from(poison, 'hex'), reference))
    if (judgement instanceof Failure) return failed(goldenFailed(subject, kernelCase, bench, judgement))
    const { ok: _, reports: found, log, ...facts } = launch
    const early = decide(judgement, found, bench)
    if (early.kind !== 'correct' || bench.profile === 'benchmark' || !isReplayed(launch, file.fileBytes))
      return { verdict: early, benchmark: judgement.benchmark, launch: facts, reports: found, log }

    file.restoreInputs()
    const fields = launchFields(file)
    const again = await bench.launch({ artifact, case: kernelCase, poison, coreOrder: 'reverse', ...fields })
    const replay = attempt(() =>
      findingsOf({
        task,
        kernelCase,
        first: actual,
        again,
        outputs: file.readOutputs(allocate),
        judge: (outputs) => judge(task, kernelCase, golden, outputs, Buffer.from(poison, 'hex'), reference),
      }),
    )
    if (replay instanceof Failure)
      return failed(`running the cores of ${kernelCase.name} in reverse order failed: ${replay.message}`)
    const reports = [...found, ...replay]
    return { verdict: decide(judgement, reports, bench), benchmark: judgement.benchmark, launch: facts, reports, log }
  })
}

/** Hands `measure` a function that launches the case once more on each call. Nothing is compared. */
export async function timeCase<T>(
  subject: Subject,
  kernelCase: KernelCase,
  bench: Bench,
  measure: (launch: () => Promise<LaunchResult>) => Promise<T>,
): Promise<T> {
  const { task, artifact } = subject
  const inputs = bench.prepared.inputs(task, kernelCase)
  return withCaseFile(task.interface, kernelCase, inputs, (file) =>
    measure(() => {
      file.restoreInputs()
      return bench.launch({ artifact, case: kernelCase, poison: poisonOf(kernelCase), ...launchFields(file) })
    }),
  )
}

const launchFields = (file: CaseFile): Pick<LaunchArgs, 'file' | 'fileBytes' | 'slots'> => ({
  file: file.path,
  fileBytes: file.fileBytes,
  slots: file.slots,
})

const failed = (message: string): Outcome => ({ verdict: { kind: 'infrastructure', message }, reports: [], log: '' })

const goldenFailed = ({ task }: Subject, { name }: KernelCase, { spec }: Bench, failure: Failure): string =>
  `golden of ${task.interface.name} in ${spec} failed on ${name}: ${failure.message}`

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
