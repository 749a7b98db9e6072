import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelMessage } from 'ai'
import { z } from 'zod'
import { messageOf, neutralText } from '../model/index.ts'
import { GenerationError } from './error.ts'
import { bounded, estimatedTokens, maxAnswer, UnansweredError, type Model, type Question, type Reply } from './model.ts'
import { backOffMs, Pace, retryAfterMs } from './pace.ts'
import { withoutReasoning } from './reasoning.ts'
import { Redactor, shortestSecret } from './redact.ts'
import { fetchEvents, NotAServerError } from './server-fetch.ts'

/** What answers follow from, beside the prompt. What is left out is the server's choice. */
export interface Sampling {
  temperature?: number | undefined
  topP?: number | undefined
  maxTokens?: number | undefined
  /** that of sample 0; other samples have the numbers after it, as all would be the same otherwise */
  seed?: number | undefined
  reasoningEffort?: string | undefined
}

/** How patient one is with a server. */
export interface Patience {
  /** from the request to the first token */
  firstTokenMs: number
  /** from one token to the next */
  nextTokenMs: number
  /** a whole answer: what has come until then is all */
  answerMs: number
  /** further tries where a server is busy, breaks off or says what cannot be read */
  retries: number
  /** before the first of them; doubled each time */
  backOffMs?: number | undefined
}

/** A server that speaks the chat completions of OpenAI. */
export interface Server {
  baseUrl: string
  model: string
  /** kept in memory alone */
  key?: string | undefined
  concurrency: number
  requestsPerMinute?: number | undefined
  sampling: Sampling
  patience: Patience
  /** is told of tries that failed, in one line */
  onRetry?: (line: string) => void
}

/** Prompts that find no answer one after the other until the server counts as down. */
const hopeless = 3

const contextTooLong =
  /context[ _-](?:length|window|size)|maximum[^.]{0,40}(?:tokens|length)|too many tokens|(?:prompt|input)[^.]{0,40}too long/i
const namesMaxTokens = /max_(?:completion_)?tokens/

/** What errors of requests have in common, whoever throws them. */
const failed = z.object({
  statusCode: z.number(),
  responseHeaders: z.record(z.string(), z.string()).optional().catch(undefined),
  responseBody: z.string().optional().catch(undefined),
})

type Failed = z.infer<typeof failed>

/** What servers say within a stream that has begun. */
const streamed = z.object({ message: z.string(), code: z.union([z.number(), z.string()]).nullish().catch(undefined) })

/** Why a wait was ended. */
type Limit = 'first-token' | 'next-token' | 'answer' | 'length'

/** A try that failed, and may not fail again. */
class RetryError extends Error {
  override name = 'RetryError'
  readonly waitMs: number | undefined

  constructor(message: string, waitMs?: number) {
    super(message)
    this.waitMs = waitMs
  }
}

/** Answers of a server, streamed, with retries. */
export class ServerModel implements Model {
  readonly concurrency: number
  readonly #server: Server
  readonly #pace: Pace
  readonly #redactor: Redactor
  readonly #answers: Redactor
  #unanswered = 0

  constructor(server: Server) {
    this.#server = server
    this.concurrency = server.concurrency
    this.#pace = new Pace(server.requestsPerMinute)
    this.#redactor = new Redactor([server.key])
    // a placeholder may be a word of what is written
    this.#answers = new Redactor((server.key ?? '').length < shortestSecret ? [] : [server.key])
  }

  async ask(question: Question, signal: AbortSignal): Promise<Reply> {
    const { retries, backOffMs: first } = this.#server.patience
    for (let attempt = 1; ; attempt++) {
      await this.#pace.turn(signal)
      try {
        const reply = await this.#once(question, signal)
        this.#unanswered = 0
        return reply
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof RetryError)) throw error
        if (attempt > retries) throw this.#hopeless(question, error, attempt)
        const waitMs = error.waitMs ?? backOffMs(attempt, Math.random(), first)
        // who is asked to slow down slows down with all of its requests
        if (error.waitMs !== undefined) this.#pace.pause(waitMs)
        this.#server.onRetry?.(`${this.#of(error.message)}; again in ${(waitMs / 1000).toFixed(1)} s`)
        await sleep(waitMs, undefined, { signal })
      }
    }
  }

  /** Gives one prompt up, or the server after several. */
  #hopeless({ sample: { task, sample }, turn }: Question, error: RetryError, tries: number): Error {
    const why = `${this.#of(error.message)}, ${tries} ${tries === 1 ? 'time' : 'times'}`
    if (++this.#unanswered >= hopeless) return new GenerationError(why)
    return new UnansweredError(`${task}, sample ${sample}, turn ${turn}: ${why}`)
  }

  /** What is said of the server, in one line. Cut only where no key is left: a part of one would not be found. */
  #of(what: string, characters = 400): string {
    const beginning = this.#redactor.clean(what).slice(0, 10 * characters)
    const oneLine = neutralText(beginning).replace(/\s+/g, ' ').slice(0, characters)
    return `the server ${this.#server.baseUrl} ${oneLine}`
  }

  async #once({ prompt, sample, turn }: Question, signal: AbortSignal): Promise<Reply> {
    const { sampling, patience } = this.#server
    const { streamText } = await import('ai')
    const stop = new AbortController()
    let limit: Limit | undefined
    const end = (why: Limit): void => {
      limit ??= why
      stop.abort()
    }
    const whole = setTimeout(end, patience.answerMs, 'answer')
    let token = setTimeout(end, patience.firstTokenMs, 'first-token')
    const began = performance.now()
    const asked = prompt.messages.map(({ content }) => content).join('')
    const system = prompt.messages.filter(({ role }) => role === 'system').map(({ content }) => content)
    const found = {
      text: '',
      reasoning: '',
      finish: '',
      /** characters of calls of tools, which nobody has offered */
      called: 0,
      input: undefined as number | undefined,
      output: undefined as number | undefined,
      thought: undefined as number | undefined,
    }
    try {
      const result = streamText({
        model: await this.#model(),
        ...(system.length > 0 && { system: system.join('\n\n') }),
        messages: prompt.messages.flatMap(({ role, content }): ModelMessage[] =>
          role === 'system' ? [] : [{ role, content }],
        ),
        ...(sampling.temperature !== undefined && { temperature: sampling.temperature }),
        ...(sampling.topP !== undefined && { topP: sampling.topP }),
        ...(sampling.maxTokens !== undefined && { maxOutputTokens: sampling.maxTokens }),
        ...(sampling.seed !== undefined && { seed: sampling.seed + sample.sample }),
        ...(sampling.reasoningEffort !== undefined && {
          providerOptions: { server: { reasoningEffort: sampling.reasoningEffort } },
        }),
        maxRetries: 0,
        abortSignal: AbortSignal.any([signal, stop.signal]),
        // errors come with the parts as well
        onError: () => {},
      })
      for await (const part of result.fullStream) {
        if (part.type === 'error') throw part.error
        if (part.type === 'text-delta') found.text += part.text
        else if (part.type === 'reasoning-delta') found.reasoning += part.text
        else if (part.type === 'tool-input-delta') found.called += part.delta.length
        else if (part.type === 'finish') {
          found.finish = part.finishReason
          found.input = part.totalUsage.inputTokens
          found.output = part.totalUsage.outputTokens
          found.thought = part.totalUsage.outputTokenDetails.reasoningTokens
        } else continue
        clearTimeout(token)
        token = setTimeout(end, patience.nextTokenMs, 'next-token')
        if (found.text.length + found.reasoning.length + found.called > maxAnswer) {
          end('length')
          break
        }
      }
    } catch (error) {
      signal.throwIfAborted()
      // what has come until a limit of ours counts; whatever else breaks off does not
      if (limit !== 'answer' && limit !== 'length') {
        const said = saidBy(error)
        if (said && this.#asksTooMuch(said, turn)) throw this.#tooMuch(said)
        if (said && isTooLong(said)) return unasked(asked, performance.now() - began)
        throw this.#failure(error, limit)
      }
    } finally {
      clearTimeout(whole)
      clearTimeout(token)
      // nothing more is read of an answer that is given up
      stop.abort()
    }
    signal.throwIfAborted()
    if (limit === 'first-token' || limit === 'next-token') throw this.#failure(undefined, limit)
    if (limit === undefined && (found.finish === '' || found.finish === 'error'))
      throw new RetryError('breaks off its answer')
    return this.#replyOf(found, limit, asked, performance.now() - began)
  }

  #replyOf(
    found: {
      text: string
      reasoning: string
      finish: string
      input: number | undefined
      output: number | undefined
      thought: number | undefined
    },
    limit: Limit | undefined,
    asked: string,
    ms: number,
  ): Reply {
    const answer = withoutReasoning(this.#answers.clean(found.text))
    const reasoning = bounded(
      [this.#answers.clean(found.reasoning), answer.reasoning].filter((text) => text !== '').join('\n'),
    )
    const [input, output, thought] = [found.input, found.output, found.thought].map(countOf)
    const unusable =
      limit === 'answer'
        ? `the answer has no end after ${this.#server.patience.answerMs / 1000} s`
        : limit === 'length'
          ? `the answer is longer than ${maxAnswer >> 20} MiB`
          : undefined
    return {
      ...bounded(answer.text),
      ...(unusable !== undefined && { unusable }),
      reasoning: reasoning.text,
      finish: limit === undefined ? found.finish : 'cut-off',
      usage: {
        input: input ?? estimatedTokens(asked),
        output: output ?? estimatedTokens(found.text + found.reasoning),
        ...(thought !== undefined && { reasoning: thought }),
        ...((input === undefined || output === undefined) && { estimated: true }),
      },
      ms: Math.round(ms),
    }
  }

  /**
   * Whether it is not the prompt that is too long, but the answer that may follow it. The first prompts of samples are much the same:
   * none would be answered. Later the conversation has grown, and its sample alone has ended.
   */
  #asksTooMuch(said: Failed, turn: number): boolean {
    const { statusCode, responseBody: says = '' } = said
    if (this.#server.sampling.maxTokens === undefined || turn > 1 || statusCode !== 400) return false
    return namesMaxTokens.test(says) || (isTooLong(said) && /completion/i.test(says))
  }

  #tooMuch(said: Failed): GenerationError {
    const { maxTokens } = this.#server.sampling
    return new GenerationError(
      `${this.#of(sayingOf(said))}; --max-tokens ${maxTokens} is more than it gives beside a prompt: ask for fewer`,
    )
  }

  #failure(error: unknown, limit: Limit | undefined): Error {
    const { firstTokenMs, nextTokenMs } = this.#server.patience
    if (limit === 'first-token') return new RetryError(`says nothing within ${firstTokenMs / 1000} s`)
    if (limit === 'next-token') return new RetryError(`stops in the middle of an answer for ${nextTokenMs / 1000} s`)
    const said = saidBy(error)
    if (said && said.statusCode >= 300) return this.#refusal(said)
    const reason = reasonOf(error)
    if (reason instanceof NotAServerError)
      return new GenerationError(
        this.#of(`${reason.message}: --base-url has to lead to the API, e.g. http://localhost:8000/v1`),
      )
    const cannotRead = error instanceof Error && /JSONParse|TypeValidation/.test(error.name)
    return new RetryError(
      cannotRead ? 'sends what is no chunk of an answer' : `cannot be reached or breaks off (${textOf(reason)})`,
    )
  }

  #refusal(said: Failed): Error {
    const { statusCode, responseHeaders = {} } = said
    const says = sayingOf(said)
    if (statusCode === 408 || statusCode === 409 || statusCode === 425 || statusCode === 429 || statusCode >= 500)
      return new RetryError(says, retryAfterMs(responseHeaders))
    if (statusCode === 401 || statusCode === 403) {
      const fix = this.#server.key === undefined ? 'set NPU_API_KEY' : 'NPU_API_KEY has another key than it wants'
      return new GenerationError(`${this.#of(says, 200)}; ${fix}`)
    }
    return new GenerationError(this.#of(says))
  }

  #provider: ReturnType<typeof providerOf> | undefined

  async #model() {
    this.#provider ??= providerOf(this.#server)
    return (await this.#provider)(this.#server.model)
  }
}

async function providerOf({ baseUrl, key }: Server) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  // it would print what a server does not take
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  return createOpenAICompatible({
    name: 'server',
    baseURL: baseUrl,
    ...(key !== undefined && { apiKey: key }),
    includeUsage: true,
    fetch: fetchEvents,
  })
}

/** What lies behind an error: libraries wrap what has happened. */
function reasonOf(error: unknown): unknown {
  let reason = error
  while (reason instanceof Error && reason.cause !== undefined && !(reason instanceof NotAServerError))
    reason = reason.cause
  return reason
}

/** What a server has said of a request that failed: as its status, or within the stream. */
function saidBy(error: unknown): Failed | undefined {
  const { data } = failed.safeParse(error)
  if (data || error instanceof Error) return data
  const told = streamed.safeParse(error).data
  if (!told) return undefined
  const code = Number(told.code)
  const responseBody = typeof told.code === 'string' ? `${told.message} (${told.code})` : told.message
  if (code >= 400 && code < 600) return { statusCode: code, responseBody }
  return contextTooLong.test(responseBody) ? { statusCode: 400, responseBody } : undefined
}

const sayingOf = ({ statusCode, responseBody = '' }: Failed): string =>
  `says ${statusCode}${responseBody.trim() === '' ? '' : `: ${responseBody}`}`

const isTooLong = ({ statusCode, responseBody = '' }: Failed): boolean =>
  statusCode === 413 || (statusCode === 400 && contextTooLong.test(responseBody))

/** A prompt that the model cannot take is answered for good: it would be refused the next time as well. */
const unasked = (asked: string, ms: number): Reply => ({
  text: '',
  reasoning: '',
  finish: 'context-too-long',
  usage: { input: 0, output: 0, estimated: true },
  unusable: `the prompt, about ${estimatedTokens(asked)} tokens, is longer than the model takes`,
  ms: Math.round(ms),
})

/** A number of tokens as a server tells it, where it is one. */
const countOf = (told: number | undefined): number | undefined =>
  told !== undefined && Number.isSafeInteger(told) && told >= 0 ? told : undefined

/** What an error says, also one that is a plain object. */
function textOf(reason: unknown): string {
  if (reason instanceof Error || typeof reason !== 'object') return messageOf(reason)
  return streamed.safeParse(reason).data?.message ?? JSON.stringify(reason)
}
