import { basename } from 'node:path'
import { strategies, type Strategy } from '../generation/steps.ts'
import { languages, type Language } from '../generation/types.ts'
import { parseCommand } from './command.ts'
import { didYouMean, UserError } from './user-error.ts'

export const generateUsage = `Usage: vitest-npu generate --model <name> --tasks <specs or names>

Asks a model for operators, judges what it writes, and tells it what is wrong, turn by turn. Everything is kept in
<out>/<run>: the newest files of each sample as candidates lie, transcript.jsonl, run.json, ledger.jsonl. A run that was killed, or has
run out of budget, goes on where it was when the same command is given again; see docs/generation.md.

  --model <name>            of a server that speaks the chat completions of OpenAI; recorded:<folder> answers as a transcript
                            says; files:<folder> lays prompts out, and takes the answer.md that somebody puts beside them
  --tasks <list>            names of tasks, and patterns of specs: RmsNorm,'level1/**'; may be repeated
  --draw <n>                of each level that many of these tasks, drawn by --seed
  --name <run>              the folder of the run; what --model ends with
  --out <folder>            where runs lie; runs
  --samples <n>             of each task; 1
  --turns <n>               prompts for each sample at most; 1
  --strategy <s>            ${strategies.join(', ')}: what is repaired after the first turn; repair
  --feedback first | all    findings that a repair is told; all
  --history keep | fresh    whether a model sees its earlier turns; keep
  --improve                 goes on after a right turn, for a shorter time; the best turn counts
  --language ascendc | dsl  an operator project, or a program that is compiled to one (docs/dsl.md); ascendc
  --mode full | kernel-only whether the host part is asked for as well; full
  --case <id>               one static case, for which a kernel may be specialised; it is judged on that one alone
  --card-tokens <n>         of the API card in the prompt; 4000; 0 leaves it out
  --docs <folder>           Markdown of your own: what fits the task goes into the prompt
  --prompts <folder>        templates of your own, each in place of the packaged one of its name
  --watch-task <Task>       one sample, again whenever a template changes
  --record <folder>         keeps prompts and answers there as well, for recorded:<folder>
  --no-judge                keeps answers, and judges nothing

Of a server:
  --base-url <url>          e.g. http://localhost:8000/v1 (env NPU_BASE_URL); the key is in NPU_API_KEY, else in OPENAI_API_KEY
  --temperature, --top-p, --max-tokens, --reasoning-effort
  --seed <n>                of sampling, of judging and of --draw; 0
  --concurrency <n>         prompts at a time; 8
  --rpm <n>                 requests a minute at most
  --retries <n>             after 429, 5xx and broken connections; 6
  --first-token-timeout, --token-timeout, --answer-timeout <seconds>     240, 120, 1800

Budgets, after which nothing more is asked:
  --max-total-tokens <n>, --max-money <n>, --max-minutes <n>
  --price-in <n>, --price-out <n>     of a million tokens

  --help, --version

Exit code: 0 whatever was written; 3 where a prompt found no answer, or an answer could not be judged; 64 for an argument that makes no sense;
130 after Ctrl-C.

  npx vitest-npu generate --model qwen3-coder --base-url http://localhost:8000/v1 --tasks RmsNorm,AddCustom --samples 10 --turns 3
  npx vitest-npu generate --model qwen3-coder --tasks 'level1/**' --draw 8 --seed 7 --name pilot
  npx vitest-npu generate --model files:chat --tasks RmsNorm      # lays the prompt out, and takes the answer.md beside it
`

export interface GenerateOptions {
  model: string
  tasks: readonly string[]
  /** tasks of each group that are drawn of them; undefined for all */
  draw: number | undefined
  name: string
  out: string
  samples: number
  turns: number
  strategy: Strategy
  feedback: 'first' | 'all'
  history: 'keep' | 'fresh'
  improve: boolean
  language: Language
  mode: 'full' | 'kernel-only'
  case: number | undefined
  cardTokens: number
  docs: string | undefined
  prompts: string | undefined
  watchTask: string | undefined
  record: string | undefined
  judges: boolean
  baseUrl: string | undefined
  temperature: number | undefined
  topP: number | undefined
  maxTokens: number | undefined
  reasoningEffort: string | undefined
  seed: number
  concurrency: number
  rpm: number | undefined
  retries: number
  firstTokenSeconds: number
  tokenSeconds: number
  answerSeconds: number
  budget: { tokens: number | undefined; money: number | undefined; minutes: number | undefined }
  prices: { input: number; output: number } | undefined
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

/** What a run is called whose user gives it no name: `Qwen/Qwen3-Coder:free` is `Qwen3-Coder-free`. */
const nameFor = (model: string): string =>
  basename(model.replace(/^(recorded|files):/, '')).replaceAll(/[^\w.-]+/g, '-')

/** Reads the arguments; undefined where they ask for help. Throws a UserError. */
export function generateOptionsOf(args: readonly string[]): GenerateOptions | undefined {
  const parsed = parse(args)
  if (!parsed) return undefined
  const { values, positionals } = parsed
  if (positionals.length > 0)
    throw new UserError(`generate: takes no names: ${positionals.join(' ')}; see vitest-npu generate --help`)
  const watchTask = values['watch-task']
  const tasks = (values.tasks ?? [])
    .flatMap((each) => each.split(','))
    .map((each) => each.trim())
    .filter((each) => each !== '')
  if (watchTask === undefined && tasks.length === 0)
    throw new UserError("generate: give --tasks, names or patterns of specs, e.g. --tasks 'level1/**'")
  if (values.model === undefined || values.model === '')
    throw new UserError('generate: give --model, the name of a model, recorded:<folder> or files:<folder>')
  const name = values.name ?? (watchTask === undefined ? nameFor(values.model) : `watch-${watchTask}`)
  if (!/^[\w][\w.-]{0,99}$/.test(name))
    throw new UserError(`generate: --name ${name}: give the run a name of letters, digits, ".", "_" and "-"`)
  if (values.out.includes(','))
    throw new UserError(`generate: --out ${values.out}: folders of candidates have no comma`)
  const [priceIn, priceOut] = [number(values, 'price-in', amount), number(values, 'price-out', amount)]
  if ((priceIn === undefined) !== (priceOut === undefined))
    throw new UserError('generate: give both --price-in and --price-out')
  const money = number(values, 'max-money', amount)
  if (money !== undefined && priceIn === undefined)
    throw new UserError('generate: --max-money takes --price-in and --price-out as well')
  const seed =
    number(values, 'seed', {
      ...whole,
      wanted: 'a whole number of 31 bits',
      holds: (value) => isWhole(value) && value < 2 ** 31,
    }) ?? 0
  const language = oneOf('--language', values.language, languages)
  if (language === 'dsl' && (values.mode === 'kernel-only' || values.case !== undefined))
    throw new UserError('generate: --language dsl asks for whole programs, for all cases: leave --mode and --case out')
  return {
    model: values.model,
    tasks: watchTask === undefined ? tasks : [watchTask],
    draw: number(values, 'draw', positive),
    name,
    out: values.out,
    samples: number(values, 'samples', positive) ?? 1,
    turns: number(values, 'turns', positive) ?? 1,
    strategy: oneOf('--strategy', values.strategy, strategies),
    feedback: oneOf('--feedback', values.feedback, ['first', 'all']),
    history: oneOf('--history', values.history, ['keep', 'fresh']),
    improve: values.improve ?? false,
    language,
    mode: oneOf('--mode', values.mode, ['full', 'kernel-only']),
    case: number(values, 'case', whole),
    cardTokens: number(values, 'card-tokens', whole) ?? 4000,
    docs: values.docs,
    prompts: values.prompts,
    watchTask,
    record: values.record,
    judges: !values['no-judge'],
    baseUrl: values['base-url'],
    temperature: number(values, 'temperature', amount),
    topP: number(values, 'top-p', { holds: (value) => value > 0 && value <= 1, wanted: 'above 0, 1 at most' }),
    maxTokens: number(values, 'max-tokens', positive),
    reasoningEffort: values['reasoning-effort'],
    seed,
    concurrency: number(values, 'concurrency', positive) ?? 8,
    rpm: number(values, 'rpm', above),
    retries: number(values, 'retries', whole) ?? 6,
    firstTokenSeconds: number(values, 'first-token-timeout', seconds) ?? 240,
    tokenSeconds: number(values, 'token-timeout', seconds) ?? 120,
    answerSeconds: number(values, 'answer-timeout', seconds) ?? 1800,
    budget: {
      tokens: number(values, 'max-total-tokens', positive),
      money,
      minutes: number(values, 'max-minutes', above),
    },
    prices: priceIn === undefined || priceOut === undefined ? undefined : { input: priceIn, output: priceOut },
  }
}

interface Numbers {
  holds: (value: number) => boolean
  wanted: string
}

const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
const whole: Numbers = { holds: isWhole, wanted: 'a whole number, 0 or more' }
const positive: Numbers = { holds: (value) => isWhole(value) && value > 0, wanted: 'a whole number, 1 or more' }
const amount: Numbers = { holds: (value) => value >= 0 && value < Infinity, wanted: 'a number, 0 or more' }
const above: Numbers = { holds: (value) => value > 0 && value < Infinity, wanted: 'a number above 0' }
/** Timers have milliseconds of 31 bits. */
const longestSeconds = 2_000_000
const seconds: Numbers = {
  holds: (value) => value > 0 && value <= longestSeconds,
  wanted: `a number above 0, ${longestSeconds} at most`,
}

function number(
  values: Readonly<Record<string, unknown>>,
  option: string,
  { holds, wanted }: Numbers,
): number | undefined {
  const given = values[option]
  if (typeof given !== 'string') return undefined
  const value = Number(given)
  if (given.trim() === '' || !holds(value)) throw new UserError(`generate: --${option} ${given}: is not ${wanted}`)
  return value
}

function oneOf<const T extends string>(option: string, given: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === given)
  if (found === undefined)
    throw new UserError(`generate: ${option} ${given}: is not ${allowed.join(', ')}${didYouMean(given, allowed)}`)
  return found
}

function parse(args: readonly string[]) {
  return parseCommand('generate', generateUsage, args, {
    model: text,
    tasks: { ...text, multiple: true },
    draw: text,
    name: text,
    out: { ...text, default: 'runs' },
    samples: text,
    turns: text,
    strategy: { ...text, default: 'repair' },
    feedback: { ...text, default: 'all' },
    history: { ...text, default: 'keep' },
    improve: flag,
    language: { ...text, default: 'ascendc' },
    mode: { ...text, default: 'full' },
    case: text,
    'card-tokens': text,
    docs: text,
    prompts: text,
    'watch-task': text,
    record: text,
    'no-judge': flag,
    'base-url': text,
    temperature: text,
    'top-p': text,
    'max-tokens': text,
    'reasoning-effort': text,
    seed: text,
    concurrency: text,
    rpm: text,
    retries: text,
    'first-token-timeout': text,
    'token-timeout': text,
    'answer-timeout': text,
    'max-total-tokens': text,
    'max-money': text,
    'max-minutes': text,
    'price-in': text,
    'price-out': text,
  })
}
