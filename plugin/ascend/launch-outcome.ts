import type { CompletedLaunch, FailedLaunch, Report } from '../model/index.ts'
import { meaningOf, verdictOfCall } from './runtime-codes.ts'
import type { AscendFailure } from './runner-protocol.ts'

type Unfinished = FailedLaunch['verdict']

const refused = (code: string, message: string): Unfinished => ({
  kind: 'device-error',
  report: { code, severity: 'error', message, core: 'host', instruction: 'launch', count: 1 },
})

/** What a failure means for the operator that was launched. */
export function verdictOf(failure: AscendFailure, operator: string, limitMs: number): Unfinished {
  const tiling = `the tiling function of ${operator}`
  switch (failure.kind) {
    case 'acl':
      // what goes wrong before a kernel runs is none of its own
      return failure.phase === 'start' || failure.phase === 'prepare'
        ? {
            kind: 'infrastructure',
            message: `${failure.call} gave ${failure.code}: ${meaningOf(failure.code).explanation}`,
          }
        : verdictOfCall(failure, limitMs)
    case 'symbol':
      return refused('LaunchRejected', `the package of ${operator} cannot be loaded: ${failure.message}`)
    case 'died': {
      const how = failure.signal ?? `exit(${failure.exitCode ?? '?'})`
      if (failure.phase === 'tiling') return { kind: 'tiling-failed', message: `${tiling} ended the process: ${how}` }
      if (failure.phase === 'start' || failure.phase === 'prepare')
        return { kind: 'infrastructure', message: `the device runner ended before the launch: ${how}` }
      return { kind: 'crashed', signal: failure.signal ?? '', message: `the process of the launch ended: ${how}` }
    }
    case 'timeout':
      if (failure.phase === 'tiling')
        return { kind: 'tiling-failed', message: `${tiling} did not return within ${limitMs / 1000} s` }
      if (failure.phase === 'wait' || failure.phase === 'launch') return { kind: 'timeout', limitMs }
      return { kind: 'infrastructure', message: `the device did not answer (${failure.phase})` }
    case 'busy':
    case 'unable':
      return { kind: 'infrastructure', message: failure.message }
  }
}

/**
 * Whether a failure may be that of another launch on the same device: a fault ends whatever the device does. Such a launch is
 * repeated with the device for itself, and what comes of that counts.
 */
export const mayBeOfOthers = (failure: AscendFailure): boolean =>
  failure.kind === 'acl' ? meaningOf(failure.code).resets : failure.kind === 'timeout' && failure.phase !== 'tiling'

/** What a launch has done beside its outputs. */
interface SideEffects {
  damages: readonly { name: string; offset: number }[]
  overwritten: readonly string[]
}

const byteOf = (offset: number): string =>
  offset < 0 ? `${-offset} bytes in front of it` : `at byte ${offset}, behind its end`

const finding = (code: string, message: string, hint: string): Report => ({
  code,
  severity: 'error',
  message,
  hint,
  core: 'device',
  instruction: 'launch',
  count: 1,
})

/** Findings of a launch that ran to its end. */
export function reportsOf({ damages, overwritten }: SideEffects): Report[] {
  return [
    ...damages.map(({ name, offset }) =>
      finding(
        'RedZone',
        `the kernel has written outside of ${name}: ${byteOf(offset)}`,
        'copy the last elements with DataCopyPad, by their number of bytes',
      ),
    ),
    ...overwritten.map((name) =>
      finding('InputOverwritten', `the kernel has overwritten the input ${name}`, 'write outputs alone'),
    ),
  ]
}

/** What a device does not tell of a launch. */
export const untold = {
  hostMs: 0,
  // an instruction is not seen: sums may be rounded in another order in every launch
  addsFloats: true,
  pipes: {},
  blockDim: 0,
  tilingKey: 0,
} as const satisfies Partial<CompletedLaunch>
