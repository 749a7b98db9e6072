import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Spending } from '../generation/budget.ts'
import type { Model, Question } from '../generation/model.ts'
import { build, type BuildOutcome } from './build.ts'
import type { Builder, Item } from './builder.ts'
import { writeCard } from './card.ts'
import { readRows, rowLines, rowsName } from './row-file.ts'
import { rowOf, type Draft } from './row.ts'
import { WorkFolder } from './work-folder.ts'

let out: string
beforeEach(() => (out = mkdtempSync(join(tmpdir(), 'dataset-'))))
afterEach(() => rmSync(out, { recursive: true }))

const draft = (request: string, answer = 'an answer'): Draft => ({
  kind: 'mixed',
  request,
  answer,
  proof: {},
  provenance: { source: 'here', sha256: '0'.repeat(64), licence: 'MIT', model: 'somebody' },
})

/** Asks about numbers, and takes what is said of them. */
class Numbers implements Builder {
  readonly name = 'numbers'
  readonly batch = 2
  readonly decided: string[] = []
  readonly #count: number

  constructor(count: number) {
    this.#count = count
  }

  items(): Item[] {
    return Array.from({ length: this.#count }, (_, i) => ({ key: `n${i}` }))
  }

  promptOf(items: readonly Item[]) {
    return { version: '1', messages: [{ role: 'user' as const, content: items.map(({ key }) => key).join(' ') }] }
  }

  decide: Builder['decide'] = async ({ key }, { items, number }) => {
    this.decided.push(key)
    const [entry] = items.entries.get(number) ?? []
    if (entry?.['fine'] === true) return Promise.resolve({ rows: [draft(key)], rejections: [] })
    return Promise.resolve({ rows: [], rejections: [{ reason: 'not fine', detail: key }] })
  }
}

class Answering implements Model {
  readonly concurrency = 2
  readonly asked: Question[] = []
  readonly #say: (question: Question) => string

  constructor(say: (question: Question) => string) {
    this.#say = say
  }

  async ask(question: Question) {
    this.asked.push(question)
    const text = this.#say(question)
    const usage = { input: 1, output: 1 }
    return Promise.resolve({ text, reasoning: '', finish: 'stop', usage, ms: 1 })
  }
}

const bothFine = (): string => '```json\n[{"item": 1, "fine": true}, {"item": 2, "fine": true}]\n```'

async function run(
  builder: Builder,
  model: Model,
  signal: AbortSignal = new AbortController().signal,
): Promise<BuildOutcome> {
  const folder = new WorkFolder(out, { builder: builder.name })
  try {
    return await build(builder, { folder, model, label: 'm', spending: new Spending({}, undefined), signal })
  } finally {
    folder.close()
  }
}

const requests = (): string[] => [...readRows(join(out, rowsName))].map(({ request }) => request)

test('what was decided is neither asked nor judged again', async () => {
  const first = new Answering(bothFine)
  await run(new Numbers(5), first)
  expect(first.asked.map(({ place }) => place).sort()).toEqual(['numbers/0001', 'numbers/0002', 'numbers/0003'])
  expect(requests()).toHaveLength(5)
  const [second, again] = [new Answering(bothFine), new Numbers(5)]
  await run(again, second)
  expect(second.asked).toEqual([])
  expect(again.decided).toEqual([])
  expect(requests()).toHaveLength(5)
})

test('who is killed between a row and its decision makes no row twice, and asks nobody again', async () => {
  await run(new Numbers(4), new Answering(bothFine))
  const decided = join(out, 'decided.jsonl')
  const [first, ...others] = readFileSync(decided, 'utf8').split('\n')
  writeFileSync(decided, others.join('\n'))
  // a torn line as well
  writeFileSync(join(out, rowsName), `${readFileSync(join(out, rowsName), 'utf8')}{"kind":`)
  const [model, builder] = [new Answering(bothFine), new Numbers(4)]
  await run(builder, model)
  expect(model.asked).toEqual([])
  expect(builder.decided).toEqual([JSON.parse(first!).key])
  expect(requests().sort()).toEqual(['n0', 'n1', 'n2', 'n3'])
})

test('what is not said, not read or not fine is refused with its reason, and takes nothing with it', async () => {
  const answers: Record<string, string> = {
    'n0 n1': '```json\n[{"item": 1, "fine": true}]\n```',
    'n2 n3': '```json\n[{"item": 1, "fine": false}, {"item": 2, "fine": tru}]\n```',
    n4: 'no idea',
  }
  await run(new Numbers(5), new Answering(({ prompt }) => answers[prompt.messages[0]!.content] ?? ''))
  expect(requests()).toEqual(['n0'])
  const card = await writeCard(out)
  expect(card.rejected).toEqual({ 'malformed entry': 1, 'not answered': 1, 'not fine': 1, 'unusable answer': 1 })
  expect(card).toMatchObject({ rows: 1, acceptance: 0.2, kinds: { mixed: 1 }, licences: { MIT: 1 } })
})

test('what rows of others are called is text of the card, in one line and no longer than that', async () => {
  await run(new Numbers(1), new Answering(bothFine))
  const path = join(out, rowsName)
  const licence = `MIT |\n# <b>\u001B[2J ${'x'.repeat(1000)}`
  writeFileSync(path, readFileSync(path, 'utf8').replace('"MIT"', JSON.stringify(licence)))
  expect((await writeCard(out)).licences).toEqual({ [licence]: 1 })
  const card = readFileSync(join(out, 'card.md'), 'utf8')
  expect(card).toMatch(/^\| MIT \\\| \\# \\<b\\>\\\\x1b\\\[2J x{400,500}… \| 1 \|$/m)
  const written = readFileSync(join(out, 'card.json'), 'utf8')
  expect(written).not.toContain('\u001B')
  expect(JSON.parse(written)).toMatchObject({ licences: { [licence]: 1 } })
})

test('a folder goes on with the same settings alone', async () => {
  await run(new Numbers(2), new Answering(bothFine))
  expect(() => new WorkFolder(out, { builder: 'others' })).toThrow(/was begun with builder "numbers"/)
})

/** What is found where it would be `value`, were it looked for. */
const find = async (value: number): Promise<number> => {
  const folder = new WorkFolder(out, {})
  try {
    return await folder.found('it', () => Promise.resolve(value))
  } finally {
    folder.close()
  }
}

test('what was found once is not looked for again', async () => {
  expect(await find(1)).toBe(1)
  expect(await find(2)).toBe(1)
})

test('a row whose content was changed is none', () => {
  const row = rowOf(draft('what?'))
  const path = join(out, 'rows.jsonl')
  const lines = [row, { ...row, answer: 'another' }, { ...row, extra: 1 }, 'text']
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  expect([...rowLines(path)].map((line) => ('problem' in line ? line.problem : 'row'))).toEqual([
    'row',
    'id: is not that of its content',
    expect.stringContaining('nrecognized'),
    expect.stringContaining(''),
  ])
  expect(() => [...readRows(path)]).toThrow(/rows\.jsonl:2: id/)
})

test('a row behind the last line end is one as well', () => {
  const path = join(out, 'rows.jsonl')
  const [one, other] = [rowOf(draft('one')), rowOf(draft('other'))].map((row) => JSON.stringify(row))
  writeFileSync(path, `${one}\n${other}`)
  expect(requests()).toEqual(['one', 'other'])
  writeFileSync(path, `${one}\n${other!.slice(0, -5)}`)
  expect(() => requests()).toThrow(/rows\.jsonl:2: is not JSON/)
})
