import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  attr,
  defineTask,
  dim,
  exact,
  float32Roundings,
  normal,
  scalarTensor,
  tensor,
  tensorList,
  type KernelTask,
} from '../task/index.ts'
import { kernelArguments, skeletonOf } from './skeleton.ts'
import {
  attributesText,
  casesText,
  caseText,
  combinationsText,
  domainText,
  hardwareText,
  inputsText,
  numberText,
  outputsText,
  toleranceText,
} from './task-facts.ts'

const task: KernelTask = defineTask('Everything', {
  category: 'Foreach',
  kernel: 'everything',
  description: 'All at once.',
  inputs: {
    x: tensorList({ dtype: ['float16', 'float32'], draw: normal() }),
    scale: scalarTensor({ dtype: 'float32' }),
    bias: tensor({ dtype: ['float16', 'float32'], shape: ['n', 4], optional: true }),
  },
  outputs: {
    x: tensorList.like('x', { aliases: 'x' }),
    found: tensor({ dtype: 'int32', shape: [1], zeroed: true }),
    other: tensor({ dtype: 'float32', shape: [1] }),
  },
  attrs: { factor: attr.float(2), mode: attr.string(), axes: attr.listInt([1, 2]) },
  golden: () => ({ x: [], found: { values: new Float64Array(1) }, other: { values: new Float64Array(1) } }),
  domain: { x: dim.shapes({ max: 3, rank: 2 }), n: dim({ max: 9 }), mode: fc.constantFrom('a', 'b') },
  maxElements: 4096,
  strict: (context) => (context.output === 'found' ? exact(context) : float32Roundings(2)(context)),
  judged: () => ['x', 'found'],
  cases: [
    { x: [[3], [4, 5]], n: 2, dtype: 0, mode: 'a' },
    { x: Array.from({ length: 20 }, () => [7]), n: 1, dtype: 1, mode: 'b', bias: null, factor: 0.5, values: {} },
  ],
})

describe('what a task says, in words', () => {
  test('its arguments', () => {
    expect(inputsText(task)).toBe(`- x: list of tensors, float16 or float32, format ND, any shapes
- scale: one number in device memory, float32, format ND
- bias: tensor, float16 or float32, format ND, shape [n, 4], optional: the address is null where it is absent`)
    expect(outputsText(task))
      .toBe(`- x: list of tensors, float16 or float32, format ND, any shapes, in place: it has the address of the input x
- found: tensor, int32, format ND, shape [1], filled with zeros before the launch
- other: tensor, float32, format ND, shape [1]`)
  })

  test('its attributes and dtypes', () => {
    expect(attributesText(task)).toBe(`- factor (index 0): float, default 2
- mode (index 1): string, always given
- axes (index 2): listInt, default [1,2]`)
    expect(combinationsText(task))
      .toBe(`- x float16, scale float32, bias float16 -> x float16, found int32, other float32
- x float32, scale float32, bias float32 -> x float32, found int32, other float32`)
  })

  test('its tolerance, by output and dtype, of what is judged', () => {
    expect(toleranceText(task, task.staticCases))
      .toBe(`- x (float16): 2^-23 * |x| + 2^-149, before the rounding to float16
- x (float32): 2^-23 * |x| + 2^-149, before the rounding to float32
- found (int32): exactly
- other: not judged`)
    expect(toleranceText(task, task.staticCases.slice(1))).not.toContain('float16')
  })

  test('one case, and all of them in lines that have an end', () => {
    expect(caseText(task.staticCases[1]!)).toBe(`- input x: 20 of float32: ${'[7] '.repeat(12)}and 8 more
- input scale: float32 []
- input bias: absent
- output x: 20 of float32: ${'[7] '.repeat(12)}and 8 more
- output found: int32 [1]
- output other: float32 [1]
- attribute factor: 0.5
- attribute mode: "b"
- attribute axes: [1,2]`)
    const lines = casesText(Array.from({ length: 30 }, () => task.staticCases[1]!)).split('\n')
    expect(lines).toHaveLength(13)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(240)
    expect(lines.at(-1)).toBe('- 18 more of that kind')
  })

  test('what its domain draws, the same every time', () => {
    expect(domainText(task)).toBe(domainText(task))
    expect(domainText(task)).toMatch(
      /^- x: [123] \.\.\. 3 tensors, rank 1 \.\.\. 2, 1 \.\.\. \d+ elements\n- bias: rank 2, 4 \.\.\. 36 elements\n/,
    )
    expect(domainText(task)).toMatch(
      /\n- attribute factor: 2\n- attribute mode: "a", "b"\n.*\n- generated cases have at most 4096 elements/,
    )
  })

  test('the figures of a SoC', () => {
    expect(hardwareText('Ascend910B4')).toContain('Ascend910B4: 20 cube cores (AIC) and 40 vector cores (AIV)')
    expect(hardwareText('Ascend910B4')).toContain('global memory 800 GB/s')
  })
})

test.each([
  [0, '0'],
  [3, '3'],
  [2 ** -24, '2^-24'],
  [3 * 2 ** -24, '3 * 2^-24'],
  [63 * 2 ** -30, '63 * 2^-30'],
  [1e-3, '0.00100'],
])('%f is written %s', (value, text) => {
  expect(numberText(value)).toBe(text)
})

test('a skeleton tells an output from the input of its name, and lists from tensors', () => {
  expect(kernelArguments(task.interface)).toEqual(['x', 'scale', 'bias', 'x_out', 'found', 'other'])
  const renamed = { ...task.interface, inputs: [{ ...task.interface.inputs[1]!, name: 'tiling' }] }
  expect(kernelArguments(renamed).slice(0, 2)).toEqual(['tiling_in', 'x'])
  const [header, host, kernel] = skeletonOf(task.interface).map(({ content }) => content)
  expect(header).toContain('REGISTER_TILING_DATA_CLASS(Everything, EverythingTilingData)')
  expect(host).toContain('GetDynamicInputShape(0, 0)')
  expect(host).toContain('GetOptionalInputShape(2)')
  expect(host).toContain('this->Attr("factor").AttrType(OPTIONAL).Float(2.0f);')
  expect(host).toContain('this->Attr("mode").AttrType(REQUIRED).String();')
  expect(host).toContain('this->Attr("axes").AttrType(OPTIONAL).ListInt({1, 2});')
  expect(kernel).toContain(
    'void everything(GM_ADDR x, GM_ADDR scale, GM_ADDR bias, GM_ADDR x_out, GM_ADDR found, GM_ADDR other, GM_ADDR workspace, GM_ADDR tiling)',
  )
})
