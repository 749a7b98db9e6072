import { UserError } from './user-error.ts'

/** Where answers come from: a server, a recording, or files that somebody writes; and what they may cost. */
export interface ModelOptions {
  model: string
  baseUrl: string | undefined
  temperature: number | undefined
  topP: number | undefined
  maxTokens: number | undefined
  reasoningEffort: string | undefined
  /** of sampling, and of all else that a command draws */
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

/** The arguments that they are read from, for `parseCommand`. */
export const modelArguments = {
  model: text,
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
} as const

/** What the help of a command says of `--model`, among its own options. */
export const modelNameUsage = `  --model <name>            of a server that speaks the chat completions of OpenAI; recorded:<folder> answers as a transcript
                            says; files:<folder> lays prompts out, and takes the answer.md that somebody puts beside them`

/** What the help of a command says of the others; `seed` says what the seed is of. */
export const modelUsage = (seed: string): string => `Of a server:
  --base-url <url>          e.g. http://localhost:8000/v1 (env NPU_BASE_URL); the key is in NPU_API_KEY, else in OPENAI_API_KEY
  --temperature, --top-p, --max-tokens, --reasoning-effort
  --seed <n>                of ${seed}; 0
  --concurrency <n>         prompts at a time; 8
  --rpm <n>                 requests a minute at most
  --retries <n>             after 429, 5xx and broken connections; 6
  --first-token-timeout, --token-timeout, --answer-timeout <seconds>     240, 120, 1800

Budgets, after which nothing more is asked:
  --max-total-tokens <n>, --max-money <n>, --max-minutes <n>
  --price-in <n>, --price-out <n>     of a million tokens
`

type Values = Readonly<Record<string, unknown>>

/** Reads them. Throws a UserError. */
export function modelOptionsOf(command: string, values: Values): ModelOptions {
  const read = (option: string, rule: Numbers): number | undefined => number(command, values, option, rule)
  const string = (option: string): string | undefined =>
    typeof values[option] === 'string' ? values[option] : undefined
  const model = string('model') ?? ''
  if (model === '')
    throw new UserError(`${command}: give --model, the name of a model, recorded:<folder> or files:<folder>`)
  const [priceIn, priceOut] = [read('price-in', amount), read('price-out', amount)]
  if ((priceIn === undefined) !== (priceOut === undefined))
    throw new UserError(`${command}: give both --price-in and --price-out`)
  const money = read('max-money', amount)
  if (money !== undefined && priceIn === undefined)
    throw new UserError(`${command}: --max-money takes --price-in and --price-out as well`)
  const seed =
    read('seed', {
      wanted: 'a whole number of 31 bits',
      holds: (value) => isWhole(value) && value < 2 ** 31,
    }) ?? 0
  return {
    model,
    baseUrl: string('base-url'),
    temperature: read('temperature', amount),
    topP: read('top-p', { holds: (value) => value > 0 && value <= 1, wanted: 'above 0, 1 at most' }),
    maxTokens: read('max-tokens', positive),
    reasoningEffort: string('reasoning-effort'),
    seed,
    concurrency: read('concurrency', positive) ?? 8,
    rpm: read('rpm', above),
    retries: read('retries', whole) ?? 6,
    firstTokenSeconds: read('first-token-timeout', seconds) ?? 240,
    tokenSeconds: read('token-timeout', seconds) ?? 120,
    answerSeconds: read('answer-timeout', seconds) ?? 1800,
    budget: { tokens: read('max-total-tokens', positive), money, minutes: read('max-minutes', above) },
    prices: priceIn === undefined || priceOut === undefined ? undefined : { input: priceIn, output: priceOut },
  }
}

/** What a number has to be. */
export interface Numbers {
  holds: (value: number) => boolean
  wanted: string
}

const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
export const whole: Numbers = { holds: isWhole, wanted: 'a whole number, 0 or more' }
export const positive: Numbers = { holds: (value) => isWhole(value) && value > 0, wanted: 'a whole number, 1 or more' }
const amount: Numbers = { holds: (value) => value >= 0 && value < Infinity, wanted: 'a number, 0 or more' }
const above: Numbers = { holds: (value) => value > 0 && value < Infinity, wanted: 'a number above 0' }
/** Timers have milliseconds of 31 bits. */
const longestSeconds = 2_000_000
const seconds: Numbers = {
  holds: (value) => value > 0 && value <= longestSeconds,
  wanted: `a number above 0, ${longestSeconds} at most`,
}

/** The number that an option says; undefined where it is not given. Throws a UserError. */
export function number(
  command: string,
  values: Values,
  option: string,
  { holds, wanted }: Numbers,
): number | undefined {
  const given = values[option]
  if (typeof given !== 'string') return undefined
  const value = Number(given)
  if (given.trim() === '' || !holds(value)) throw new UserError(`${command}: --${option} ${given}: is not ${wanted}`)
  return value
}
