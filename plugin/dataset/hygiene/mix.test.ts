import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RandomStream } from '../../inputs/random.ts'
import { readRows } from '../row-file.ts'
import { rowOf, type Row } from '../row.ts'
import { WorkFolder } from '../work-folder.ts'
import { Decontamination } from './decontamination.ts'
import { mixRows, type MixOptions } from './mix.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'mix-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const provenance = { source: 'here', sha256: '0'.repeat(64), licence: 'MIT' }

const row = (request: string, answer: string): Row => rowOf({ kind: 'mixed', request, answer, proof: {}, provenance })

const random = new RandomStream(1, 'mix')
const words = (count: number): string => Array.from({ length: count }, () => `w${random.below(9000)}`).join(' ')

const file = (name: string, rows: readonly unknown[]): string => {
  const path = join(folder, name)
  writeFileSync(path, rows.map((each) => `${JSON.stringify(each)}\n`).join(''))
  return path
}

const tokens = (text: string): number => text.split(/\s+/).length

const perplexity = async (_: string, answer: string): Promise<number> => Promise.resolve(answer.length)

const many = (name: string, count: number): string =>
  file(
    name,
    Array.from({ length: count }, (_, i) => row(`${name} ${i}`, words(40))),
  )

async function mix(
  sources: readonly [path: string, ratio?: number][],
  more: Partial<MixOptions> = {},
): Promise<{ rows: Row[]; refused: Record<string, number>; details: string[] }> {
  const out = join(folder, 'out')
  const work = new WorkFolder(out, { builder: 'mix' })
  try {
    await mixRows({
      folder: work,
      sources: sources.map(([path, ratio]) => ({ path, name: path.split('/').at(-1)!, ratio })),
      filters: {},
      measures: { tokens, decontamination: undefined },
      threshold: 0.85,
      seed: 1,
      signal: new AbortController().signal,
      ...more,
    })
  } finally {
    work.close()
  }
  const lines = readFileSync(join(out, 'rejected.jsonl'), { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean)
  const refusals = lines.map((line): { reason: string; detail: string } => JSON.parse(line))
  const refused: Record<string, number> = {}
  for (const { reason } of refusals) refused[reason] = (refused[reason] ?? 0) + 1
  return { rows: [...readRows(join(out, 'rows.jsonl'))], refused, details: refusals.map(({ detail }) => detail) }
}

describe('a mix', () => {
  it('takes what is new, and neither what is the same nor what is nearly the same', async () => {
    const text = words(200)
    const first = row('one', text)
    const { rows, refused, details } = await mix([
      [file('a.jsonl', [first, row('two', words(200))])],
      [file('b.jsonl', [first, row('one', `${text} more`), { nothing: 1 }])],
    ])
    expect(rows).toHaveLength(2)
    expect(refused).toEqual({ duplicate: 1, 'near duplicate': 1, 'no row': 1 })
    expect(details.find((detail) => detail.includes('%'))).toContain(first.id)
  })

  it('takes files with a byte order mark, and without a last line end', async () => {
    const text = words(200)
    const path = file('a.jsonl', [row('one', text), row('one', `${text} more`), row('two', words(200))])
    writeFileSync(path, `\ufeff${readFileSync(path, 'utf8').trimEnd()}`)
    const { rows, refused } = await mix([[path], [file('b.jsonl', [row('one', `${text} other`)])]])
    expect(rows.map(({ request }) => request)).toEqual(['one', 'two'])
    expect(refused).toEqual({ 'near duplicate': 2 })
  })

  it('refuses a row that holds a task of a benchmark, and says which', async () => {
    const solution = Array.from({ length: 30 }, (_, i) => `Call${i}(Tensor${i}, ${i} + Length${i});`).join('\n')
    const decontamination = new Decontamination([
      { suite: 'npukernelbench', task: 'Sort', words: [], code: [solution] },
    ])
    const leaked = solution.replaceAll(/Length(\d)/g, 'Length$1').replaceAll(/^/gm, '  ')
    const { rows, refused, details } = await mix(
      [
        [
          file('a.jsonl', [
            row('sort', `Here:\n\`\`\`cpp\n${leaked}\n\`\`\`\n`),
            row('bare', leaked),
            row('fine', words(90)),
          ]),
        ],
      ],
      { measures: { tokens, decontamination } },
    )
    expect(rows.map(({ request }) => request)).toEqual(['fine'])
    expect(refused).toEqual({ 'benchmark task': 2 })
    expect(details[0]).toMatch(/npukernelbench\/Sort: \d+ runs of code: 100 % of the row/)
  })

  it('refuses what is too long, too short, or in another language', async () => {
    const german =
      'Die Warteschlange reicht Tensoren von der Einheit, die sie kopiert, an die weiter, die rechnet, und danach wird jeder freigegeben.'
    const { rows, refused } = await mix(
      [[file('a.jsonl', [row('a', words(300)), row('b', 'yes'), row('c', german), row('d', words(30))])]],
      { filters: { minTokens: 10, maxTokens: 200, languages: ['eng'] } },
    )
    expect(rows.map(({ request }) => request)).toEqual(['d'])
    expect(refused).toEqual({ 'too long': 1, 'too short': 1, language: 1 })
  })

  it('refuses what nobody would say, where somebody tells', async () => {
    const { rows, refused } = await mix([[file('a.jsonl', [row('a', words(3)), row('b', words(300))])]], {
      filters: { maxPerplexity: 100 },
      measures: { tokens, decontamination: undefined, perplexity },
    })
    expect(rows).toHaveLength(1)
    expect(refused).toEqual({ perplexity: 1 })
  })

  it('has as many rows of each source as the ratios say', async () => {
    const { rows, refused } = await mix([
      [many('ours.jsonl', 30), 3],
      [many('math.jsonl', 40), 1],
      [many('notes.jsonl', 5)],
    ])
    const of = (name: string): number => rows.filter(({ request }) => request.startsWith(name)).length
    expect([of('ours'), of('math'), of('notes')]).toEqual([30, 10, 5])
    expect(refused).toEqual({ 'beyond its ratio': 30 })
  })

  it('goes on after a kill in either pass, and comes to the same rows', async () => {
    const texts = Array.from({ length: 60 }, () => words(60))
    const path = file(
      'a.jsonl',
      texts.map((text, i) => row(`r${i}`, i % 3 === 2 ? `${texts[i - 1]!} x` : text)),
    )
    const whole = await mix([[path, 1]])
    rmSync(join(folder, 'out'), { recursive: true })
    const stops = [20, 75, 100]
    for (const stopAt of stops) {
      let seen = 0
      const stop = new AbortController()
      const onRow = (): void => {
        if (++seen === stopAt) stop.abort()
      }
      await expect(mix([[path, 1]], { signal: stop.signal, onRow })).rejects.toThrow()
      // the last line is torn
      for (const name of ['filtered.jsonl', 'decided.jsonl']) {
        const part = join(folder, 'out', name)
        const { length } = readFileSync(part, { flag: 'a+' })
        if (length > 10) truncateSync(part, length - 7)
      }
    }
    const resumed = await mix([[path, 1]])
    expect(resumed.rows.map(({ id }) => id).sort()).toEqual(whole.rows.map(({ id }) => id).sort())
    expect(new Set(resumed.rows.map(({ id }) => id)).size).toBe(resumed.rows.length)
    expect(whole.rows.length).toBeLessThan(60)
  })
})
