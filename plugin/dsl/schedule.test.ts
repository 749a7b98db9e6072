import { expect, test } from 'vitest'
import { compileDsl } from './compile.ts'

/** A program that computes so many outputs before it stores them. */
function storing(count: number): string {
  const names = Array.from({ length: count }, (_, i) => `y${i}`)
  return `import { operator } from 'vitest-npu/dsl'
export default operator({
  name: 'Many',
  inputs: { x: tensor('float32') },
  outputs: { ${names.map((name) => `${name}: tensor.like('x')`).join(', ')} },
  host({ x }, { cores }) {
    return { blockDim: 1, n: min(x.size, 64) }
  },
  kernel({ x, ${names.join(', ')} }, { n }) {
    const xs = buffer('float32', n)
    ${names.map((name) => `const b${name} = buffer('float32', n)`).join('\n    ')}
    copyIn(() => load(xs, x, 0, n))
    compute(() => {
      ${names.map((name) => `adds(b${name}, xs, 1.0, n)`).join('\n      ')}
    })
    copyOut(() => {
      ${names.map((name) => `store(${name}, 0, b${name}, n)`).join('\n      ')}
    })
  },
})
`
}

test('as many tensors are in hand as there are events', () => {
  expect(compileDsl('many.npu.ts', storing(8)).ok).toBe(true)
  const compiled = compileDsl('many.npu.ts', storing(9))
  expect(compiled.ok ? '' : compiled.message).toMatchInlineSnapshot(`
    "many.npu.ts:21:5: error: 9 tensors that are stored are in hand at once, and a core tells 8 apart
       21 |     compute(() => {
          |     ^^^^^^^
          = store some of them before others are computed, in stages of their own"
  `)
})
