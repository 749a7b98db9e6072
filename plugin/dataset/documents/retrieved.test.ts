import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Spending } from '../../generation/budget.ts'
import type { Model, Question } from '../../generation/model.ts'
import { build } from '../build.ts'
import { writeCard, type Card } from '../card.ts'
import type { Compiler } from '../kernels/compile.ts'
import { readRows, rowsName } from '../row-file.ts'
import { rowOf, type Row, type RowOf } from '../row.ts'
import { datasetTemplates } from '../templates.ts'
import { rejectedName, WorkFolder } from '../work-folder.ts'
import { AnswersBuilder } from './answers.ts'
import { documentItems } from './find.ts'
import { QuestionsBuilder } from './questions.ts'
import { isOfSection, retrieveIn } from './retrieval.ts'
import { KnownQuestions } from './same-question.ts'
import { verifyDocumentRow } from './verifier.ts'

const copies = `# Copies

## Padding

A transfer of DataCopyPad counts the bytes that exist in global memory, and whatever is missing of the last block of 32 bytes is
filled with the value that its parameters name, or with anything where they name none.

## Distances

Between blocks of one transfer lie distances: those of global memory are counted in bytes, those of the unified buffer in blocks of
32 bytes, so that a kernel which mixes both up reads rows that belong to somebody else.
`

const queues = `# Queues

Buffers change hands in a queue: EnQue gives one on to the pipeline behind, DeQue waits until it is there, and with two buffers the
copy of the next tile overlaps the computation of the current one without any barrier.
`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dataset-retrieved-'))
  mkdirSync(join(folder, 'manual'))
  writeFileSync(join(folder, 'manual/copies.md'), copies)
  writeFileSync(join(folder, 'manual/queues.md'), queues)
})
afterEach(() => rmSync(folder, { recursive: true }))

const asked = [
  'How many bytes does DataCopyPad count when the last block of 32 bytes is not full?',
  'In which unit does a kernel state distances between blocks in the unified buffer, and in which those of global memory?',
  'Why does a queue with two buffers let the next copy overlap the computation of the current tile?',
]
const thought =
  'What is asked follows from who counts what: the instruction knows global memory and local blocks, and each side has a unit of its own, so that a queue or a transfer never has to guess what the other one means by its number.'
const answer =
  'The bytes of global memory that exist are counted, blocks of the unified buffer are whole, and the queue of two buffers lets the copy of the next tile run while the current computation goes on.'

type Entry = Record<string, unknown>
const json = (entries: readonly Entry[]): string => `\`\`\`json\n${JSON.stringify(entries)}\n\`\`\``

/** Answers by the stage that a prompt is of. */
class Answering implements Model {
  readonly concurrency = 1
  readonly places: string[] = []
  readonly prompts: string[] = []
  readonly #say: Record<string, string | Error>

  constructor(say: Record<string, string | Error>) {
    this.#say = say
  }

  async ask({ place, prompt }: Question) {
    this.places.push(place)
    this.prompts.push(prompt.messages.at(-1)!.content)
    const text = this.#say[place.split('/')[0]!]
    if (text instanceof Error) throw text
    if (text === undefined) throw new Error(`nobody answers ${place}`)
    if (text === 'pending') return Promise.resolve('pending' as const)
    return Promise.resolve({ text, reasoning: '', finish: 'stop', usage: { input: 1, output: 1 }, ms: 1 })
  }
}

const questions = json(asked.map((question, i) => ({ item: i + 1, question })))
const answers = json(asked.map((_, i) => ({ item: i + 1, thought, answer })))

/** Nothing compiles there. */
const refusing: Compiler = {
  withFiles: () => Promise.resolve({ problem: 'no such call' }),
  build: () => Promise.reject(new Error('is never reached')),
}

interface Options {
  each?: number
  skip?: readonly string[]
}

/** Runs both stages, as far as the model lets them come. */
async function run(model: Model, { each = 1, skip = [] }: Options = {}): Promise<Card> {
  const manual = join(folder, 'manual')
  const sections = documentItems(manual, { skip, card: false, related: false })
  const work = new WorkFolder(join(folder, 'out'), { builder: 'docs' })
  try {
    const templates = datasetTemplates()
    const common = { batch: 12, each, licence: 'MIT', folder: work, compiler: refusing, templates }
    const answering = new AnswersBuilder(sections, { ...common, retrieve: retrieveIn(manual, skip) })
    const spending = new Spending({}, undefined)
    const { signal } = new AbortController()
    const options = { folder: work, model, label: 'm', spending, signal }
    await build(new QuestionsBuilder(sections, common), options)
    await build(answering, options)
    return await writeCard(work.path, answering.figures())
  } finally {
    work.close()
  }
}

function ofDocument(row: Row): RowOf<'documentation'> {
  if (row.kind !== 'documentation') throw new Error(`is of ${row.kind}`)
  return row
}

const rows = (): RowOf<'documentation'>[] => {
  const path = join(folder, 'out', rowsName)
  return existsSync(path) ? [...readRows(path)].map(ofDocument) : []
}
const refusal = z.object({ reason: z.string(), detail: z.string() })
const refusals = (): string[] =>
  readFileSync(join(folder, 'out', rejectedName), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { reason, detail } = refusal.parse(JSON.parse(line))
      return `${reason}: ${detail}`
    })

describe('questions on every section are answered from what is retrieved', () => {
  test('and rows tell where the question is from, what was found for it, and both prompts', async () => {
    const model = new Answering({ questions, answers })
    const { figures, prompts } = await run(model)
    expect(prompts).toEqual({ 'answers-1': 3, 'questions-1': 3 })
    expect(figures).toEqual({
      sections: 3,
      'sections without a question': 0,
      questions: 3,
      'questions that found their section': 3,
    })
    expect(rows().map(({ request }) => request)).toEqual(asked)
    expect(rows()[2]).toMatchObject({
      kind: 'documentation',
      thought,
      answer,
      operator: 'queues.md',
      provenance: { source: 'queues.md:1', prompt: 'answers-1', questionPrompt: 'questions-1', licence: 'MIT' },
    })
    const { proof, provenance } = rows()[2]!
    expect(provenance.retrieved?.[0]).toBe('queues.md:1')
    expect(proof.passages).toHaveLength(provenance.retrieved!.length)
    expect(proof.passages[0]).toContain('Buffers change hands')
  })

  test('and an answer is shown nothing that was not found, the section of the question neither', async () => {
    const ofQueues = 'Yes: the current computation overlaps the copy, and the pipeline behind waits without a barrier.'
    const far = 'Do buffers let computation go on while DeQue waits?'
    const model = new Answering({
      questions: json([{ item: 1, question: far }]),
      answers: json([{ item: 1, thought, answer: ofQueues }]),
    })
    // one section of the other document is all that this question has a word of
    writeFileSync(join(folder, 'manual/copies.md'), copies.replace(/## Padding[^]*?(?=## Distances)/, ''))
    const { figures } = await run(model)
    expect(figures).toMatchObject({ questions: 1, 'questions that found their section': 0 })
    expect(rows().map(({ provenance }) => provenance.source)).toEqual(['copies.md:3'])
    const prompt = model.prompts.find((text) => text.includes('questions of developers'))!
    expect(prompt).toContain('Buffers change hands')
    expect(prompt).not.toContain('lie distances')
  })

  test('never from documents that are skipped', async () => {
    const model = new Answering({ questions: json([{ item: 1, question: asked[2] }]), answers })
    await run(model, { skip: ['queues.md'] })
    expect(model.prompts.join('\n')).not.toContain('change hands')
  })
})

describe('is refused, with its reason', () => {
  test('a section without a question', async () => {
    const { rejected, figures } = await run(
      new Answering({
        questions: json([
          { item: 1, question: asked[0] },
          { item: 3, question: asked[2] },
        ]),
        answers,
      }),
    )
    expect(rejected).toEqual({ 'not answered': 1 })
    expect(figures).toMatchObject({ sections: 3, 'sections without a question': 1, questions: 2 })
  })

  test('a question that asks the same in other order, and not one with another name or figure', async () => {
    const again = 'When the last block of 32 bytes is not full, how many bytes does DataCopyPad count?'
    const other = asked[0]!.replace('32', '512')
    const { rejected, figures } = await run(
      new Answering({
        questions: json([
          { item: 1, question: asked[0] },
          { item: 1, question: other },
          { item: 2, question: again },
        ]),
        answers,
      }),
      { each: 2 },
    )
    expect(rejected).toMatchObject({ 'duplicate question': 1 })
    expect(refusals().find((line) => line.startsWith('duplicate'))).toBe(
      `duplicate question: copies.md:8: asks what copies.md:3 asks: ${again}`,
    )
    // of section 2 nothing is left, and section 3 had nothing
    expect(figures).toMatchObject({ questions: 2, 'sections without a question': 2 })
  })

  test('nothing, where an answer has more questions than were asked for', async () => {
    const more = asked.map((question) => ({ item: 1, question }))
    expect((await run(new Answering({ questions: json(more), answers }))).figures).toMatchObject({ questions: 1 })
    rmSync(join(folder, 'out'), { recursive: true })
    const two = await run(new Answering({ questions: json(more), answers }), { each: 2 })
    expect(two.figures).toMatchObject({ questions: 2 })
  })

  test.each([
    ['speaks of the document', 'Which bytes does the copy in this section count for the last block?'],
    ['unknown name', 'How many bytes does `PadEverything` count when a block is not full?'],
    ['question with code', 'How many bytes does this copy count?\n\n```cpp\nDataCopyPad(x, y, p);\n```'],
    ['quotes the document', `Is it so that ${copies.split('\n')[4]!.replace(/^A/, 'a')}?`],
    ['malformed entry', 'How many?'],
  ])('a question that %s', async (reason, question) => {
    const { rejected, figures } = await run(new Answering({ questions: json([{ item: 1, question }]), answers }))
    expect(rejected[reason]).toBe(1)
    expect(figures).toMatchObject({ questions: 0, 'sections without a question': 3 })
  })

  test.each<[string, Entry]>([
    ['unknown name', { thought, answer: `${answer} Use \`CopyAndPad\` for it.` }],
    ['not settled by what was found', { missing: 'Nothing says what it counts.' }],
    ['not about the passage', { thought, answer: 'One takes the usual way, as everybody knows, and so it goes.' }],
    ['speaks of the document', { thought, answer: `${answer} See passage 2.` }],
    ['quotes the document', { thought, answer: copies.split('\n').slice(4, 6).join(' ') }],
    ['does not compile', { thought, answer: `${answer}\n\n\`\`\`cpp\nDataCopyPad(x, xGm, params);\n\`\`\`` }],
    ['malformed entry', { answer }],
  ])('an answer: %s', async (reason, entry) => {
    const plain = 'What is it that one of these counts in the end, and why would it not be another?'
    const question = reason === 'not about the passage' ? plain : asked[0]
    const { rejected } = await run(
      new Answering({ questions: json([{ item: 1, question }]), answers: json([{ item: 1, ...entry }]) }),
    )
    expect(rejected).toEqual({ 'not answered': 2, [reason]: 1 })
    expect(rows()).toEqual([])
  })
})

describe('goes on', () => {
  test('after a kill between the stages and within both, with nothing asked, refused or made twice', async () => {
    const whole = await run(new Answering({ questions, answers }))
    rmSync(join(folder, 'out'), { recursive: true })
    const first = new Answering({ questions, answers: new Error('killed') })
    await expect(run(first)).rejects.toThrow('killed')
    expect(first.places).toEqual(['questions/0001', 'answers/0001'])
    // within the first one: questions are kept, and two sections do not count as decided
    const decided = join(folder, 'out/decided.jsonl')
    writeFileSync(decided, `${readFileSync(decided, 'utf8').split('\n')[0]}\n`)
    const second = new Answering({ answers })
    await run(second)
    expect(second.places).toEqual(['answers/0001'])
    // within the second one: a row that is there does not count as decided
    writeFileSync(decided, readFileSync(decided, 'utf8').split('\n').slice(0, -2).join('\n') + '\n')
    const card = await run(new Answering({}))
    expect({ ...card, settings: {} }).toEqual({ ...whole, settings: {} })
    const found = readFileSync(join(folder, 'out/found.jsonl'), 'utf8').trimEnd().split('\n')
    expect(found).toHaveLength(3)
  })

  test('to answers only when all questions were asked for, so that prompts stay the same', async () => {
    const waiting = new Answering({ questions: 'pending' })
    expect((await run(waiting)).figures).toEqual({})
    expect(waiting.places).toEqual(['questions/0001'])
    const next = new Answering({ questions, answers: 'pending' })
    await run(next)
    const last = new Answering({ answers })
    await run(last)
    expect(last.prompts).toEqual([next.prompts[1]])
    expect(rows()).toHaveLength(3)
  })
})

test('a row is checked from its file alone: its passages, and that it is about one of them', async () => {
  await run(new Answering({ questions, answers }))
  const { id: _, ...row } = rows()[0]!
  const verify = async (changed: Partial<typeof row>): Promise<string | undefined> =>
    await verifyDocumentRow(ofDocument(rowOf({ ...row, ...changed })), { judging: refusing })
  expect(await verify({})).toBeUndefined()
  const { proof, provenance } = row
  const foreign = 'Something else altogether, about the weather of yesterday, which nobody wanted to know of.'
  const turned = [foreign, ...proof.passages.slice(0, provenance.retrieved!.length - 1)]
  expect(await verify({ proof: { ...proof, passages: turned } })).toBeUndefined()
  expect(await verify({ proof: { ...proof, passages: turned.map(() => foreign) } })).toMatch('not about the passage')
  expect(await verify({ proof: { ...proof, passages: [foreign] } })).toMatch(/names the places of/)
  expect(await verify({ answer: `${answer} Call \`CopyAndPad\`.` })).toMatch(/unknown name: CopyAndPad/)
  const { retrieved: _places, ...plain } = provenance
  expect(await verify({ proof: { ...proof, passages: turned }, provenance: plain })).toMatch('not about the passage')
})

test('lines tell whether a passage is of a section, however both are cut', () => {
  const sections = documentItems(join(folder, 'manual'), { skip: [], card: false, related: false })
  const [padding, distances] = sections
  const of = (place: string, text: string) => [padding, distances].map((each) => isOfSection({ place, text }, each!))
  expect(of('copies.md:3', '## Padding\n\nA transfer')).toEqual([true, false])
  expect(of('copies.md:5', 'A transfer')).toEqual([true, false])
  expect(of('copies.md:8', '## Distances\n\nBetween')).toEqual([false, true])
  expect(of('copies.md:1', '# Copies')).toEqual([false, false])
  expect(of('copies.md:1', copies)).toEqual([true, true])
  expect(of('queues.md:3', 'A transfer')).toEqual([false, false])
})

test('questions are the same by their words, but for names and figures', () => {
  const known = new KnownQuestions<number>()
  const ask = (document: string, text: string, number: number) => known.findOrAdd(document, text, number)
  expect(ask('a.md', 'Why is the limit of `float16` wider than that of float32 in strict mode?', 1)).toBeUndefined()
  expect(ask('a.md', 'In strict mode, why is the limit of `float16` wider than that of float32?', 2)).toBe(1)
  expect(ask('a.md', 'Why is the limit of `bfloat16` wider than that of float32 in strict mode?', 3)).toBeUndefined()
  expect(
    ask('a.md', 'Whatever the mode is, why has the limit of `float16` to be wider than that of float32?', 4),
  ).toBeUndefined()
  expect(ask('b.md', 'Why is the limit of `float16` wider than that of float32 in strict mode?', 5)).toBeUndefined()
})
