import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { perplexityOf } from './perplexity.ts'

let close: () => void = () => undefined
afterEach(() => close())

/** A server that finds each word as likely as `probability` says. */
async function serving(answer: (prompt: string) => unknown): Promise<string> {
  const server = createServer((request, reply) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { prompt }: { prompt: string } = JSON.parse(body)
      reply.end(JSON.stringify(answer(prompt)))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  close = () => server.close()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

const byWords = (probability: (word: string) => number) => (prompt: string) => {
  const words = [...prompt.matchAll(/\S+/g)]
  const logs = words.map(([word], i) => (i === 0 ? null : Math.log(probability(word))))
  return { choices: [{ logprobs: { token_logprobs: logs, text_offset: words.map(({ index }) => index) } }] }
}

const { signal } = new AbortController()

it('is that of the answer, whatever the prompt is', async () => {
  const url = await serving(byWords((word) => (word.startsWith('a') ? 1 / 4 : 1 / 1000)))
  expect(await perplexityOf({ url, model: 'm', signal }, 'strange words', 'ab ac ad')).toBeCloseTo(4)
})

it('is not made up where a server tells none', async () => {
  const url = await serving(() => ({ choices: [{ text: 'hello' }] }))
  await expect(perplexityOf({ url, model: 'm', signal }, 'a', 'b')).rejects.toThrow(/does not tell/)
})
