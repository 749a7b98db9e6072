import { expect, test } from 'vitest'
import { compileDsl } from './compile.ts'

/** The kernel of a program of x and y, with a test of dtypes. */
function kernelOf(types: readonly string[], test: string): string {
  const compiled = compileDsl(
    'kernel.npu.ts',
    `import { operator } from 'vitest-npu/dsl'
export default operator({
  name: 'Kernel',
  inputs: { x: tensor([${types.map((each) => `'${each}'`).join(', ')}]) },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    return { blockDim: 1, n: x.size }
  },
  kernel({ x, y }, { n }) {
    const xs = buffer(x.dtype, 64)
    copyIn(() => load(xs, x, 0, 64))
    if (${test}) {
      copyOut(() => store(y, 0, xs, 64))
    } else {
      copyOut(() => store(y, 0, xs, 32))
    }
  },
})
`,
  )
  if (!compiled.ok) throw new Error(compiled.message)
  return compiled.files[2]!.content
}

test('a test of dtypes tells booleans from bytes, which are the same to instructions', () => {
  const kernel = kernelOf(['bool', 'uint8', 'int8'], "x.dtype === 'bool'")
  expect(kernel).toContain('template <typename TypeX, bool IsXBool>')
  expect(kernel).toContain('if constexpr (IsXBool) {')
  expect(kernel).toContain('<Stored<DTYPE_X>::Type, AscendC::IsSameType<DTYPE_X, bool>::value>')
  expect(kernelOf(['bool', 'uint8'], "x.dtype === 'uint8'")).toContain(
    'if constexpr ((AscendC::IsSameType<TypeX, uint8_t>::value && !IsXBool)) {',
  )
})

test('a test that all columns answer alike is an answer', () => {
  expect(kernelOf(['bool'], "x.dtype === 'uint8'")).toContain('if constexpr (false) {')
  expect(kernelOf(['bool'], "x.dtype === 'bool'")).toContain('if constexpr (true) {')
  expect(kernelOf(['float16', 'float32'], "x.dtype === 'int8'")).toContain('if constexpr (false) {')
})
