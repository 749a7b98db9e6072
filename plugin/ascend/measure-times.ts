import {
  InfrastructureError,
  type FailedLaunch,
  type Measured,
  type MeasureArgs,
  type MeasuredTimes,
} from '../model/index.ts'
import { lockTimeoutMs, overheadMs, type DeviceOptions } from './ascend-device.ts'
import type { AscendArtifact } from './build-operator.ts'
import { verdictOf } from './launch-outcome.ts'
import { runnerArguments } from './runner-arguments.ts'
import { profiledTimes } from './profile.ts'
import type { AscendRunner } from './runner-pool.ts'
import { doneReply, prepareReply, timeReply, type AscendFailure, type AscendRequest } from './runner-protocol.ts'

/** Launches before those that are timed. */
const warmUps = 5
/** Launches of one operator in a row, of each kind, before it is the other's turn. */
const launchesInTurn = 10
/** Sets of tensors that cold launches rotate over: as many as exceed the cache, within these bounds. */
const [leastSets, mostSets] = [8, 64]

/** What a series works on: an operator in a process of its own. */
export interface Subject {
  of: 'artifact' | 'baseline'
  artifact: AscendArtifact
  runner: AscendRunner
  /** the program that this process runs */
  program: string
}

/** The answer of a runner that ends the measurement. */
class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly subject: Subject
  readonly failure: AscendFailure

  constructor(subject: Subject, failure: AscendFailure) {
    super(failure.message)
    this.subject = subject
    this.failure = failure
  }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** By how much the median of the last part of a series is off that of the first, in percent. */
export function driftOf(series: readonly number[]): number {
  const part = Math.max(1, Math.floor(series.length / 3))
  const [first, last] = [median(series.slice(0, part)), median(series.slice(-part))]
  return first === 0 ? 0 : (100 * Math.abs(last - first)) / first
}

/**
 * Times operators in turn on one device, which nobody else may use meanwhile: a change of its clock meets all of them. Each is
 * launched on fixed addresses, and on others every time, between two events of a stream that nothing else is on.
 */
export async function measureTimes(
  subjects: readonly [Subject, ...Subject[]],
  { options, args, file }: { options: DeviceOptions; args: MeasureArgs; file: string },
): Promise<Measured> {
  const { launchTimeoutMs: timeoutMs, soc, toolkit, machine, cacheBytes } = options
  const { fileBytes, poison, rounds } = args
  const held = { share: 'none', lockTimeoutMs: 0 } as const
  const done = async (subject: Subject, request: AscendRequest): Promise<void> => {
    const answer = await subject.runner.request(request, doneReply, overheadMs)
    if (!answer.ok) throw new Interrupted(subject, answer)
  }
  const timing = (cold: boolean, launches: number) => ({ op: 'time', cold, launches, timeoutMs, ...held }) as const
  const preparing = (artifact: AscendArtifact) => {
    const given = { fileBytes, poison, file, args: runnerArguments(artifact, args.case, args.slots) }
    return { op: 'prepare', ...given, cacheBytes, leastSets, mostSets, ...held } as const
  }
  const time = async (subject: Subject, cold: boolean, launches: number): Promise<number[]> => {
    const request = timing(cold, launches)
    const answer = await subject.runner.request(request, timeReply, launches * 3 * timeoutMs + overheadMs)
    if (!answer.ok) throw new Interrupted(subject, answer)
    return answer.samples
  }
  const requestsOf = (artifact: AscendArtifact) => [
    preparing(artifact),
    timing(false, warmUps),
    timing(true, launchesInTurn),
  ]
  // figures of events hold without those of the profiler
  const profile = async (): Promise<string | undefined> => {
    try {
      for (const subject of subjects) {
        const { artifact, program, runner } = subject
        const what = { artifact, program, device: runner.device, requests: requestsOf(artifact) }
        const counts = { warmUps, launches: launchesInTurn }
        times.get(subject)!.kernel = await profiledTimes(machine, toolkit, { ...what, ...counts })
      }
      return undefined
    } catch (error) {
      if (!(error instanceof InfrastructureError)) throw error
      return error.message
    }
  }
  const times = new Map(subjects.map((each): [Subject, MeasuredTimes] => [each, { cold: [], warm: [] }]))
  const [first] = subjects
  try {
    await done(first, { op: 'lock', share: 'one', lockTimeoutMs })
    for (const subject of subjects) {
      const answer = await subject.runner.request(preparing(subject.artifact), prepareReply, overheadMs)
      if (!answer.ok) throw new Interrupted(subject, answer)
      await time(subject, false, warmUps)
    }
    for (let round = 0; round < rounds; round++)
      for (const cold of [true, false])
        for (const subject of subjects)
          times.get(subject)![cold ? 'cold' : 'warm'].push(...(await time(subject, cold, launchesInTurn)))
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    return failureOf(error, timeoutMs)
  }
  const noKernelTimes = options.profiler ? await profile() : undefined
  const [own, baseline] = subjects.map((subject) => times.get(subject)!)
  const reference = baseline ?? own!
  const driftPercent = Math.max(driftOf(reference.cold), driftOf(reference.warm))
  return {
    ok: true,
    times: own!,
    baseline: baseline ?? null,
    driftPercent,
    profile: `${soc}, CANN ${toolkit.version}`,
    ...(noKernelTimes !== undefined && { noKernelTimes }),
  }
}

function failureOf({ subject, failure }: Interrupted, limitMs: number): Measured {
  const verdict: FailedLaunch['verdict'] = verdictOf(failure, subject.artifact.task.name, limitMs)
  return { of: subject.of, ok: false, verdict, reports: 'report' in verdict ? [verdict.report] : [], log: failure.log }
}
