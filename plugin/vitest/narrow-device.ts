import { constantFrom, oneof, record, tuple, type Arbitrary } from 'fast-check'
import type { Outcome } from '../evaluation/evaluate.ts'
import { eitherOf } from '../evaluation/reached.ts'
import type { KernelCase, NarrowDevice, Report } from '../model/index.ts'
import { elementsOf } from '../task/fit.ts'

/**
 * Few cores and little memory take small tensors through what only large ones reach on a whole device: later tiles of a core, the
 * turn of double buffers, every kind of tail.
 */
const narrow: Arbitrary<NarrowDevice> = record({
  // the narrowest most often: most shapes are small
  cores: constantFrom(7, 3, 2, 1, 1, 1),
  unifiedBuffer: constantFrom(1, 0.5, 0.25, 0.25, 0.25, 0.25),
})

const inputElementsOf = ({ inputs }: KernelCase): number =>
  Object.values(inputs).reduce((sum, spec) => sum + elementsOf(spec), 0)

/** Several tiles of the narrowest device, and done as soon as a small case. */
const enough = 32_768

/** Of several draws the largest one that is not larger than enough, or the smallest one. */
const large = (domain: Arbitrary<KernelCase>): Arbitrary<KernelCase> =>
  tuple(domain, domain, domain, domain, domain).map((draws) =>
    draws.reduce((best, one) => {
      const [size, other] = [inputElementsOf(best), inputElementsOf(one)]
      if (size > enough) return other < size ? one : best
      return other > size && other <= enough ? one : best
    }),
  )

/** Half of the cases on a narrow device. A failure is shrunk to the whole one where it fails there as well. */
export const onNarrowDevices = (domain: Arbitrary<KernelCase>): Arbitrary<KernelCase> =>
  oneof(
    { withCrossShrink: true },
    domain,
    tuple(large(domain), narrow).map(([kernelCase, device]) => ({ ...kernelCase, device })),
  )

export const isHardCoded = ({ code }: Report): boolean => code === 'HardCodedSize'

const isDeclined = ({ verdict }: Outcome): boolean => verdict.kind === 'tiling-failed'

const declinesCores = ({ cores }: NarrowDevice): Report => ({
  code: 'HardCodedSize',
  severity: 'warning',
  message: `the host part declines a device of ${cores} ${cores === 1 ? 'core' : 'cores'} and a whole unified buffer`,
  hint: 'share the work among as many cores as the platform has',
  core: 'host',
  instruction: 'tiling',
  count: 1,
})

/**
 * Judges a case. Where the host part declines a narrow device, one of as many cores and all of the memory is tried: little memory
 * is a reason, few cores are none. Where it declines that as well, or has not asked how large a device is, the whole device
 * decides; what all launches have reached, the case has.
 */
export async function judgeOnDevice(
  kernelCase: KernelCase,
  evaluate: (kernelCase: KernelCase) => Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await evaluate(kernelCase)
  const { device, ...onWhole } = kernelCase
  if (device === undefined || outcome.verdict.kind === 'correct') return outcome
  if (!isDeclined(outcome)) {
    if (!outcome.reports.some(isHardCoded)) return outcome
    return withReached(await evaluate(onWhole), outcome)
  }
  if (device.unifiedBuffer < 1)
    return await judgeOnDevice({ ...kernelCase, device: { ...device, unifiedBuffer: 1 } }, evaluate)
  const decided = await evaluate(onWhole)
  return isDeclined(decided) ? decided : { ...decided, reports: [...decided.reports, declinesCores(device)] }
}

/** An outcome with what another launch of its case has reached. What a device declines reaches no kernel. */
function withReached(outcome: Outcome, { launch: other, verdict }: Outcome): Outcome {
  if (!outcome.launch || verdict.kind === 'tiling-failed') return outcome
  const { reached: own, ...facts } = outcome.launch
  // what one of them does not tell is not known of the case
  const reached = own === undefined || other?.reached === undefined ? undefined : eitherOf(own, other.reached)
  return { ...outcome, launch: reached === undefined ? facts : { ...facts, reached } }
}
