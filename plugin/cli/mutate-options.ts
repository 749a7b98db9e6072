import { damages, type Damage } from '../mutation/edits.ts'
import { patternOf, type Pattern } from '../mutation/selection.ts'
import { parseCommand, tasksOption } from './command.ts'
import { didYouMean, UserError } from './user-error.ts'

export const mutateUsage = `Usage: vitest-npu mutate <Task> [sample]

Edits the kernel of a sample, one place at a time, and runs the cases of its task on each of these mutants as a run of
Vitest would: with the options of the Vitest configuration, static cases, generated ones and narrow devices. A mutant that
every case accepts has survived: no case asks for what the edit broke. Without a sample it is the baseline of the task.

  -m, --mutate <glob>     files of the kernel, or lines of one: 'op_kernel/*.h', '!op_kernel/x.h', op_kernel/x.cpp:40-60;
                          several are separated by commas. Headers of an operator repository are edited where one of
                          these names them
  --kinds <kinds>         ${damages.slice(0, 4).join(', ')},
                          ${damages.slice(4).join(', ')}; several are separated by commas
  --every <n>             every n-th mutant
  --sample <n>            n mutants, drawn
  --seed <s>              of the cases (as NPU_SEED) and of what is drawn; 0
  --concurrency <n>       mutants at the same time; the option jobs of the configuration
  --reporter <names>      text, json, html; all three
  --reports-dir <folder>  for mutation.json and mutation.html; reports/mutation
  --threshold-break <n>   fails where the score, in percent, is below n or unknown, and where a mutant is a RuntimeError
  --dry-run               lists the mutants and judges none
  --tasks <folder>        the specs, instead of those of the configuration
  --help, --version

  npx vitest-npu mutate RmsNorm                        the baseline, all mutants
  npx vitest-npu mutate RmsNorm mine --sample 50       50 mutants of the candidate that runs call mine
  npx vitest-npu mutate RmsNorm mine --kinds branches,lengths --mutate 'op_kernel/rms_norm.h:40-90'
  npx vitest-npu mutate RmsNorm mine --threshold-break 80 --reporter text

docs/mutation.md says how survivors are read.
`

export const reporters = ['text', 'json', 'html'] as const
export type Reporter = (typeof reporters)[number]

/** What the command line asks for. */
export interface MutateOptions {
  task: string
  sample: string | undefined
  patterns: readonly Pattern[]
  kinds: readonly Damage[]
  every: number
  count: number | undefined
  seed: number | undefined
  concurrency: number | undefined
  reporters: readonly Reporter[]
  reportsDir: string
  thresholdBreak: number | undefined
  dryRun: boolean
  tasks: string | undefined
}

/** Reads the command line; undefined where it asks for help, which is printed then. Throws a UserError. */
export function mutateOptionsOf(args: readonly string[]): MutateOptions | undefined {
  const parsed = parse(args)
  if (!parsed) return undefined
  const { values, positionals } = parsed
  const [task, sample, ...more] = positionals
  if (task === undefined) throw new UserError('mutate: name a task, e.g. vitest-npu mutate AddCustom')
  if (more.length > 0) throw new UserError('mutate: too many names; see vitest-npu mutate --help')
  const lists = listOf(values.mutate)
  return {
    task,
    sample,
    patterns: lists.map(patternOf),
    kinds: chosen('kinds', values.kinds, damages),
    every: whole('every', values.every, 1) ?? 1,
    count: whole('sample', values.sample, 1),
    seed: whole('seed', values.seed, -(2 ** 31), 2 ** 32 - 1),
    concurrency: whole('concurrency', values.concurrency, 1, 64),
    reporters: chosen('reporter', values.reporter, reporters),
    reportsDir: values['reports-dir'] ?? 'reports/mutation',
    thresholdBreak: percent(values['threshold-break']),
    dryRun: values['dry-run'] ?? false,
    tasks: values.tasks,
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  const list = { type: 'string', multiple: true } as const
  const flag = { type: 'boolean' } as const
  return parseCommand('mutate', mutateUsage, args, {
    ...tasksOption,
    mutate: { ...list, short: 'm' },
    kinds: list,
    every: text,
    sample: text,
    seed: text,
    concurrency: text,
    reporter: list,
    'reports-dir': text,
    'threshold-break': text,
    'dry-run': flag,
  })
}

/** Values that are given one by one, or separated by commas outside of braces. */
const listOf = (given: readonly string[] = []): string[] =>
  // oxlint-disable-next-line regexp/no-super-linear-move -- a command line is short, and its author's own
  given.flatMap((text) => text.split(/,(?![^{}]*\})/).map((part) => part.trim())).filter((part) => part !== '')

function chosen<T extends string>(option: string, given: string[] | undefined, all: readonly T[]): readonly T[] {
  const names = listOf(given)
  const unknown = names.find((name) => !all.some((each) => each === name))
  if (unknown !== undefined)
    throw new UserError(`--${option} ${unknown}: there is none${didYouMean(unknown, all)}; there are ${all.join(', ')}`)
  return names.length === 0 ? all : all.filter((each) => names.includes(each))
}

function whole(option: string, text: string | undefined, least: number, most = 2 ** 31): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() === '' || !Number.isInteger(value) || value < least || value > most)
    throw new UserError(`--${option} ${text}: give a whole number from ${least} to ${most}`)
  return value
}

function percent(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 100))
    throw new UserError(`--threshold-break ${text}: give a number of percent, from 0 to 100`)
  return value
}
