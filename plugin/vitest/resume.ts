import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { EarlierRun } from '../ledger/earlier-run.ts'
import { runsNamed, settingsOf } from '../ledger/runs.ts'
import { messageOf } from '../model/index.ts'
import { packageVersion, readRegular } from '../files/index.ts'
import { OptionError, type ResolvedOptions } from './options.ts'

/** What a run is begun with: all that decides which cases are judged, and how, and is not a spec or a candidate. */
export interface RunSettings extends Record<string, unknown> {
  seed: number
}

/** The settings of a run, as they are kept beside its ledger. */
export function runSettings(options: ResolvedOptions, seed: number): RunSettings {
  const { target, soc, cann, profile, warnings, model, allowWeakConfinement } = options
  const { fuzzRuns, fuzzBudgetMs, narrowDevices, guided, maxElements, latencyCase, latencyIterations } = options
  const { launchTimeoutMs, compileTimeoutMs, memoryLimitMiB } = options
  return {
    version: packageVersion(),
    seed,
    namedSeed: options.seed !== undefined,
    target: target.name,
    soc,
    cann,
    profile,
    warnings,
    model: model ?? null,
    maxElements: maxElements ?? null,
    fuzzRuns,
    fuzzBudgetMs,
    narrowDevices,
    guided,
    latencyCase,
    latencyIterations,
    launchTimeoutMs,
    compileTimeoutMs,
    memoryLimitMiB,
    allowWeakConfinement,
  }
}

/** Larger ones are none of ours. */
const mostBytes = 1 << 20

const kept = z.looseObject({ seed: z.int(), namedSeed: z.boolean() })

/** A run to be continued, and the seed that it has named or drawn. */
export interface Resumed {
  earlier: EarlierRun
  seed: number
  namedSeed: number | undefined
}

/**
 * Finds the run that the option `resume` names; undefined where it names none. Throws an OptionError, in one line, where there is no
 * such run, where it still goes on, or where it was begun with other settings.
 */
export function resumedRun(options: ResolvedOptions, runs: string): Resumed | undefined {
  const { resume } = options
  if (resume === undefined) return undefined
  const [id, another] = runsNamed(runs, resume)
  if (id === undefined) refuse(resume, `there is no such run in ${runs}`)
  if (another !== undefined) refuse(resume, `several runs in ${runs} begin like this: ${id}, ${another}`)
  const begun = settingsIn(settingsOf(runs, id))
  if (!begun) refuse(resume, `${settingsOf(runs, id)} does not say what the run was begun with: begin a new one`)
  const now = runSettings(options, options.seed ?? begun.seed)
  const { namedSeed: _, ...compared } = now
  for (const [name, value] of Object.entries(compared))
    if (!isDeepStrictEqual(value, begun[name]))
      refuse(
        resume,
        `the run ${id} was begun with ${name} ${JSON.stringify(begun[name])}, this one has ${JSON.stringify(value)}: set it back, or begin a new run without resume`,
      )
  try {
    const earlier = new EarlierRun(runs, id)
    return { earlier, seed: begun.seed, namedSeed: begun.namedSeed ? begun.seed : undefined }
  } catch (error) {
    return refuse(resume, messageOf(error))
  }
}

function settingsIn(path: string): z.infer<typeof kept> | undefined {
  try {
    return kept.safeParse(JSON.parse(readRegular(path, mostBytes).toString('utf8'))).data
  } catch {
    return undefined
  }
}

function refuse(name: string, why: string): never {
  throw new OptionError(`resume (NPU_RESUME) is "${name}": ${why}`)
}
