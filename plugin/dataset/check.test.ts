import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { InfrastructureError } from '../model/index.ts'
import { checkRows, type CheckedLine, type CheckOptions } from './check.ts'
import { CheckedLines } from './checked-lines.ts'
import { DatasetError } from './error.ts'
import { rowOf, type Row } from './row.ts'

const folder = mkdtempSync(join(tmpdir(), 'check-'))
afterAll(() => rmSync(folder, { recursive: true }))

const provenance = { source: 'cot.json', sha256: '0'.repeat(64), licence: 'Apache-2.0' }
const mixed = (answer: string): Row => rowOf({ kind: 'mixed', request: 'why?', answer, proof: {}, provenance })

const path = join(folder, 'rows.jsonl')
const lines = [
  mixed('wrong'),
  mixed('right'),
  mixed('wrong'),
  { ...mixed('other'), id: '0'.repeat(32) },
  mixed('prose'),
]
writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

const checkMixed: CheckOptions['checkMixed'] = (rows) =>
  Promise.resolve(
    rows.map(({ answer }) => ({
      problems: answer === 'wrong' ? [{ reason: 'does not compile', detail: 'no' }] : [],
      compiled: answer === 'prose' ? 0 : 1,
      names: 0,
    })),
  )

async function checked(isKnown: (number: number) => boolean = () => false): Promise<CheckedLine[]> {
  const found: CheckedLine[] = []
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing is judged here
  for await (const line of checkRows(path, { checkMixed, isKnown } as CheckOptions)) found.push(line)
  return found
}

const told = ({ number, outcome, problems }: CheckedLine): string => `${number} ${outcome} ${problems.join()}`.trimEnd()

test('every line has an outcome, and a row that is there twice or has the id of another is wrong', async () => {
  expect((await checked()).map(told)).toEqual([
    '1 wrong does not compile: no',
    '2 right',
    '3 wrong is there twice',
    '4 wrong id: is not that of its content',
    '5 nothing to verify',
  ])
})

test('a check that goes on looks at no line again, and knows what was there twice', async () => {
  const kept = { folder: join(folder, 'checked'), settings: { rows: 'these' } }
  const first = new CheckedLines(kept)
  for (const line of (await checked()).slice(0, 2)) first.add(line)
  first.close()
  const second = new CheckedLines(kept)
  const rest = await checked((number) => second.has(number))
  expect(rest.map(told)).toEqual([
    '3 wrong is there twice',
    '4 wrong id: is not that of its content',
    '5 nothing to verify',
  ])
  for (const line of rest) second.add(line)
  expect(Object.fromEntries(second.counts())).toEqual({
    mixed: {
      right: 1,
      wrong: 2,
      nothing: 1,
      unchecked: 0,
      compiled: 1,
      reasons: new Map([
        ['does not compile', 1],
        ['is there twice', 1],
      ]),
    },
    'no row': { right: 0, wrong: 1, nothing: 0, unchecked: 0, compiled: 0, reasons: new Map() },
  })
  second.close()
  expect(() => new CheckedLines({ ...kept, settings: { rows: 'others' } })).toThrow(/was begun with rows/)
})

const rowOfTask = (task: string): Row =>
  rowOf({
    kind: 'error',
    request: `${task}:\n\n\`\`\`cpp\na\n\`\`\``,
    thought: 'because',
    answer: '```cpp\nb\n```',
    proof: {
      level: 'api',
      suite: 's',
      task,
      verdict: 'compile-failed',
      class: null,
      failing: [{ path: 'op_kernel/a.cpp', content: 'a' }],
      corrected: [{ path: 'op_kernel/a.cpp', content: 'b' }],
    },
    provenance,
  })

/** Nobody knows any task, and of one there is no golden. */
const taskOf = (_: string, name: string): Promise<never> =>
  Promise.reject(name === 'impossible' ? new InfrastructureError('no golden') : new DatasetError(`no ${name}`))

test('a row that cannot be checked costs the others nothing, and is looked at again', async () => {
  const file = join(folder, 'tasks.jsonl')
  const rows = ['unknown', 'impossible', 'unknown too'].map((task) => JSON.stringify(rowOfTask(task)))
  writeFileSync(file, `${rows.join('\n')}\n`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing is judged
  const options = { taskOf, judging: {} } as unknown as CheckOptions
  const kept = new CheckedLines({ folder: join(folder, 'tasks'), settings: {} })
  const found: string[] = []
  for await (const line of checkRows(file, options)) {
    found.push(told(line))
    kept.add(line)
  }
  expect(found).toEqual([
    '1 wrong no unknown',
    '2 not checked could not be checked: no golden',
    '3 wrong no unknown too',
  ])
  expect(kept.counts().get('error')).toMatchObject({ wrong: 2, unchecked: 1 })
  expect([1, 2, 3].map((number) => kept.has(number))).toEqual([true, false, true])
  kept.close()
})
