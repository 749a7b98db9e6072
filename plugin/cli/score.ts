import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { craftFigures, type CraftFigures } from '../ledger/ascend-craft.ts'
import {
  publishedErrorShares,
  rowKinds,
  scorecardOf,
  type Figure,
  type NamedLedger,
  type RowKind,
  type Scorecard,
  type ScoreRow,
} from '../ledger/index.ts'
import {
  cutShortNote,
  footnote,
  markdownText,
  percent,
  renderCsv,
  renderMarkdown,
  renderText,
  textOfLines,
  type Table,
} from '../ledger/table.ts'
import { neutralJson, neutralText, profiles as profileNames } from '../model/index.ts'
import { numbersOf, parseCommand, runsOption, wholeNumber } from './command.ts'
import { holdsNoLedger, joined, readLatest, readNamed } from './runs.ts'
import { samplesTable } from './score-samples.ts'
import { didYouMean, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu score [samples | ledger | run]...

Judges the samples of a folder and prints their scorecard; or prints that of the latest run, or of ledgers and runs that are named, as one: pass@k of building and of being
correct, averaged over tasks, speedup, and what stopped the samples. A run is named by its id, the beginning of one, or
latest; see docs/scorecard.md for what each figure means. Samples are judged in a run of Vitest with the configuration of this
folder, only on the tasks that they are of; its progress is on stderr, and the ledger is kept like that of any run.

Exit code: 0 whatever was found; 3 where a sample could not be judged; 64 for an argument that makes no sense, a folder without
samples and a ledger that cannot be read; 130 after Ctrl-C: the ledger then has what was judged.

  --k <list>        sample budgets of pass@k: 1, 10 and 100, as far as some task has as many samples
  --p <list>        speedups of fast_p: 1
  --by <rows>       ${rowKinds.join(', ')}: what a row stands for; level
  --json            all figures, with 95% intervals (bootstrap over tasks)
  --csv             the same, a line for each
  --samples         with --csv: a line for each sample in place of figures
  --markdown        the tables in Markdown
  --seed <s>        of the bootstrap; 0
  --runs <folder>   where runs are kept; .npu/runs
  --help, --version

  npx vitest-npu score samples/                     judges them: samples/<Task>/<sample>, samples/<model>/<Task>/<sample>
  npx vitest-npu score                              the latest run, a row for each level
  npx vitest-npu score --k 1,10,100 --by category
  npx vitest-npu score shard1.jsonl shard2.jsonl --json > scorecard.json
  npx vitest-npu score sft.jsonl rl.jsonl --by model --markdown
`

const isBudget = (value: number): boolean => Number.isSafeInteger(value) && value >= 1

/** `score`: rates, speedups and errors of runs, or of samples that are judged first. */
export async function scoreCommand(args: readonly string[]): Promise<void> {
  const parsed = parseCommand('score', usage, args, {
    ...runsOption,
    k: { type: 'string' },
    p: { type: 'string', default: '1' },
    by: { type: 'string', default: 'level' },
    seed: { type: 'string', default: '0' },
    json: { type: 'boolean' },
    csv: { type: 'boolean' },
    samples: { type: 'boolean' },
    markdown: { type: 'boolean' },
  })
  if (!parsed) return
  const { values, positionals } = parsed
  const formats = (['json', 'csv', 'markdown'] as const).filter((format) => values[format])
  if (formats.length > 1) throw new UserError(`score: --${formats.join(' and --')} exclude each other`)
  if (values.samples && !values.csv) throw new UserError('score: --samples is for --csv: give both')
  const by = rowKindOf(values.by)
  const k = values.k === undefined ? undefined : numbersOf('--k', values.k, isBudget, 'a whole number, 1 or more')
  const p = numbersOf('--p', values.p, (value) => value > 0 && Number.isFinite(value), 'a number above 0')
  const seed = wholeNumber('--seed', values.seed, 0)
  const ledgers = positionals.length === 0 ? [readLatest(values.runs)] : await ledgersOf(positionals, values.runs)
  const entries = joined(ledgers)
  if (values.samples) return console.log(renderCsv(samplesTable(entries)))
  const card = scorecardOf(entries, { by, p, seed, ...(k && { k }) })
  if (values.json) return console.log(neutralJson({ ledgers: ledgers.map(({ name }) => name), ...card }))
  if (values.csv) return console.log(renderCsv(figuresOf(card)))
  const craft = craftFigures(entries)
  const tables = [
    scoreTable(card),
    ...errorTable(card),
    ...compileErrorTable(card),
    scalesTable(card),
    ...craftTable(craft),
  ]
  const notes = [...notesOf(card), ...craftNote(craft), ...cutShortNote(entries), footnote(entries)]
  const shown = values.markdown
    ? `${renderMarkdown(tables)}\n${notes.map(markdownText).join('\n\n')}`
    : `${renderText(tables)}\n\n${textOfLines(notes.map((note) => `  ${note}`))}`
  console.log(neutralText(shown))
}

/** What the operands name; samples are judged for it, one folder at a time. */
async function ledgersOf(operands: readonly string[], runs: string): Promise<NamedLedger[]> {
  const names = [...new Set(operands)]
  const folders = names.filter(holdsNoLedger)
  if (folders.length > 1)
    throw new UserError(`score: ${folders.join(' and ')}: judge one folder of samples at a time, then score their runs`)
  const [folder] = folders
  if (folder === undefined) return names.map((name) => readNamed(name, runs))
  const { judgeSamples } = await import('./judge-samples.ts')
  const ledger = await judgeSamples(folder)
  if (!existsSync(ledger)) throw new UserError(`${folder}: nothing was judged`)
  console.error(`verdicts: ${relative(process.cwd(), ledger)}`)
  return names.map((name) => readNamed(name === folder ? ledger : name, runs))
}

function rowKindOf(text: string): RowKind {
  const kind = rowKinds.find((each) => each === text)
  if (kind === undefined)
    throw new UserError(`--by ${text}: is not ${rowKinds.join(', ')}${didYouMean(text, rowKinds)}`)
  return kind
}

const ratio = (value: number | null): string => (value === null ? '-' : `${value.toFixed(2)}x`)

function scoreTable({ by, rows, all }: Scorecard): Table {
  const lines = rows.length > 1 ? [...rows, all] : rows
  const cells = ({ name, tasks, samples, compile, runs, correct, fast, speedup }: ScoreRow): [string, string][] => [
    [by, name],
    ['tasks', String(tasks)],
    ['samples', String(samples)],
    ...compile.map(({ k, value }): [string, string] => [`compile@${k}`, percent(value)]),
    ...runs.map(({ k, value }): [string, string] => [`runs@${k}`, percent(value)]),
    ...correct.map(({ k, value }): [string, string] => [`correct@${k}`, percent(value)]),
    ...fast
      .filter(({ comparison }) => comparison === '>=')
      .map(({ p, k, value }): [string, string] => [`fast_${p}@${k}`, percent(value)]),
    ['speedup', ratio(speedup.geometric.value)],
    ['mean speedup', ratio(speedup.arithmetic.value)],
  ]
  const header = cells(all).map(([column]) => column)
  return { title: 'scorecard', header, rows: lines.map((row) => cells(row).map(([, cell]) => cell)) }
}

/** What stopped the samples; nothing where all are correct. */
function errorTable({ all: { errors } }: Scorecard): Table[] {
  if (errors.length === 0) return []
  const rows = errors.map((error) => [
    error.class === null ? error.kind : `${error.kind}: ${error.class}`,
    String(error.samples),
    percent(error.share),
  ])
  return [{ title: 'errors', header: ['error', 'samples', 'share'], rows }]
}

/** The compile errors by class, beside what was published of the kernels of other models. */
function compileErrorTable({ all: { errors } }: Scorecard): Table[] {
  const failed = errors.filter(({ kind }) => kind === 'compile-failed')
  const count = failed.reduce((sum, { samples }) => sum + samples, 0)
  if (count === 0) return []
  const rest = Object.keys(publishedErrorShares).filter((name) => failed.every((error) => error.class !== name))
  const found = [...failed, ...rest.map((name) => ({ class: name, samples: 0 }))]
  const rows = found.map(({ class: name, samples }) => [
    name ?? '',
    String(samples),
    percent(samples / count),
    percent(publishedErrorShares[name ?? ''] ?? null),
  ])
  return [{ title: 'compile errors', header: ['class', 'samples', 'share', 'published'], rows }]
}

/** Of a revision, whatever it is called: objects have members of their own. */
const ofRevision = (revisions: ScoreRow['revisions'], name: string): ScoreRow['revisions'][string] =>
  Object.hasOwn(revisions, name) ? revisions[name]! : []

/** What the tolerance profiles say, and the scores of other benchmarks. */
function scalesTable({ by, rows, all }: Scorecard): Table {
  const lines = rows.length > 1 ? [...rows, all] : rows
  const revisions = Object.keys(all.revisions)
  const cells = ({ name, profiles, benchmarkScore, gapClosed, ...row }: ScoreRow): [string, string][] => [
    [by, name],
    ...profileNames.flatMap((profile) =>
      profiles[profile].map(({ k, value }): [string, string] => [`${profile}@${k}`, percent(value)]),
    ),
    ...revisions.flatMap((revision) =>
      all.revisions[revision]!.map(({ k }): [string, string] => [
        `${revision}@${k}`,
        percent(ofRevision(row.revisions, revision).find((each) => each.k === k)?.value ?? null),
      ]),
    ),
    ['NPUKernelBench score', benchmarkScore.value === null ? '-' : benchmarkScore.value.toFixed(1)],
    ['gap closed', percent(gapClosed.value)],
  ]
  const header = cells(all).map(([column]) => column)
  return { title: 'profiles and scores', header, rows: lines.map((row) => cells(row).map(([, cell]) => cell)) }
}

/** What a run has come to on the tasks of AscendCraft, beside what that has published. */
const craftTable = (craft: CraftFigures | undefined): Table[] =>
  craft
    ? [
        {
          title: 'beside AscendCraft',
          header: ['', ...craft.columns],
          rows: craft.rows.map(({ name, values }) => [name, ...values.map(percent)]),
        },
      ]
    : []

const craftNote = (craft: CraftFigures | undefined): string[] =>
  craft
    ? [
        `MultiKernelBench: ${craft.tasks} of the 52 tasks; speedup against our programs where AscendCraft's is against eager PyTorch`,
      ]
    : []

const within = ({ interval }: Figure, show: (value: number) => string): string =>
  interval ? `${show(interval.low)} to ${show(interval.high)}` : 'unknown'

/** What the figures are over, and how sure they are. */
function notesOf({ all, weightedScores }: Scorecard): string[] {
  const [first] = all.correct
  const silent = all.tasks - all.decided
  const short = all.correct.filter(({ tasks }) => tasks < all.decided)
  return [
    ...(first?.interval
      ? [`correct@${first.k} of all: 95% interval ${within(first, percent)}, bootstrap over tasks`]
      : []),
    ...(all.speedup.geometric.interval
      ? [`speedup of all: 95% interval ${within(all.speedup.geometric, ratio)}, over ${all.speedup.samples} samples`]
      : []),
    ...weightedScores.flatMap(({ model, score, tasks }) => {
      if (score === null) return []
      const over = Object.entries(tasks).map(([level, count], i) => `${count}${i > 0 ? '' : ' tasks'} of ${level}`)
      const whose = model === null ? '' : ` of ${model}`
      return [`NPUKernelBench's weighted score${whose}: ${score.toFixed(1)} of 100, over ${over.join(', ')}`]
    }),
    ...(silent > 0
      ? [
          `${silent} of ${all.tasks} tasks have no sample that was judged to an end: they count in no rate but compile@k`,
        ]
      : []),
    ...short.map(({ k, tasks }) =>
      tasks === 0
        ? `correct@${k} is unknown: no task has ${k} samples that were judged to an end`
        : `correct@${k} is over the ${tasks} tasks that have ${k} samples`,
    ),
  ]
}

const text = (value: number | string | null | undefined): string => String(value ?? '')

/** Every figure on a line of its own. */
function figuresOf({ by, rows, all }: Scorecard): Pick<Table, 'header' | 'rows'> {
  const lines = [...rows.map((row) => ({ by, row })), { by: 'all', row: all }].flatMap(({ by: kind, row }) => {
    const line = (figure: string, found: Figure & { k?: number; p?: number; comparison?: string }): string[] => [
      kind,
      row.name,
      figure,
      text(found.k),
      text(found.p),
      text(found.comparison),
      text(found.value),
      text(found.interval?.low),
      text(found.interval?.high),
      text(found.tasks),
    ]
    const count = (figure: string, value: number): string[] => line(figure, { value, interval: null, tasks: row.tasks })
    return [
      count('tasks', row.tasks),
      count('decided tasks', row.decided),
      count('samples', row.samples),
      ...row.compile.map((figure) => line('compile', figure)),
      ...row.runs.map((figure) => line('runs', figure)),
      ...row.correct.map((figure) => line('correct', figure)),
      ...profileNames.flatMap((profile) => row.profiles[profile].map((figure) => line(`correct ${profile}`, figure))),
      ...Object.entries(row.revisions).flatMap(([name, figures]) =>
        figures.map((figure) => line(`correct ${name}`, figure)),
      ),
      line('NPUKernelBench score', row.benchmarkScore),
      line('gap closed', row.gapClosed),
      ...row.fast.map((figure) => line('fast', figure)),
      line('speedup geometric', row.speedup.geometric),
      line('speedup arithmetic', row.speedup.arithmetic),
      count('speedup samples', row.speedup.samples),
      ...row.errors.map((error) => count(['error', error.kind, error.class ?? []].flat().join(' '), error.samples)),
    ]
  })
  return { header: ['by', 'row', 'figure', 'k', 'p', 'comparison', 'value', 'low', 'high', 'tasks'], rows: lines }
}
