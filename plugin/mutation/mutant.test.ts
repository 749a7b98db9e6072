import { expect, test } from 'vitest'
import { RandomStream } from '../inputs/index.ts'
import { drawn, isDeviceSource, statementLines } from './mutant.ts'

/** The lines of the statement around `/*here*\/`, from 1. */
function linesAround(text: string): number[] {
  const start = text.indexOf('HERE')
  return statementLines(text, { damage: 'offsets', start, end: start + 4, replacement: '', what: '' })
}

test('a statement has its own lines: not those of what is around it or before it', () => {
  expect(linesAround('void f() {\n  // x;\n  a(\n    HERE);\n  b();\n}')).toEqual([3, 4])
  expect(linesAround('if (a) {\n  HERE;\n}')).toEqual([2])
  expect(linesAround('if (HERE) {\n  b;\n}')).toEqual([1])
})

test('what depends on a condition is none of its lines', () => {
  expect(linesAround('a;\nif (b(c))\n  HERE;')).toEqual([3])
  expect(linesAround('if (b)\n  c;\nelse if (d)\n  HERE;')).toEqual([4])
  expect(linesAround('if (b &&\n    HERE)\n  c;')).toEqual([1, 2, 3])
})

test('marks in comments and texts end no statement', () => {
  expect(linesAround('a(b,  // one; two\n  ";",\n  HERE);')).toEqual([1, 2, 3])
})

test('code of the device is edited, and not the host part', () => {
  const files = ['op_kernel/x.cpp', 'op_kernel/x.h', 'op_kernel/CMakeLists.txt', 'op_host/x.cpp', 'X/op_host/x.h']
  expect(files.filter((file) => isDeviceSource({ file }))).toEqual(['op_kernel/x.cpp', 'op_kernel/x.h'])
})

test('draws different ones, the same for a seed', () => {
  const all = Array.from({ length: 50 }, (_, i) => i)
  const draw = (seed: number): number[] => drawn(all, 10, new RandomStream(seed))
  expect(new Set(draw(1)).size).toBe(10)
  expect(draw(1)).toEqual(draw(1))
  expect(draw(1)).not.toEqual(draw(2))
  expect(new Set(drawn([1, 2], 5, new RandomStream(1)))).toEqual(new Set([1, 2]))
})
