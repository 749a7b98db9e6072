import { existsSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import { writeCard } from '../dataset/card.ts'
import { DatasetError } from '../dataset/error.ts'
import { fileSha256 } from '../dataset/hash.ts'
import { mixRows, type MixSource } from '../dataset/hygiene/mix.ts'
import { perplexityOf } from '../dataset/hygiene/perplexity.ts'
import { WorkFolder } from '../dataset/work-folder.ts'
import { packageVersion } from '../files/index.ts'
import { tokenCounter } from '../generation/api-card.ts'
import { GenerationError } from '../generation/error.ts'
import { neutralText } from '../model/index.ts'
import { parseCommand, required, tasksOption, wholeNumber } from './command.ts'
import { benchmarksOf } from './dataset-benchmarks.ts'
import { shareOf } from './dataset-preferences.ts'
import { everySoOften } from './dataset-progress.ts'
import { UserError } from './user-error.ts'

export const mixUsage = `Usage: vitest-npu dataset mix <rows.jsonl>[=ratio]... --out <folder>

Joins files of rows. What is refused is in rejected.jsonl with its reason; card.md counts it. A run that was killed goes on when it is called
again. Rows of two files with ratios are taken as 3 to 1 where they say =3 and =1, as many as the scarcest of them allows; the same rows for
the same seed. A file without a ratio is taken whole.

  --out <folder>            where rows go: rows.jsonl, rejected.jsonl, card.md
  --benchmarks <suites>     whose tasks, prompts and baselines must not be in a row: all suites that are known; none
  --threshold <share>       of runs of five words in common, from which on two rows are the same; 0.85
  --languages <list>        of the prose, e.g. eng,cmn; all
  --min-tokens <n>, --max-tokens <n>
                            of prompt and answer together, by the tokenizer o200k_base
  --max-perplexity <n>      of the answer, as a server of completions tells that repeats texts with their probabilities
  --perplexity-url <url>    of that server, e.g. http://127.0.0.1:8000/v1; its key is NPU_PERPLEXITY_KEY
  --perplexity-model <name>
  --seed <s>                of what ratios take; 0
  --tasks <folder>          the specs, instead of those of the configuration
  --help, --version

  npx vitest-npu dataset mix ours/rows.jsonl=3 math/rows.jsonl=1 --languages eng,cmn --max-tokens 16384 --out mix
`

/** `dataset mix`: one set of rows out of several. */
export async function mixCommand(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const parsed = parseCommand('dataset mix', mixUsage, args, {
    ...tasksOption,
    out: text,
    benchmarks: text,
    threshold: { ...text, default: '0.85' },
    languages: text,
    'min-tokens': text,
    'max-tokens': text,
    'max-perplexity': text,
    'perplexity-url': text,
    'perplexity-model': text,
    seed: { ...text, default: '0' },
  })
  if (!parsed) return
  const { values, positionals } = parsed
  const out = required('dataset mix', 'out', values.out)
  const sources = sourcesOf(positionals)
  const whole = (option: 'min-tokens' | 'max-tokens'): number | undefined =>
    values[option] === undefined ? undefined : wholeNumber(`--${option}`, values[option], 1)
  const filters = {
    minTokens: whole('min-tokens'),
    maxTokens: whole('max-tokens'),
    languages: values.languages?.split(',').map((each) => each.trim()),
    maxPerplexity: maxPerplexityOf(values['max-perplexity'], values['perplexity-url']),
  }
  const threshold = shareOf('--threshold', values.threshold)
  const seed = wholeNumber('--seed', values.seed, 0)
  const abort = new AbortController()
  process.once('SIGINT', () => abort.abort())
  const decontamination = await benchmarksOf(values.benchmarks, values.tasks)
  const settings = {
    version: packageVersion(),
    builder: 'mix',
    sources: await Promise.all(sources.map(async ({ path, ratio }) => ({ sha256: await fileSha256(path), ratio }))),
    filters,
    threshold,
    seed,
    protected: decontamination?.tasks ?? 0,
  }
  const server = {
    url: values['perplexity-url'] ?? '',
    model: values['perplexity-model'] ?? '',
    key: process.env['NPU_PERPLEXITY_KEY'],
    signal: abort.signal,
  }
  let folder: WorkFolder | undefined
  try {
    folder = new WorkFolder(resolve(out), settings)
    const tokens = await tokenCounter()
    const perplexity = async (prompt: string, answer: string): Promise<number> =>
      await perplexityOf(server, prompt, answer)
    const measures = { tokens, decontamination, perplexity }
    const onRow = everySoOften((rows) => console.error(`dataset mix: ${rows} rows looked at`))
    await mixRows({ folder, sources, filters, measures, threshold, seed, signal: abort.signal, onRow })
    const card = await writeCard(folder.path)
    console.log(`${card.rows} rows in ${relative(process.cwd(), folder.path) || '.'}`)
    for (const [reason, count] of Object.entries(card.rejected)) console.log(`${count} refused: ${neutralText(reason)}`)
  } catch (error) {
    if (abort.signal.aborted) {
      console.error('stopped: the same command goes on')
      process.exitCode = 130
    } else if (error instanceof GenerationError || error instanceof DatasetError)
      throw new UserError(neutralText(error.message), error.exitCode)
    else throw error
  } finally {
    folder?.close()
  }
}

function sourcesOf(operands: readonly string[]): MixSource[] {
  if (operands.length === 0) throw new UserError('dataset mix: name files of rows; see vitest-npu dataset mix --help')
  return operands.map((operand) => {
    const [, path = operand, ratio] = /^(.*)=((?:\d*\.)?\d+)$/.exec(operand) ?? []
    if (!existsSync(path)) throw new UserError(`${path}: there is no such file`)
    return { path, name: basename(path), ratio: ratio === undefined ? undefined : Number(ratio) }
  })
}

function maxPerplexityOf(given: string | undefined, url: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const value = Number(given)
  if (given.trim() === '' || !(value > 1)) throw new UserError(`--max-perplexity ${given}: is not a number above 1`)
  if (url === undefined) throw new UserError('--max-perplexity: give --perplexity-url as well: somebody has to tell')
  return value
}
