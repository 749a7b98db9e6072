import type { Rejected } from './rejected.ts'

// Products that the compiler refuses, each with what makes it right.

/** A right program, whose parts the cases below replace. */
export const rightProductProgram = `import { buffer, compute, copyIn, copyOut, load, matmul, muls, operator, range, store, tensor } from 'vitest-npu/dsl'

export default operator({
  name: 'Example',
  inputs: { a: tensor(['float16', 'float32'], ['m', 'k']), b: tensor(['float16', 'float32'], ['k', 'n']), bias: tensor('float32', ['n']) },
  outputs: { c: tensor('float32', ['m', 'n']), },
  host({ a, b }, { cores }) {
    return { blockDim: cores, m: a.shape(0), k: a.shape(1), n: b.shape(1) }
  },
  kernel({ a, b, bias, c }, { m, k, n }, core) {
    matmul(c, a, b, [m, k, n], bias)
  },
})
`

const call = 'matmul(c, a, b, [m, k, n], bias)'

export const rejectedProducts: readonly Rejected[] = [
  {
    name: 'a product beside something else',
    part: call,
    wrong: `const rows = m\n    ${call}`,
    right: 'matmul(c, a, b, [m, k, n])',
  },
  {
    name: 'a product in a loop',
    part: call,
    wrong: `for (const i of range(2)) ${call}`,
    right: 'matmul(c, a, b, [m * 1, k, n])',
  },
  { name: 'a product in a stage', part: call, wrong: `compute(() => ${call})`, right: call },
  { name: 'a product without an extent', part: '[m, k, n]', wrong: '[m, k]', right: '[m, k, n]' },
  { name: 'an extent that differs from core to core', part: '[m, k, n]', wrong: '[m, k, core]', right: '[m, k, n]' },
  {
    name: 'a product of other types',
    part: "['float16', 'float32'], ['m', 'k']",
    wrong: "['int32', 'float32'], ['m', 'k']",
    right: "['float16', 'float32'], ['m', 'k']",
  },
  {
    name: 'a product of two types',
    part: "['float16', 'float32'], ['k', 'n']",
    wrong: "['float32', 'float16'], ['k', 'n']",
    right: "['float16', 'float32'], ['k', 'n']",
  },
  {
    name: 'a product that is kept in too short a type',
    part: "c: tensor('float32'",
    wrong: "c: tensor('float16'",
    right: "c: tensor(['float16', 'float32']",
  },
  {
    name: 'a bias of whole numbers',
    part: "bias: tensor('float32'",
    wrong: "bias: tensor('int32'",
    right: "bias: tensor(['float16', 'float32']",
  },
  { name: 'a product of its own result', part: 'matmul(c, a, b', wrong: 'matmul(c, c, b', right: 'matmul(c, a, b' },
  {
    name: 'a product that overwrites an input',
    part: 'matmul(c, a, b',
    wrong: 'matmul(a, a, b',
    right: 'matmul(c, a, b',
  },
]
