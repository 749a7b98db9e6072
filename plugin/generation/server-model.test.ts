import { afterEach, describe, expect, test, vi } from 'vitest'
import { ModelServer, type Asked, type Script } from '../../fixtures/model-server.ts'
import { messageOf } from '../model/index.ts'
import { GenerationError } from './error.ts'
import { maxAnswer, UnansweredError, type Question, type Reply } from './model.ts'
import { backOffMs, Pace, retryAfterMs } from './pace.ts'
import { withoutReasoning } from './reasoning.ts'
import { fetchEvents } from './server-fetch.ts'
import { ServerModel, type Patience, type Server } from './server-model.ts'

const key = 'sk-canary-0123456789'
const questionOf = (sample = 0, content = 'write it'): Question => ({
  sample: { suite: 'own', task: 'Add', sample },
  place: `Add/s${sample}/turn1`,
  turn: 1,
  hash: 'h',
  prompt: {
    version: '1',
    messages: [
      { role: 'system', content: 'you are terse' },
      { role: 'user', content },
    ],
  },
})

const textOf = (reply: Reply | Error): string => (reply instanceof Error ? reply.message : reply.text)
const unusableOf = (reply: Reply | Error): string | undefined =>
  reply instanceof Error ? reply.message : reply.unusable

const date = (ms: number): string => new Date(ms).toUTCString()

let server: ModelServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

const patience: Patience = { firstTokenMs: 5000, nextTokenMs: 5000, answerMs: 20_000, retries: 3, backOffMs: 5 }

/** Asks a server that plays these scripts one after the other, the last one again and again. */
async function asked(
  scripts: readonly Script[],
  more: { patience?: Partial<Patience>; sampling?: Server['sampling']; question?: Question; key?: string } = {},
): Promise<{ reply: Reply | Error; requests: readonly Asked[]; retries: string[] }> {
  server = new ModelServer(({ number }) => scripts[Math.min(number, scripts.length - 1)]!)
  const retries: string[] = []
  const model = new ServerModel({
    baseUrl: await server.start(),
    model: 'coder',
    key: more.key ?? key,
    concurrency: 4,
    sampling: more.sampling ?? {},
    patience: { ...patience, ...more.patience },
    onRetry: (line) => retries.push(line),
  })
  const reply = await model
    .ask(more.question ?? questionOf(), new AbortController().signal)
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
  return { reply, requests: server.asked, retries }
}

const tooMuch: Script = {
  kind: 'status',
  status: 400,
  body: `{"error":{"message":"'max_tokens' is too large: 4096. This model's maximum context length is 4096 tokens"}}`,
}
const answer: Script = { kind: 'answer', text: 'the answer', usage: { input: 7, output: 3 } }

describe('an answer', () => {
  test('comes with its usage; what is asked for is sent', async () => {
    const sampling = { temperature: 0.5, topP: 0.9, maxTokens: 100, seed: 40, reasoningEffort: 'low' }
    const { reply, requests } = await asked([answer], { sampling, question: questionOf(2) })
    expect(reply).toMatchObject({ text: 'the answer', reasoning: '', finish: 'stop', usage: { input: 7, output: 3 } })
    expect(requests).toHaveLength(1)
    expect(requests[0]?.authorization).toBe(`Bearer ${key}`)
    expect(requests[0]?.body).toMatchObject({
      model: 'coder',
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 100,
      // that of the third sample
      seed: 42,
      reasoning_effort: 'low',
      messages: [
        { role: 'system', content: 'you are terse' },
        { role: 'user', content: 'write it' },
      ],
    })
  })

  test('is kept apart from what was thought, however that is told', async () => {
    const { reply } = await asked([{ kind: 'answer', text: '<think>plan</think>\n\nthe answer', reasoning: 'before' }])
    expect(reply).toMatchObject({ text: 'the answer', reasoning: 'before\nplan' })
    expect(withoutReasoning('plan\n</think>\n\ncode')).toEqual({ text: 'code', reasoning: 'plan' })
    expect(withoutReasoning('<think>plan without end')).toEqual({ text: '', reasoning: 'plan without end' })
    expect(withoutReasoning('```\nx // </think>\n```')).toEqual({ text: '```\nx // </think>\n```', reasoning: '' })
  })

  test('begins behind the last mark that is no part of a file', () => {
    const file = '<file path="op_kernel/a.cpp">\nputs("</think>");\n</think>\n</file>'
    const thought = `a draft:\n\`\`\`cpp\nint x;\n\`\`\`\n${file}\nor so\n</think>\nno, again`
    expect(withoutReasoning(`${thought}\n</think>\n${file}`)).toEqual({ text: file, reasoning: thought })
    expect(withoutReasoning(file)).toEqual({ text: file, reasoning: '' })
  })

  test('keeps its words where the key is a placeholder', async () => {
    const { reply } = await asked([{ kind: 'answer', text: 'int EMPTY = 0;', reasoning: 'EMPTY' }], { key: 'EMPTY' })
    expect(reply).toMatchObject({ text: 'int EMPTY = 0;', reasoning: 'EMPTY' })
  })

  test.each([[{ input: 1.5, output: 3 }], [{ input: 7, output: -7 }], [{ input: 2 ** 60, output: 3 }]])(
    'has estimated tokens where %j is told',
    async (usage) => {
      const { reply } = await asked([{ kind: 'answer', text: 'x'.repeat(400), usage }])
      expect(reply).toMatchObject({
        usage: { input: usage.input === 7 ? 7 : 6, output: usage.output === 3 ? 3 : 100, estimated: true },
      })
    },
  )

  test('has no key in it, where a server repeats the one it was given', async () => {
    const { reply } = await asked([
      { kind: 'answer', text: `you sent ${key}`, reasoning: `key=${encodeURIComponent(key)}` },
    ])
    expect(JSON.stringify(reply)).not.toContain(key)
    expect(reply).toMatchObject({ text: 'you sent ***' })
  })

  test('without usage has estimated tokens', async () => {
    const { reply } = await asked([{ kind: 'answer', text: 'x'.repeat(400), usage: null }])
    expect(reply).toMatchObject({ usage: { output: 100, estimated: true } })
  })

  test('that is 100 MB long is cut off', async () => {
    const { reply, requests } = await asked([{ kind: 'huge', characters: 100_000_000 }])
    expect(reply).toMatchObject({ finish: 'cut-off', unusable: 'the answer is longer than 2 MiB' })
    expect(textOf(reply)).toHaveLength(maxAnswer)
    expect(requests).toHaveLength(1)
  })

  test('that calls a tool with no end of arguments is cut off', async () => {
    const { reply, requests } = await asked([{ kind: 'huge', characters: 20_000_000, as: 'call' }])
    expect(reply).toMatchObject({ text: '', finish: 'cut-off', unusable: 'the answer is longer than 2 MiB' })
    expect(requests).toHaveLength(1)
  })

  test('that never ends is cut off, and not asked for again', async () => {
    const { reply, requests } = await asked([{ kind: 'endless', everyMs: 20 }], { patience: { answerMs: 2000 } })
    expect(reply).toMatchObject({ finish: 'cut-off', unusable: 'the answer has no end after 2 s' })
    expect(textOf(reply)).toContain('again again')
    expect(requests).toHaveLength(1)
  })

  test.each([
    [{ kind: 'status', status: 413, body: '' }],
    [
      {
        kind: 'status',
        status: 400,
        body: `{"error":{"message":"This model's maximum context length is 4096 tokens","code":"context_length_exceeded"}}`,
      },
    ],
    [{ kind: 'error', error: { message: "This model's maximum context length is 4096 tokens", code: 400 } }],
    [{ kind: 'error', error: { message: 'please shorten it', code: 'context_length_exceeded' } }],
  ] satisfies [Script][])('to a prompt that is too long is none, for good', async (script) => {
    const { reply, requests } = await asked([script])
    expect(reply).toMatchObject({ text: '', finish: 'context-too-long' })
    expect(unusableOf(reply)).toMatch(/^the prompt, about \d+ tokens, is longer than the model takes$/)
    expect(requests).toHaveLength(1)
  })

  test('to a conversation that leaves no room for an answer is none, for good', async () => {
    const question = { ...questionOf(), turn: 3 }
    const { reply } = await asked([tooMuch], { sampling: { maxTokens: 4096 }, question })
    expect(reply).toMatchObject({ text: '', finish: 'context-too-long' })
  })

  test('that refuses says so', async () => {
    const { reply } = await asked([{ kind: 'answer', text: 'I cannot help with that.', finish: 'content_filter' }])
    expect(reply).toMatchObject({ finish: 'content-filter' })
  })
})

describe('a request is repeated', () => {
  test.each([
    ['when the server is busy', { kind: 'status', status: 429, headers: { 'retry-after': '0' } }],
    ['when it fails', { kind: 'status', status: 500, body: 'oops' }],
    ['when the connection breaks', { kind: 'cut', text: 'the ans' }],
    ['when an answer breaks off', { kind: 'unfinished', text: 'the ans' }],
    ['when a chunk is malformed', { kind: 'malformed' }],
    ['when an event has no end', { kind: 'one-event' }],
    ['when it fails within the stream', { kind: 'error', error: { message: 'out of memory' } }],
    ['when it is busy within the stream', { kind: 'error', error: { message: 'slow down', code: 429 } }],
  ] satisfies [string, Script][])('%s', async (_, script) => {
    const { reply, requests, retries } = await asked([script, script, answer])
    expect(reply).toMatchObject({ text: 'the answer' })
    expect(requests).toHaveLength(3)
    expect(retries).toHaveLength(2)
    expect(retries.join()).not.toContain('[object')
    if (script.kind === 'error') expect(retries[0]).toContain(script.error.message)
  })

  test('and nothing more is read of an answer that is given up', { timeout: 20_000 }, async () => {
    const { reply, requests } = await asked([{ kind: 'malformed', endless: true }, answer])
    expect(reply).toMatchObject({ text: 'the answer' })
    // the server goes on for as long as somebody listens
    await vi.waitFor(() => expect(requests.map(({ isOpen }) => isOpen)).toEqual([false, false]), 10_000)
  })

  test('when nothing comes, or nothing more', async () => {
    const limits = { firstTokenMs: 150, nextTokenMs: 150 }
    const { reply, retries } = await asked([{ kind: 'silent' }, { kind: 'silent', text: 'the' }, answer], {
      patience: limits,
    })
    expect(reply).toMatchObject({ text: 'the answer' })
    expect(retries.map((line) => line.replace(/^.*\/v1 |;.*$/g, ''))).toEqual([
      'says nothing within 0.15 s',
      'stops in the middle of an answer for 0.15 s',
    ])
  })

  test('when the server says, by its own clock', async () => {
    const hour = 3_600_000
    const now = Date.UTC(2026, 0, 1)
    expect(retryAfterMs({ 'retry-after': '3' })).toBe(3000)
    expect(retryAfterMs({ 'retry-after-ms': '250', 'retry-after': '3' })).toBe(250)
    // its clock is an hour ahead of ours, and one behind
    expect(retryAfterMs({ 'retry-after': date(now + hour + 5000), date: date(now + hour) }, now)).toBe(5000)
    expect(retryAfterMs({ 'retry-after': date(now - hour + 5000), date: date(now - hour) }, now)).toBe(5000)
    // without its clock: never a day, never the past
    expect(retryAfterMs({ 'retry-after': date(now + 24 * hour) }, now)).toBe(600_000)
    expect(retryAfterMs({ 'retry-after': date(now - hour) }, now)).toBeUndefined()
    expect(retryAfterMs({ 'retry-after': 'soon' }, now)).toBeUndefined()
    const began = Date.now()
    const { reply } = await asked([{ kind: 'status', status: 429, headers: { 'retry-after-ms': '400' } }, answer])
    expect(reply).toMatchObject({ text: 'the answer' })
    expect(Date.now() - began).toBeGreaterThanOrEqual(399)
  })

  test('later each time, up to a minute', () => {
    expect([1, 2, 3, 10].map((attempt) => backOffMs(attempt, 1))).toEqual([1000, 2000, 4000, 60_000])
    expect(backOffMs(1, 0)).toBe(500)
  })

  test('so many times; then the prompt is given up', async () => {
    const { reply, requests } = await asked([{ kind: 'status', status: 503, body: `down, ${key}\nfor now` }])
    expect(reply).toBeInstanceOf(UnansweredError)
    expect(textOf(reply)).toMatch(
      /^Add, sample 0, turn 1: the server http:\S+ says 503: down, \*\*\* for now, 4 times$/,
    )
    expect(requests).toHaveLength(4)
  })
})

describe('the run ends in one line', () => {
  test('where what answers is no such server', async () => {
    const { reply, requests } = await asked([{ kind: 'page' }])
    expect(reply).toBeInstanceOf(GenerationError)
    expect(textOf(reply)).toMatch(
      /answers with text\/html in place of text\/event-stream: --base-url has to lead to the API/,
    )
    expect(requests).toHaveLength(1)
  })

  test('where the key is wrong, which is not repeated', async () => {
    const { reply } = await asked([{ kind: 'status', status: 401, body: `{"error":"bad key ${key}"}` }])
    expect(reply).toBeInstanceOf(GenerationError)
    expect(textOf(reply)).toMatch(/says 401: .*\*\*\*.*; NPU_API_KEY has another key than it wants$/)
    expect(textOf(reply)).not.toContain(key)
  })

  test('where a part of the key would be left', async () => {
    const { reply } = await asked([{ kind: 'status', status: 403, body: `${'x'.repeat(180)} ${key} bad` }])
    expect(textOf(reply)).toMatch(/xxx \*\*\* bad; NPU_API_KEY has another key than it wants$/)
  })

  test('where more is asked for than it gives beside any prompt', async () => {
    const { reply, requests } = await asked([tooMuch], { sampling: { maxTokens: 4096 } })
    expect(reply).toBeInstanceOf(GenerationError)
    expect(textOf(reply)).toMatch(
      /says 400: .*; --max-tokens 4096 is more than it gives beside a prompt: ask for fewer$/,
    )
    expect(requests).toHaveLength(1)
  })

  test('where it refuses within the stream', async () => {
    const { reply, requests } = await asked([{ kind: 'error', error: { message: 'no such model', code: 404 } }])
    expect(reply).toBeInstanceOf(GenerationError)
    expect(textOf(reply)).toMatch(/ says 404: no such model$/)
    expect(requests).toHaveLength(1)
  })

  test('where an error has no end, of which the beginning is read', async () => {
    const script: Script = { kind: 'status', status: 400, body: 'a'.repeat(8 << 20) }
    const { reply } = await asked([script])
    expect(textOf(reply).length).toBeLessThan(500)
    await server?.stop()
    server = new ModelServer(() => script)
    const response = await fetchEvents(await server.start(), { method: 'POST', body: '{}' })
    expect(response.status).toBe(400)
    expect(await response.text()).toHaveLength(64 << 10)
  })

  test('where the key is missing', async () => {
    server = new ModelServer(() => ({ kind: 'status', status: 401 }))
    const model = new ServerModel({
      baseUrl: await server.start(),
      model: 'coder',
      concurrency: 1,
      sampling: {},
      patience,
    })
    await expect(model.ask(questionOf(), new AbortController().signal)).rejects.toThrow(/says 401; set NPU_API_KEY$/)
  })

  test('where there is no server', async () => {
    const model = new ServerModel({
      baseUrl: 'http://127.0.0.1:9/v1',
      model: 'coder',
      key,
      concurrency: 1,
      sampling: {},
      patience: { ...patience, retries: 1 },
    })
    const ask = (sample: number): Promise<unknown> =>
      model.ask(questionOf(sample), new AbortController().signal).catch((error: unknown) => error)
    expect(await ask(0)).toBeInstanceOf(UnansweredError)
    expect(await ask(1)).toBeInstanceOf(UnansweredError)
    const last = await ask(2)
    expect(last).toBeInstanceOf(GenerationError)
    expect(messageOf(last)).toMatch(
      /^the server http:\/\/127.0.0.1:9\/v1 cannot be reached or breaks off \(.+\), 2 times$/,
    )
  })
})

test('what is asked can be stopped', async () => {
  server = new ModelServer(() => ({ kind: 'silent' }))
  const model = new ServerModel({
    baseUrl: await server.start(),
    model: 'coder',
    concurrency: 1,
    sampling: {},
    patience,
  })
  const abort = new AbortController()
  const reply = model.ask(questionOf(), abort.signal)
  setTimeout(() => abort.abort(), 100)
  await expect(reply).rejects.toThrow(/abort/i)
})

test('requests are spread over a minute', async () => {
  server = new ModelServer(() => answer)
  const model = new ServerModel({
    baseUrl: await server.start(),
    model: 'coder',
    concurrency: 4,
    requestsPerMinute: 300,
    sampling: {},
    patience,
  })
  const began = Date.now()
  await Promise.all([0, 1, 2, 3].map((sample) => model.ask(questionOf(sample), new AbortController().signal)))
  expect(Date.now() - began).toBeGreaterThanOrEqual(598)
})

test('a pause of months is waited for in parts that timers can hold', async () => {
  const pace = new Pace(0.00001)
  const abort = new AbortController()
  await pace.turn(abort.signal)
  const waits: unknown[] = []
  const warned = (warning: Error): void => void waits.push(warning.name)
  process.on('warning', warned)
  setTimeout(() => abort.abort(), 50)
  await expect(pace.turn(abort.signal)).rejects.toThrow(/abort/i)
  process.off('warning', warned)
  expect(waits).toEqual([])
})
