import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { mostBytes, mostDraws, usualDraws } from '../dataset/proof-error.ts'
import { ApiErrorBuilder, KernelErrorBuilder, type ErrorOptions } from '../dataset/errors.ts'
import { layLedger } from '../dataset/ledger-samples.ts'
import { Judging } from '../dataset/judging.ts'
import { datasetTemplates } from '../dataset/templates.ts'
import { transcriptName } from '../generation/transcript.ts'
import { createPrompter } from '../generation/prompter.ts'
import { neutralText } from '../model/index.ts'
import { runSuites } from '../vitest/run-suites.ts'
import { runsOption } from './command.ts'
import { runBuilder } from './dataset-build.ts'
import { builderUsage, parseBuilder, textOf } from './dataset-options.ts'
import { projectSources } from './dataset-sources.ts'
import { holdsNoLedger, ledgerPathOf } from './runs.ts'
import { number, positive, whole, type Numbers } from './model-options.ts'
import { configurationOf } from './suites.ts'
import { UserError } from './user-error.ts'

const perPrompt = { api: 8, kernel: 3 }

const usage = `Usage: vitest-npu dataset errors <folder | ledger | run>... --model <name> --out <folder>

Rows about errors, of folders of samples: runs of generate, and whatever else lies as candidates do; and of what runs have judged, by the
sources that they keep beside their ledgers. Every sample is judged. Of those that do not compile, and of mistakes in calls of the API
that are made in right ones, a model is asked for the cause and the correction, which has to compile. Of those that compile and are
wrong, it is asked for the flaw and the operator without it, which has to be right on all cases.

  --mistakes <n>            that are made in each right sample; 4
  --alike <n>               compile errors of one signature at most: class, name and words of the message; 4
  --draws <n>               generated cases of each dtype combination that samples are judged on beside the static ones; ${usualDraws}, which are the least
                            that a row is checked on
  --kernel-batch <n>        wrong operators in one prompt; ${perPrompt.kernel}
  --level api | kernel      one of them alone
  --runs <folder>           where runs are kept; .npu/runs
${builderUsage(perPrompt.api, 'compile errors')}
  --help, --version

  npx vitest-npu dataset errors fixtures/samples runs/pilot --model files:chat --out errors
`

const draws: Numbers = {
  holds: (value) => whole.holds(value) && value <= mostDraws,
  wanted: `a whole number, ${mostDraws} or less`,
}

/** `dataset errors` */
export async function datasetErrorsCommand(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const more = { ...runsOption, mistakes: text, alike: text, draws: text, 'kernel-batch': text, level: text }
  const parsed = parseBuilder('errors', usage, args, more)
  if (!parsed) return
  const { options, values, places } = parsed
  if (places.length === 0) throw new UserError('dataset errors: name folders of samples or ledgers, e.g. runs/pilot')
  const read = (option: string, otherwise: number, rule = positive): number =>
    number('dataset errors', values, option, rule) ?? otherwise
  const { level } = values
  if (level !== undefined && level !== 'api' && level !== 'kernel')
    throw new UserError(`dataset errors: --level: is not api or kernel`)
  const limits = { draws: read('draws', usualDraws, draws), seed: options.model.seed, bytes: mostBytes }
  const own = { mistakes: read('mistakes', 4, whole), alike: read('alike', 4) }
  const kernelBatch = read('kernel-batch', perPrompt.kernel)
  const { root, options: resolved } = await configurationOf(process.cwd())
  const suites = runSuites(resolved, root)
  const settings = { builder: 'errors', places, soc: resolved.soc, ...limits, ...own, kernelBatch }
  await runBuilder(options, settings, async ({ folder, signal }) => {
    const runs = textOf(values)('runs') ?? ''
    const folders = places.map((place, i) => samplesOf(place, runs, join(folder.path, 'samples', String(i + 1))))
    const sources = await projectSources(folders, suites)
    const judging = new Judging({ root, options: resolved, suites }, signal, tell)
    const common: Omit<ErrorOptions, 'batch'> = {
      ...own,
      sources,
      folder,
      judging,
      limits,
      prompter: createPrompter(),
      fill: datasetTemplates(options.prompts),
      limit: options.limit ?? Infinity,
      tell,
    }
    const api = new ApiErrorBuilder({ ...common, batch: options.batch ?? perPrompt.api })
    const kernel = new KernelErrorBuilder({ ...common, batch: kernelBatch })
    return {
      builders: [...(level === 'kernel' ? [] : [api]), ...(level === 'api' ? [] : [kernel])],
      close: async () => await judging.close(),
    }
  })
}

/** The folder that holds the samples of a place: itself, or where those of a ledger are laid. */
function samplesOf(place: string, runs: string, into: string): string {
  // a run of generate has both
  if (holdsNoLedger(place) || existsSync(join(place, transcriptName))) return resolve(place)
  const { samples, undecided, withoutSources } = layLedger(ledgerPathOf(place, runs), into)
  const left = [
    ...(undecided > 0 ? [`${undecided} undecided`] : []),
    ...(withoutSources > 0 ? [`${withoutSources} whose sources were not kept`] : []),
  ]
  if (left.length > 0) tell(`${place}: left out: ${left.join(', ')}`)
  if (samples === 0) throw new UserError(`${place}: its run has kept no sources`)
  return into
}

const tell = (line: string): void => console.error(neutralText(line))
