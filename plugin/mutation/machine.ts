import { evaluateCase, type EvaluationContext, type Outcome } from '../evaluation/evaluate.ts'
import { PreparedCases } from '../evaluation/prepared.ts'
import type { BuildResult, KernelCase, KernelCode, Sample, TilingSketch } from '../model/index.ts'
import type { ServiceClient } from '../service/client.ts'
import type { KernelService } from '../service/index.ts'
import { buildArgsOf } from '../task/combinations.ts'
import type { KernelTask } from '../task/kernel-task.ts'
import { implausibleOf } from '../vitest/implausible.ts'
import { judgeOnDevice } from '../vitest/narrow-device.ts'
import type { Machine } from './judge.ts'

/** Judges variants of the kernel of one task as a run does. */
export interface RunMachine extends Machine {
  readonly task: KernelTask
  /** all dtype combinations in one artifact, as in a run */
  buildWhole(sample: Sample): Promise<BuildResult>
  /** what tiling functions make of cases (`Target.sketch`); null where that is not known */
  sketch(artifact: string, cases: readonly KernelCase[], timeoutMs: number): Promise<(TilingSketch | null)[] | null>
  /** the code of an artifact; null where the target does not see it */
  codeOf(artifact: string): Promise<KernelCode | null>
}

/** What decides of a case, as in a run. */
export interface Rules extends Pick<EvaluationContext, 'profile' | 'warnings'> {
  soc: string
  /** the static case whose latency is measured */
  latencyCase?: KernelCase | undefined
}

interface Parts {
  task: KernelTask
  service: KernelService
  client: ServiceClient
  rules: Rules
  signal: AbortSignal
}

/** What a run has of a task: builds and launches of its service, and golden, computed once for each case. */
export function machineOf({ task, service, client, rules, signal }: Parts): RunMachine {
  const context: EvaluationContext = {
    launch: async (args) => await client.call('launch', args, signal),
    prepared: new PreparedCases(),
    profile: rules.profile,
    ...(rules.warnings && { warnings: rules.warnings }),
    spec: task.interface.name,
  }
  return {
    task,
    build: async (sample, combination) => {
      const args = buildArgsOf(task, sample)
      return await client.call('build', { ...args, combinations: [args.combinations[combination]!] }, signal)
    },
    buildWhole: async (sample) => await client.call('build', buildArgsOf(task, sample), signal),
    sketch: async (artifact, cases, timeoutMs) => await service.sketch({ artifact, cases, timeoutMs }),
    contentOf: async (artifact) => await service.contentOf(artifact),
    codeOf: async (artifact) => await service.code(artifact),
    evaluate: async (artifact, kernelCase) => {
      const outcome = await judgeOnDevice(kernelCase, (one) => evaluateCase({ task, artifact }, one, context))
      return plausible(task, kernelCase, outcome, rules)
    },
  }
}

/** Where the device tells the time of each launch, the judged one is what the latency of a run follows from. */
function plausible(task: KernelTask, kernelCase: KernelCase, outcome: Outcome, { soc, latencyCase }: Rules): Outcome {
  const { launch, verdict } = outcome
  if (verdict.kind !== 'correct' || launch?.source !== 'emulated' || kernelCase.name !== latencyCase?.name)
    return outcome
  const latency = { min: launch.latencyNs, profile: launch.profile }
  const implausible = implausibleOf(task, soc, { kernelCase, judged: { launch } }, latency)
  return implausible ? { ...outcome, verdict: implausible } : outcome
}
