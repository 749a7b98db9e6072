import { parseCommand, required } from './command.ts'
import {
  modelArguments,
  modelNameUsage,
  modelOptionsOf,
  modelUsage,
  number,
  positive,
  whole,
  type ModelOptions,
} from './model-options.ts'
import { UserError } from './user-error.ts'

/** Options of every builder that asks a model. */
export interface BuilderOptions {
  model: ModelOptions
  out: string
  /** items of one prompt; what the builder says where it is not given */
  batch: number | undefined
  /** items at most */
  limit: number | undefined
  /** folder of the user's own templates */
  prompts: string | undefined
}

const text = { type: 'string' } as const

/** The arguments that they are read from, for `parseCommand`. */
export const builderArguments = {
  ...modelArguments,
  out: text,
  batch: text,
  limit: text,
  prompts: text,
} as const

/** What the help of a builder says of them; `batch` is its own default. */
export const builderUsage = (batch: number, what: string): string => `${modelNameUsage}
  --out <folder>            where rows go: rows.jsonl, rejected.jsonl, transcript.jsonl, card.md; the same command goes on there
  --batch <n>               ${what} in one prompt; ${batch}
  --limit <n>               ${what} at most
  --prompts <folder>        templates of your own, each in place of the packaged one of its name

${modelUsage('sampling, and of what is drawn')}`

/** Reads an option that is a text. */
export const textOf =
  (values: Readonly<Record<string, unknown>>) =>
  (option: string): string | undefined =>
    typeof values[option] === 'string' ? values[option] : undefined

/** Reads them. Throws a UserError. */
export function builderOptionsOf(command: string, values: Readonly<Record<string, unknown>>): BuilderOptions {
  const string = textOf(values)
  return {
    model: modelOptionsOf(command, values),
    out: required(command, 'out', string('out')),
    batch: number(command, values, 'batch', positive),
    limit: number(command, values, 'limit', whole),
    prompts: string('prompts'),
  }
}

/** Reads the arguments of a builder that takes places as names; undefined where they ask for help. Throws a UserError. */
export function parseBuilder(
  name: string,
  usage: string,
  args: readonly string[],
  more: NonNullable<Parameters<typeof parseCommand>[3]>,
) {
  const command = `dataset ${name}`
  const parsed = parseCommand(command, usage, args, { ...builderArguments, ...more })
  if (!parsed) return undefined
  const values: Readonly<Record<string, unknown>> = parsed.values
  return { options: builderOptionsOf(command, values), values, places: parsed.positionals }
}

/** The one place that a builder reads. Throws a UserError. */
export function onlyPlace(command: string, places: readonly string[], what: string): string {
  const [place, another] = places
  if (place === undefined || another !== undefined)
    throw new UserError(`dataset ${command}: name ${what}; see vitest-npu dataset ${command} --help`)
  return place
}
