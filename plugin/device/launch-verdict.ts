import type { Report, Verdict } from '../model/index.ts'
import type { LaunchAnswer, RunnerFailure } from '../runner/protocol.ts'

type UnfinishedVerdict = Extract<
  Verdict,
  { kind: 'tiling-failed' | 'device-error' | 'timeout' | 'crashed' | 'infrastructure' }
>

/** A fault inside of a tensor: what can be written never faults there. */
function liesInTensor(address = ''): boolean {
  const [, offset, size] = /^(?!null )\S+ \+ (\d+) \((\d+) bytes long\)$/.exec(address) ?? []
  return size !== undefined && Number(offset) < Number(size)
}

/** How a process of the candidate ended, as a sentence about `who`. */
export function howItEnded(who: string, failure: Extract<RunnerFailure, { kind: 'died' }>): string {
  if (failure.exitCode !== null) return `${who} called exit(${failure.exitCode})`
  const where = failure.address === undefined ? '' : ` at address ${failure.address}`
  return `${who} crashed: ${failure.signal}${where}${liesInTensor(failure.address) ? '; inputs cannot be written' : ''}`
}

const isNull = (address?: string): boolean => address?.startsWith('null ') === true

/** What the framework gives a tiling function as null pointers. */
const nullHint =
  '; GetData of a tensor is null unless the case fixes its values and the definition has ValueDepend for it, as is what belongs to an attribute or input that is not there'

/** The verdict of a tiling call that gave no answer. */
export function tilingVerdict(operator: string, failure: RunnerFailure, limitMs: number): UnfinishedVerdict {
  const who = `the tiling function of ${operator}`
  switch (failure.kind) {
    case 'rejected':
    case 'malformed':
      return { kind: 'tiling-failed', message: failure.message }
    case 'died':
      return { kind: 'tiling-failed', message: howItEnded(who, failure) + (isNull(failure.address) ? nullHint : '') }
    case 'timeout':
      return { kind: 'tiling-failed', message: `${who} did not return within ${limitMs / 1000} s` }
    default:
      return failure
  }
}

/** Why the inference functions gave no answer, as findings. */
export function inferenceFailure(operator: string, failure: RunnerFailure): string[] {
  const who = `the inference of ${operator}`
  switch (failure.kind) {
    case 'died':
      return [howItEnded(who, failure)]
    case 'timeout':
      return [`${who} did not return in time`]
    default:
      return [failure.message]
  }
}

/** The verdict of a launch that no instruction is to blame for. */
const refused = (code: string, message: string): UnfinishedVerdict => {
  const report: Report = { code, severity: 'error', message, core: 'host', instruction: 'launch', count: 1 }
  return { kind: 'device-error', report }
}

/** The verdict of a launch that gave no answer. */
export function launchVerdict(failure: RunnerFailure, limitMs: number): UnfinishedVerdict {
  switch (failure.kind) {
    case 'rejected':
      return refused('LaunchRejected', failure.message)
    case 'malformed':
      return refused(failure.code, failure.message)
    case 'died':
      return { kind: 'crashed', signal: failure.signal, message: howItEnded('the kernel', failure) }
    case 'timeout':
      return { kind: 'timeout', limitMs }
    default:
      return failure
  }
}

/** The report of the trap that ended a launch; null when the launch ran to its end. */
export function trapOf(answer: LaunchAnswer, reports: readonly Report[]): Report | null {
  if (!answer.trapped) return null
  const fatal = reports.findLast(({ severity }) => severity === 'error')
  if (fatal) return fatal
  return { code: 'Trap', severity: 'error', message: 'the kernel was stopped', core: '', instruction: '', count: 1 }
}
