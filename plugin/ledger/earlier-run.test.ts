import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EarlierRun } from './earlier-run.ts'
import type { LedgerEntry } from './entry.ts'
import type { Basis } from './judged-samples.ts'
import { cutTorn, linesOf, wholeLines } from './lines.ts'
import { readLedger } from './read.ts'
import { LedgerWriter } from './writer.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

const entry = (sample: string | null, title: string, second?: number): LedgerEntry => ({
  v: 3,
  suite: 'npukernelbench',
  group: 'level1',
  task: 'Größe',
  category: 'Math',
  model: null,
  sample,
  stage: 'static',
  case: title,
  verdict: { kind: 'correct' },
  seed: 7,
  target: 'emulator',
  soc: 'Ascend910B2',
  profile: 'standard',
  ...(second !== undefined && { time: at(second), ms: 1 }),
})

const basis: Basis = { artifact: 'built', sources: 'written', digest: 'spec' }
const named = (sample: string) => ({ model: null, suite: 'npukernelbench', task: 'Größe', sample })

let folder: string
let runs: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'npu-earlier-'))
  runs = join(folder, 'runs')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A run that judged two samples to the end, began a third one, and was killed. */
function killedRun(): LedgerWriter {
  const writer = new LedgerWriter({ runs, shown: join(folder, 'ledger.jsonl') })
  for (const [index, sample] of ['a', 'b'].entries()) {
    writer.append([entry(sample, 'static 0', 10 * index), entry(sample, 'static 1', 10 * index + 1)])
    writer.noteSample({ ...named(sample), since: at(10 * index), entries: 2, basis })
  }
  writer.append([entry('c', 'static 0', 30), entry(null, 'has a candidate', 31)])
  // nobody writes to it any more
  rmSync(join(dirname(writer.path), runningName(writer)))
  return writer
}

const runningName = ({ path }: LedgerWriter): string => {
  const name = readdirSync(dirname(path)).find((each) => each.startsWith('.running'))
  if (name === undefined) throw new Error('nobody writes to the run')
  return name
}

/** How many samples a run has, as one finds who continues it and ends. */
function sizeOf(id: string): number {
  const earlier = new EarlierRun(runs, id)
  earlier.finish()
  return earlier.size
}

const casesIn = (path: string): string[] => readLedger(path).map(({ sample, case: title }) => `${sample} ${title}`)

describe('a run that was killed', () => {
  test('keeps the samples that it has judged to the end, and no other line', () => {
    const { id, path } = killedRun()
    const earlier = new EarlierRun(runs, id)
    expect(earlier.size).toBe(2)
    expect(casesIn(path)).toEqual(['a static 0', 'a static 1', 'b static 0', 'b static 1'])
    expect(earlier.find(named('b'), basis)).toEqual([entry('b', 'static 0', 10), entry('b', 'static 1', 11)])
    expect(earlier.find(named('c'), basis)).toBeUndefined()
  })

  test('is repaired wherever the kill has cut its files', () => {
    const { id, path } = killedRun()
    const samples = join(dirname(path), 'samples.jsonl')
    const [ledger, notes] = [readFileSync(path), readFileSync(samples)]
    const firstNote = notes.indexOf('\n') + 1
    for (let cut = 1; cut < 200; cut += 7) {
      writeFileSync(path, ledger.subarray(0, ledger.length - cut))
      writeFileSync(samples, notes)
      expect(sizeOf(id), `${cut} bytes of the ledger`).toBe(2)
      expect(casesIn(path)).toHaveLength(4)
    }
    for (let length = 0; length < notes.length; length += 5) {
      writeFileSync(path, ledger)
      writeFileSync(samples, notes)
      truncateSync(samples, length)
      expect(sizeOf(id), `${length} bytes of samples`).toBe(length < firstNote ? 0 : 1)
      // what comes next is no part of the torn line
      appendFileSync(samples, notes.subarray(firstNote))
      writeFileSync(path, ledger)
      const earlier = new EarlierRun(runs, id)
      expect(earlier.find(named('b'), basis)).toHaveLength(2)
      earlier.finish()
    }
  })

  test('keeps no sample of which a line is lost', () => {
    const { id, path } = killedRun()
    const lines = readFileSync(path, 'utf8').split('\n')
    writeFileSync(path, lines.toSpliced(1, 1).join('\n'))
    expect(sizeOf(id)).toBe(1)
    expect(casesIn(path)).toEqual(['b static 0', 'b static 1'])
  })

  test('a ledger without other lines stays the file that it is', () => {
    const { id, path } = killedRun()
    expect(sizeOf(id)).toBe(2)
    const { ino } = statSync(path)
    new EarlierRun(runs, id).finish()
    expect(statSync(path).ino).toBe(ino)
  })

  test.each([
    { ...basis, artifact: 'other' },
    { ...basis, sources: 'other' },
    { ...basis, digest: 'other' },
    { sources: 'written', digest: 'spec' },
    undefined,
  ])('a sample does not hold where its verdicts follow from something else: %o', (now) => {
    const { id, path } = killedRun()
    const earlier = new EarlierRun(runs, id)
    expect(earlier.find(named('a'), now)).toBeUndefined()
    expect(earlier.find(named('a'), basis)).toBeUndefined()
    // judged again, without what was the case 1 before
    const again = new LedgerWriter({ runs, shown: join(folder, 'ledger.jsonl') }, { id })
    again.append([{ ...entry('a', 'static 0'), time: new Date(Date.now() + 5).toISOString() }])
    again.finish()
    earlier.finish()
    expect(casesIn(path)).toEqual(['b static 0', 'b static 1', 'a static 0'])
    // it was cut off again before it had noted the sample
    expect(sizeOf(id)).toBe(1)
    expect(casesIn(path)).toEqual(['b static 0', 'b static 1'])
  })

  test('is continued by one at a time, from the first moment on', () => {
    const { id, path } = killedRun()
    const earlier = new EarlierRun(runs, id)
    expect(() => new EarlierRun(runs, id)).toThrow(`the run ${id} is still going on`)
    earlier.finish()
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith('.running'))).toEqual([])
    expect(sizeOf(id)).toBe(2)
  })

  test.each(['samples.jsonl', 'ledger.jsonl'])('is not continued where a pipe is in place of its %s', (name) => {
    const { id, path } = killedRun()
    const place = join(dirname(path), name)
    rmSync(place)
    execFileSync('mkfifo', [place])
    expect(() => new EarlierRun(runs, id)).toThrow(`${place}: is no file`)
  })

  test('is not continued while somebody writes to it', () => {
    const writer = new LedgerWriter({ runs, shown: join(folder, 'ledger.jsonl') })
    writer.append([entry('a', 'static 0', 0)])
    expect(() => new EarlierRun(runs, writer.id)).toThrow(`the run ${writer.id} is still going on`)
  })
})

test('lines are found whatever their length, and what is torn is left out', () => {
  const path = join(folder, 'lines')
  const lines = ['', 'ä'.repeat(700_000), 'x', 'y'.repeat((1 << 20) - 1), '']
  writeFileSync(path, `${lines.join('\n')}\ntorn`)
  expect([...linesOf(path)].at(-1)).toMatchObject({ text: 'torn', isTorn: true })
  const found = [...wholeLines(path)]
  expect(found.map(({ text }) => text)).toEqual(lines)
  const data = readFileSync(path)
  for (const { text, offset, bytes } of found)
    expect(data.toString('utf8', offset, offset + bytes) === text, `at ${offset}`).toBe(true)
})

test.each([
  ['', ''],
  ['torn', ''],
  ['a\n', 'a\n'],
  ['a\nb\ntorn', 'a\nb\n'],
  [`a\n${'x'.repeat(200_000)}`, 'a\n'],
  ['x'.repeat(200_000), ''],
])('what a kill has torn off is taken away, and nothing else: %#', (text, kept) => {
  const path = join(folder, 'lines')
  writeFileSync(path, text)
  cutTorn(path)
  expect(readFileSync(path, 'utf8')).toBe(kept)
  cutTorn(join(folder, 'none'))
})
