import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findEntry, type KernelEntry } from './kernel-entry.ts'

const defined = 'extern "C" __global__ __aicore__ void k(GM_ADDR x) {}\n'

/** Which file is taken for the kernel. */
const entryOf = (texts: Record<string, string>): string => entryIn(texts).path

function entryIn(texts: Record<string, string | Buffer>): KernelEntry {
  const files = Object.entries(texts).map(([name, text]) => ({
    name: join('op_kernel', name),
    text: Buffer.from(text),
  }))
  const options = { defines: [], includes: [], autoSync: true }
  const trees = [{ root: '/c', mark: '/mark', key: '', files }]
  return findEntry({ kernelDir: '/c/op_kernel', trees, options, kernel: 'k' })
}

test('the kernel is in the file that is called like it, or else in the only one that defines it', () => {
  expect(entryOf({ 'a.cpp': defined, 'k.cpp': defined })).toBe('/c/op_kernel/k.cpp')
  expect(entryOf({ 'a.cpp': `#if 0\n${defined}#endif\n`, 'b.cpp': defined })).toBe('/c/op_kernel/b.cpp')
  expect(() => entryOf({ 'a.cpp': defined, 'b.cpp': defined })).toThrow('a.cpp and b.cpp define the kernel `k`')
  expect(() => entryOf({ 'a.cpp': defined, 'k.cpp': '#include "k.h"\n' })).toThrow('k.cpp does not define the kernel')
  expect(() => entryOf({ 'k.cpp': '' })).toThrow('no file in op_kernel defines the kernel `k`')
})

test('macros that open or close a brace are known from all folders', () => {
  const entry = entryIn({ 'k.cpp': `${defined}void f() { k<<<1, 0, s>>>(x); }`, '../inc/a.h': '#define END }' })
  expect([...entry.macros.braces]).toEqual(['END'])
})

const bytes = (text: string) => Buffer.from(`${defined}${text}`, 'latin1')

test('a kernel whose text is no UTF-8 is not read as another one', () => {
  expect(() => entryIn({ 'k.cpp': bytes('constexpr int n = sizeof("\xff");') })).toThrow('k.cpp is no UTF-8')
  expect(entryIn({ 'k.cpp': bytes('// \xff') }).path).toBe('/c/op_kernel/k.cpp')
})
