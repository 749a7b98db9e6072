import { expect, test } from 'vitest'
import { itemsOf } from './answer-items.ts'

const fenced = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`

test('entries are told apart by the number of their item, and code by its name', () => {
  const { entries, blocks, malformed, problem } = itemsOf(
    `Here.\n${fenced('json', '[{"item": 1, "a": "x"}, {"item": 2, "a": {"b": "}"}}, {"item": 1, "a": "y"}]')}` +
      fenced('cpp name=2/op_kernel/k.cpp', 'int a;\nint b;'),
  )
  expect(problem).toBeUndefined()
  expect(malformed.size).toBe(0)
  expect(entries.get(1)).toEqual([
    { item: 1, a: 'x' },
    { item: 1, a: 'y' },
  ])
  expect(entries.get(2)).toEqual([{ item: 2, a: { b: '}' } }])
  expect([...blocks]).toEqual([['2/op_kernel/k.cpp', 'int a;\nint b;\n']])
})

test('an entry that is no JSON takes no other with it', () => {
  const { entries, malformed } = itemsOf(
    fenced('json', '[{"item": 1, "a": oops}, {"item": 2, "a": "fine"}, {"item": 3, "a": "cut'),
  )
  expect([...entries.keys()]).toEqual([2])
  expect([...malformed.keys()]).toEqual([1, 3])
})

test('line ends within a text are taken for such', () => {
  expect(itemsOf(fenced('json', '[{"item": 1, "a": "one\n\ttwo \\" {"}]')).entries.get(1)).toEqual([
    { item: 1, a: 'one\n\ttwo " {' },
  ])
})

test.each([
  ['no block at all', 'I cannot answer this.'],
  ['a block without an object', fenced('json', '[]')],
])('%s is a problem of the answer', (_, answer) => {
  expect(itemsOf(answer).problem).toMatch(/JSON/)
})
