import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { writeCard } from '../dataset/card.ts'
import { judgedIn, type Judged } from '../dataset/preferences/judged.ts'
import { strategyNames, type Strategy } from '../dataset/preferences/pairs.ts'
import { pairKey, preferenceOf, type Source } from '../dataset/preferences/rows.ts'
import { selectPairs, type Selected } from '../dataset/preferences/select-pairs.ts'
import { WorkFolder } from '../dataset/work-folder.ts'
import { packageVersion } from '../files/index.ts'
import { GenerationError } from '../generation/error.ts'
import { createPrompter } from '../generation/prompter.ts'
import type { Prompt } from '../generation/types.ts'
import { neutralText } from '../model/index.ts'
import { defaultSoc } from '../soc/profile.ts'
import type { KernelTask } from '../task/index.ts'
import { parseCommand, required, runsOption, tasksOption, wholeNumber } from './command.ts'
import { chosenTasks } from './generate-tasks.ts'
import { latestName, ledgerPathOf } from './runs.ts'
import { requiredSuites } from './suites.ts'
import { didYouMean, messageOf, UserError } from './user-error.ts'

const byDefault: readonly Strategy[] = ['faster', 'hazard', 'minimal-edit', 'execution-fail', 'compile-fail']

export const preferencesUsage = `Usage: vitest-npu dataset preferences [ledger | run]... --out <folder>

Makes pairs of a better and a worse candidate of one task, as rows: of the latest run, or of ledgers and runs that are named. The sources
are those that runs keep beside their ledgers. No model is asked and nothing is judged: that was done, and dataset check does it again.

  --out <folder>        where rows go: rows.jsonl, card.md
  --strategies <list>   ${byDefault.join(',')}; a pair that several make is of the first:
                          execution-fail   right before what was built and is wrong, or was stopped
                          compile-fail     right before what was not built
                          mixture          as many of the one as of the other
                          hazard           right before right outputs with an error that the device has found
                          faster           right and fast before right and slow, beyond what the clock may be wrong
                          minimal-edit     the right one that is nearest to what fails
  --cap <n>             pairs of one task at most; 8
  --max-distance <n>    tokens by which a minimal edit differs at most; 60
  --threshold <share>   of runs of tokens in common, from which on two pairs are the same; 0.95
  --card-tokens <n>     of the API card in the prompts; 0 leaves it out
  --licence <SPDX>      of the candidates; unknown
  --seed <s>            of what is drawn; 0
  --runs <folder>       where runs are kept; .npu/runs
  --tasks <folder>      the specs, instead of those of the configuration
  --help, --version

  npx vitest-npu dataset preferences --out preferences
  npx vitest-npu dataset preferences run1/ledger.jsonl 20261126 --strategies execution-fail --cap 20 --out preferences
`

/** `dataset preferences`: pairs of judged candidates. */
export async function preferencesCommand(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const parsed = parseCommand('dataset preferences', preferencesUsage, args, {
    ...tasksOption,
    ...runsOption,
    out: text,
    strategies: text,
    cap: { ...text, default: '8' },
    'max-distance': { ...text, default: '60' },
    threshold: { ...text, default: '0.95' },
    'card-tokens': { ...text, default: '0' },
    licence: { ...text, default: 'unknown' },
    seed: { ...text, default: '0' },
  })
  if (!parsed) return
  const { values, positionals } = parsed
  const out = required('dataset preferences', 'out', values.out)
  const options = {
    strategies: strategiesOf(values.strategies),
    cap: wholeNumber('--cap', values.cap, 1),
    maxDistance: wholeNumber('--max-distance', values['max-distance'], 1),
    threshold: shareOf('--threshold', values.threshold),
    seed: wholeNumber('--seed', values.seed, 0),
  }
  const cardTokens = wholeNumber('--card-tokens', values['card-tokens'], 0)
  const names = positionals.length === 0 ? [latestName(values.runs)] : positionals
  const ledgers = [...new Set(names.map((name) => ledgerPathOf(name, values.runs)))]
  const candidates = candidatesIn(ledgers, values.licence)
  const selected = selectPairs(
    candidates.map(({ judged }) => judged),
    options,
  )
  for (const line of selected.refused) console.error(line)
  if (selected.pairs.length === 0)
    throw new UserError('dataset preferences: there is no pair: no task has a right candidate and another one')
  const suites = await requiredSuites(values.tasks)
  const tasks = await chosenTasks(suites, [
    ...new Set(selected.pairs.map(({ chosen }) => `${chosen.suite}/${chosen.task}`)),
  ])
  const prompts = await promptsOf(tasks, cardTokens)
  const sources = new Map(candidates.map(({ judged, source }) => [judged, source]))
  const settings = {
    version: packageVersion(),
    builder: 'preferences',
    ...options,
    cardTokens,
    ledgers: candidates.map(({ source }) => source.sha256).filter((each, i, all) => all.indexOf(each) === i),
  }
  await write(out, settings, { selected, prompts, sources })
}

interface Candidate {
  judged: Judged
  source: Source
}

function candidatesIn(ledgers: readonly string[], licence: string): Candidate[] {
  return ledgers.flatMap((path) => {
    const { judged, undecided, withoutSources } = read(path)
    const whole = judged.filter(({ files }) => files.some((file) => file.path.startsWith('op_host/')))
    const parts = judged.length - whole.length
    const name = whole[0] ? `${whole[0].verdict.split('/')[0]}/ledger.jsonl` : path
    const left = [
      ...(undecided > 0 ? [`${undecided} undecided`] : []),
      ...(withoutSources > 0 ? [`${withoutSources} whose sources were not kept`] : []),
      ...(parts > 0 ? [`${parts} without a host part`] : []),
    ]
    if (left.length > 0) console.error(neutralText(`${path}: left out: ${left.join(', ')}`))
    const source = { name, sha256: createHash('sha256').update(readFileSync(path)).digest('hex'), licence }
    return whole.map((each) => ({ judged: each, source }))
  })
}

function read(path: string): ReturnType<typeof judgedIn> {
  try {
    return judgedIn(path)
  } catch (error) {
    throw new UserError(messageOf(error).split('\n')[0])
  }
}

/** The prompt of each task, by its suite and name. */
async function promptsOf(tasks: readonly KernelTask[], cardTokens: number): Promise<Map<string, Prompt>> {
  const prompter = createPrompter()
  const prompts = new Map<string, Prompt>()
  for (const task of tasks) {
    const { suite, name } = task.interface
    const options = { mode: 'full', shapes: 'dynamic', soc: defaultSoc, cardTokens } as const
    prompts.set(`${suite}/${name}`, await prompter.first(task, options))
  }
  return prompts
}

async function write(
  out: string,
  settings: Record<string, unknown>,
  {
    selected,
    prompts,
    sources,
  }: { selected: Selected; prompts: ReadonlyMap<string, Prompt>; sources: ReadonlyMap<Judged, Source> },
): Promise<void> {
  let folder: WorkFolder | undefined
  try {
    folder = new WorkFolder(resolve(out), settings)
    for (const pair of selected.pairs) {
      const { chosen } = pair
      const key = pairKey(pair)
      const prompt = prompts.get(`${chosen.suite}/${chosen.task}`)
      const source = sources.get(chosen)
      if (folder.isDecided(key) || !prompt || !source) continue
      folder.decide(key, { rows: [preferenceOf(pair, prompt, source)], rejections: [] })
    }
    const card = await writeCard(folder.path)
    const counts = strategyNames.flatMap((name) => {
      const count = selected.pairs.filter(({ strategy }) => strategy === name).length
      return count > 0 ? [`${count} ${name}`] : []
    })
    console.log(
      `${card.rows} pairs of ${card.operators} tasks in ${relative(process.cwd(), folder.path) || '.'}: ${counts.join(', ')}`,
    )
    console.log(
      `${selected.made} could be made: ${selected.duplicates} are nearly others, ${selected.beyondCap} are beyond the cap of a task`,
    )
  } catch (error) {
    if (error instanceof GenerationError) throw new UserError(neutralText(error.message), error.exitCode)
    throw error
  } finally {
    folder?.close()
  }
}

function strategiesOf(given: string | undefined): readonly Strategy[] {
  if (given === undefined) return byDefault
  return given.split(',').map((part) => {
    const name = strategyNames.find((each) => each === part.trim())
    if (name === undefined)
      throw new UserError(
        `--strategies ${part}: there is none${didYouMean(part, strategyNames)}; there are ${strategyNames.join(', ')}`,
      )
    return name
  })
}

/** A share above 0, at most 1. Throws a UserError. */
export function shareOf(option: string, given: string): number {
  const value = Number(given)
  if (given.trim() === '' || !(value > 0 && value <= 1))
    throw new UserError(`${option} ${given}: is not a number above 0 and at most 1`)
  return value
}
