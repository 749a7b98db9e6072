import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { DatasetError } from '../dataset/error.ts'
import { exportRows } from '../dataset/formats/export.ts'
import { formats } from '../dataset/formats/formats.ts'
import { splitsOf } from '../dataset/hygiene/splits.ts'
import { neutralText } from '../model/index.ts'
import { parseCommand, required, wholeNumber } from './command.ts'
import { didYouMean, UserError } from './user-error.ts'

export const exportUsage = `Usage: vitest-npu dataset export <rows.jsonl>... --format <name> --out <folder>

Writes rows as trainers read them: a file for each split, and for each thing that the format can be trained on: answers (sft), pairs (dpo),
answers that are called good or bad (kto), prompts whose answers are judged (rl). Reasoning stands within <think> before the answer.
Everything about an operator is in one split.

  --format <name>     trl            sft, dpo, kto: messages
                      verl           rl: prompts of tasks, each once
                      llama-factory  sft, dpo, kto: Alpaca, with dataset_info.json
                      sharegpt       sft, dpo, kto: conversations, with dataset_info.json
                      mindspeed      sft, dpo: Alpaca, with the keys that preprocessing is told
                      openai         sft: messages and nothing else
  --out <folder>      where files go: train_sft.jsonl, test_dpo.jsonl
  --parquet           Parquet in place of JSON lines
  --splits <shares>   e.g. train=0.9,validation=0.05,test=0.05; all rows are train
  --seed <s>          of the splits; 0
  --name <name>       what dataset_info.json calls them; npu
  --judge <url>       of verl: the address of whoever judges answers, kept in extra_info
  --help, --version

  npx vitest-npu dataset export mix/rows.jsonl --format llama-factory --splits train=0.95,test=0.05 --out data
`

/** `dataset export`: rows in the format of a trainer. */
export function exportCommand(args: readonly string[]): void {
  const text = { type: 'string' } as const
  const parsed = parseCommand('dataset export', exportUsage, args, {
    format: text,
    out: text,
    parquet: { type: 'boolean' },
    splits: text,
    seed: { ...text, default: '0' },
    name: { ...text, default: 'npu' },
    judge: { ...text, default: '' },
  })
  if (!parsed) return
  const { values, positionals: paths } = parsed
  if (paths.length === 0)
    throw new UserError('dataset export: name files of rows; see vitest-npu dataset export --help')
  const missing = paths.find((path) => !existsSync(path))
  if (missing !== undefined) throw new UserError(`${missing}: there is no such file`)
  const name = required('dataset export', 'format', values.format)
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined
  if (!format) {
    const all = Object.keys(formats)
    throw new UserError(`--format ${name}: there is none${didYouMean(name, all)}; there are ${all.join(', ')}`)
  }
  const splits = values.splits === undefined ? undefined : splitsOf(values.splits)
  if (values.splits !== undefined && !splits)
    throw new UserError(`--splits ${values.splits}: is not like train=0.9,test=0.1`)
  const out = resolve(required('dataset export', 'out', values.out))
  const as = values.parquet ? 'parquet' : 'jsonl'
  const seed = wholeNumber('--seed', values.seed, 0)
  const { files, rows, left, repeated } = exported(paths, {
    format,
    name: values.name,
    out,
    as,
    splits,
    seed,
    judge: values.judge,
  })
  for (const { file, records } of files)
    console.log(`${records} records in ${relative(process.cwd(), join(out, file))}`)
  const beside = repeated > 0 ? `; ${repeated} records were there already` : ''
  console.log(`${rows} rows read, ${left} that ${name} has no record of${beside}`)
}

function exported(...args: Parameters<typeof exportRows>): ReturnType<typeof exportRows> {
  try {
    return exportRows(...args)
  } catch (error) {
    if (error instanceof DatasetError) throw new UserError(neutralText(error.message), error.exitCode)
    throw error
  }
}
