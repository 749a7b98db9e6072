import { z } from 'zod'
import { DatasetError } from '../error.ts'

/** What a server of completions says of a prompt that it repeats. */
const response = z.object({
  choices: z
    .array(
      z.object({
        logprobs: z.object({
          token_logprobs: z.array(z.number().nullable()),
          text_offset: z.array(z.int()),
        }),
      }),
    )
    .min(1),
})

/** Who tells how likely a text is. */
export interface PerplexityServer {
  /** up to `/v1`, e.g. `http://127.0.0.1:8000/v1` */
  url: string
  model: string
  key?: string | undefined
  signal: AbortSignal
}

/** Time that one answer may take, in milliseconds. */
const timeoutMs = 120_000

/**
 * The perplexity of an answer behind its prompt: e to the mean of what each of its tokens is unlikely by. The server repeats the text with
 * the logarithm of each token's probability, as vLLM does for completions with `echo`.
 */
export async function perplexityOf(server: PerplexityServer, prompt: string, answer: string): Promise<number> {
  const { url, model, key, signal } = server
  const text = `${prompt}\n\n${answer}`
  const place = `${url.replace(/\/$/, '')}/completions`
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, prompt: text, echo: true, logprobs: 0, max_tokens: 0, temperature: 0 }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  }
  const said = await fetch(place, init).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new DatasetError(`${place}: cannot be reached: ${error instanceof Error ? error.message : String(error)}`)
  })
  if (!said.ok) throw new DatasetError(`${place}: answers ${said.status}`)
  const parsed = response.safeParse(await said.json().catch(() => undefined))
  if (!parsed.success) throw new DatasetError(`${place}: does not tell the probabilities of a text that it repeats`)
  const { token_logprobs: logs, text_offset: offsets } = parsed.data.choices[0]!.logprobs
  const start = text.length - answer.length
  const ofAnswer = logs.filter((log, i): log is number => log !== null && offsets[i]! >= start)
  if (ofAnswer.length === 0) throw new DatasetError(`${place}: tells no probability of the answer`)
  return Math.exp(-ofAnswer.reduce((sum, log) => sum + log, 0) / ofAnswer.length)
}
