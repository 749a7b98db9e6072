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

test('a cast rounds in each column as its types ask for', () => {
  const compiled = compileDsl(
    'kernel.npu.ts',
    `import { operator } from 'vitest-npu/dsl'
export default operator({
  name: 'Kernel',
  inputs: { x: tensor(['float16', 'int32', 'float32']) },
  outputs: { y: tensor.like('x') },
  host({ x }) {
    return { blockDim: 1, n: x.size }
  },
  kernel({ x, y }, { n }) {
    const wide = buffer('float32', 64)
    const ys = buffer(y.dtype, 64)
    compute(() => {
      duplicate(wide, 0.5, 64)
      cast(ys, wide, 64)
    })
    copyOut(() => store(y, 0, ys, 64))
  },
})
`,
  )
  expect(compiled.ok ? compiled.files[2]!.content : compiled.message).toContain(
    'Convert(ys, wide, AscendC::IsSameType<TypeX, half>::value ? AscendC::RoundMode::CAST_RINT : AscendC::RoundMode::CAST_TRUNC, 64);',
  )
})
