import { expect, test } from 'vitest'
import { compileDsl } from './compile.ts'

/** The host part of a program with these arguments. */
function hostOf(inputs: string, outputs: string, returned = 'n: x.size'): string {
  const compiled = compileDsl(
    'host.npu.ts',
    `import { operator } from 'vitest-npu/dsl'
export default operator({
  name: 'Host',
  inputs: { ${inputs} },
  outputs: { ${outputs} },
  attrs: { k: attr.int() },
  host({ x, k }, { cores }) {
    return { blockDim: 1, ${returned} }
  },
  kernel({ x, y }, { n }) {
    const xs = buffer(x.dtype, 64)
    const ys = buffer(y.dtype, 64)
    copyIn(() => load(xs, x, 0, 64))
    compute(() => cast(ys, xs, 64))
    copyOut(() => store(y, 0, ys, 64))
  },
})
`,
  )
  if (!compiled.ok) throw new Error(compiled.message)
  return compiled.files[1]!.content
}

test('columns whose required inputs are alike are told apart by outputs', () => {
  const host = hostOf("x: tensor(['float32', 'float32'])", "y: tensor(['float16', 'bfloat16'])")
  expect(host).toContain('context->GetOutputDesc(0)->GetDataType() == types[1]')
  expect(host).toContain('{ge::DT_FLOAT, ge::DT_BF16}')
})

test('and by optional inputs where these are there', () => {
  const host = hostOf(
    "x: tensor(['float32', 'float32']), z: optional(tensor(['float16', 'float32']))",
    "y: tensor('float16')",
  )
  expect(host).toContain(
    '(context->GetOptionalInputDesc(1) == nullptr || context->GetOptionalInputDesc(1)->GetDataType() == types[1])',
  )
})

test('a required input behind an optional one is asked for by its number, whether that is there or not', () => {
  const host = hostOf("z: optional(tensor('float16')), x: tensor(['float16', 'float32'])", "y: tensor.like('x')")
  expect(host).toContain('context->GetRequiredInputShape(1)')
  expect(host).toContain('context->GetRequiredInputDesc(1)->GetDataType()')
  expect(host).toContain('context->GetRequiredInputDataType(1)')
  expect(host).not.toMatch(/Get(?:Input)(?:Shape|Desc|DataType)\(/)
})

test('the type of an output follows from those of inputs', () => {
  const host = hostOf("x: tensor(['float16', 'float32', 'bfloat16'])", "y: tensor(['float32', 'float16', 'float32'])")
  expect(host).toContain(
    'context->GetInputDataType(0) == ge::DT_FLOAT16 ? ge::DT_FLOAT : context->GetInputDataType(0) == ge::DT_FLOAT ? ge::DT_FLOAT16 : ge::DT_FLOAT',
  )
})

/** What the host part asks of divisors. */
const divided = (returned: string): string[] =>
  [
    ...hostOf("x: tensor('float32', ['...rows', 'D'])", "y: tensor('float32', ['D'])", returned).matchAll(
      /if \((.* == 0)\)/g,
    ),
  ].map(([, test]) => test!)

test('what may be 0 is asked before something is divided by it, and nothing else is', () => {
  expect(divided('n: x.size / x.shape(-1) / cores')).toEqual([])
  expect(divided('n: ceilDiv(x.size, ceilDiv(x.size / x.shape(0), cores))')).toEqual([])
  expect(divided('n: x.size / k')).toEqual(['k == 0'])
  expect(divided('n: k !== 0 ? x.size % k : 1')).toEqual(['(k != 0) && k == 0'])
  expect(divided('n: x.size / (x.shape(0) - 1)')).toEqual(['(Extent(xShape, 0) - 1) == 0'])
})

test('bytes that differ by column are counted by the column that the arguments are in', () => {
  const host = hostOf("x: tensor(['float16', 'float32'])", "y: tensor('float16')")
  expect(host).toContain('constexpr int64_t XS_BYTES[] = {2, 4};')
  expect(host).toContain('const int64_t bytes = Bytes(2, 64 * XS_BYTES[column]) +')
})
