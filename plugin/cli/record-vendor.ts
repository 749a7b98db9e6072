import { vendorOperators } from '../ascend/vendor/operators.ts'
import { evaluateCase, measureCase } from '../evaluation/evaluate.ts'
import { PreparedCases } from '../evaluation/prepared.ts'
import { caseOfRun } from '../evaluation/seed.ts'
import { InfrastructureError, type KernelCase, type VendorFigures, type VendorTime } from '../model/index.ts'
import type { KernelTask } from '../task/index.ts'
import type { AscendTarget } from '../targets/ascend.ts'
import { LaunchFailure } from '../vitest/device-time.ts'
import { latencyCaseOf, noLatencyCase, type LatencyChoice } from '../vitest/latency-case.ts'
import { inTurn } from '../vitest/measured-latency.ts'
import { contentOfCase } from '../vitest/vendor-figures.ts'

export interface RecordOptions {
  target: AscendTarget
  /** which static case is timed: the one that latencies of candidates are taken on */
  choice: LatencyChoice
  seed: number
  /** how often ten launches are timed, cold and warm each */
  rounds: number
  /** one line for each task */
  onProgress: (line: string) => void
}

/** The operator of a task, timed; or why there is no figure. */
type Recorded = { time: VendorTime } | { why: string }

/**
 * Has a device time the vendor's operators. Each is judged like a candidate before: one that computes something else than its task
 * asks for has no figure. Throws what keeps all of them from being launched.
 */
export async function recordVendorOperators(
  tasks: readonly KernelTask[],
  options: RecordOptions,
): Promise<VendorFigures> {
  const { target, onProgress } = options
  const [operators, absent]: [VendorTime[], VendorFigures['absent']] = [[], []]
  // a machine without toolkit or device says so here
  const conditions = await target.conditions()
  for (const task of tasks) {
    const { name } = task.interface
    const recorded = await recordOf(task, options)
    if ('time' in recorded) operators.push(recorded.time)
    else absent.push({ task: name, why: recorded.why })
    onProgress(
      'time' in recorded
        ? `${name}: ${recorded.time.calls.join(' + ')}, ${recorded.time.latency.mean.toFixed(0)} ns`
        : `${name}: no figure: ${recorded.why}`,
    )
  }
  return { v: 1, soc: target.description.soc, ...conditions, date: new Date().toISOString(), operators, absent }
}

async function recordOf(task: KernelTask, options: RecordOptions): Promise<Recorded> {
  const { target, choice, seed } = options
  const operator = vendorOperators[task.interface.name]
  const kernelCase = latencyCaseOf(task.staticCases, choice)
  if (!operator) return { why: 'no operator of the vendor is known for it' }
  if (!kernelCase) return { why: noLatencyCase(choice) }
  try {
    const found = await target.vendorOperator(task.interface, operator)
    if (!found.ok) return { why: found.why }
    return await timed(task, { artifact: found.artifact, kernelCase, posed: caseOfRun(kernelCase, seed) }, options)
  } catch (error) {
    if (error instanceof InfrastructureError) return { why: error.message }
    throw error
  }
}

interface Posed {
  artifact: Parameters<AscendTarget['launch']>[0]
  kernelCase: KernelCase
  /** with the inputs of this record */
  posed: KernelCase
}

async function timed(
  task: KernelTask,
  { artifact, kernelCase, posed }: Posed,
  options: RecordOptions,
): Promise<Recorded> {
  const { target, rounds } = options
  const prepared = new PreparedCases()
  const kernel = { task, artifact: artifact.id }
  const { verdict } = await evaluateCase(kernel, posed, {
    launch: async (args) => {
      const launch = await target.launch(artifact, args)
      return launch.ok ? { ...launch, source: 'measured' } : launch
    },
    prepared,
    profile: 'standard',
    spec: task.interface.name,
  })
  if (verdict.kind !== 'correct')
    return { why: `${verdict.kind} on ${kernelCase.name}${'message' in verdict ? `: ${verdict.message}` : ''}` }
  const measured = await measureCase(kernel, posed, prepared, (place) =>
    target.measure(artifact, null, { ...place, baseline: null, rounds }),
  )
  try {
    const found = await inTurn(measured, new AbortController().signal)
    if ('rejected' in found) return { why: found.rejected }
    const { suite, name } = task.interface
    const time: VendorTime = {
      suite,
      task: name,
      case: kernelCase.name,
      content: contentOfCase(kernelCase),
      calls: artifact.calls.map(({ call }) => call.name),
      latency: { ...found.latency, source: 'measured' },
      driftPercent: measured.ok ? measured.driftPercent : 0,
    }
    return { time }
  } catch (error) {
    if (error instanceof LaunchFailure) return { why: `${error.verdict.kind} while it was timed` }
    throw error
  }
}
