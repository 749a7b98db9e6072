/* oxlint-disable unicorn/consistent-function-scoping -- each model stands beside the promise that needs it */
import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { judge } from '../plugin/compare/index.ts'
import { encode, toFloat64 } from '../plugin/inputs/index.ts'
import type { KernelCase, Tensor } from '../plugin/model/index.ts'
import { shapeOf, tensorsOf, type Inputs, type KernelTask } from '../plugin/task/index.ts'
import { pagedAttention } from './golden/attention.ts'
import { loadSpecs } from './load-specs.ts'
import { perfect, poison, type Outputs } from './trivial-candidates.ts'

vi.setConfig({ testTimeout: 60_000 })

const tasks = new Map((await loadSpecs()).map((task) => [task.interface.name, task]))
const generated = (task: KernelTask, numRuns: number): KernelCase[] => fc.sample(task.domain, { numRuns, seed: 7 })
const only = (inputs: Inputs, name: string): Tensor => tensorsOf(inputs[name])[0]!
const listOf = ({ attrs }: KernelCase, name: string): number[] => {
  const list = attrs[name]
  return Array.isArray(list) ? list : []
}

/** The verdict on what is right but for `change`. */
function verdictOn(task: KernelTask, kernelCase: KernelCase, change: (outputs: Outputs, inputs: Inputs) => void) {
  const inputs = task.draw(kernelCase)
  const golden = task.golden(inputs, kernelCase)
  const outputs = perfect(kernelCase, golden)
  change(outputs, inputs)
  return judge(task, kernelCase, golden, outputs, poison).strict.kind
}

describe('sequences that are longer than a tile of 1024 keys', () => {
  test('FlashAttentionScoreWithLargeHeadDim: one in five, and who forgets the keys behind it is found', () => {
    const task = tasks.get('FlashAttentionScoreWithLargeHeadDim')!
    const cases = generated(task, 100)
    const long = cases.filter((kernelCase) => shapeOf(kernelCase, 'query')[1]! > 1024)
    expect(long.length).toBeGreaterThan(10)
    const verdicts = (most: number) =>
      long.slice(0, 8).map((kernelCase) => verdictOn(task, kernelCase, firstQuery(kernelCase, most)))
    expect(new Set(verdicts(Infinity))).toEqual(new Set(['correct']))
    // some draws have the same value everywhere
    expect(verdicts(1024).filter((verdict) => verdict === 'wrong-value').length).toBeGreaterThan(3)
  })

  // What the first query gets of the first `most` keys; the only head.
  const firstQuery = (kernelCase: KernelCase, most: number) => (outputs: Outputs, inputs: Inputs) => {
    const [batch = 0, length = 0, depth = 0] = shapeOf(kernelCase, 'query')
    expect([batch, kernelCase.attrs.head_num]).toEqual([1, 1])
    const [query, key, value] = ['query', 'key', 'value'].map((name) => toFloat64(only(inputs, name)))
    const scores = Array.from({ length: Math.min(length, most) }, (_, j) => {
      let sum = 0
      for (let i = 0; i < depth; i++) sum += query![i]! * key![j * depth + i]!
      return Number(kernelCase.attrs.scale_value) * sum
    })
    const max = Math.max(...scores)
    const powers = scores.map((score) => Math.exp(score - max))
    const total = powers.reduce((sum, power) => sum + power, 0)
    const out = Float64Array.from({ length: depth }, (_, column) =>
      powers.reduce((sum, power, j) => sum + (power / total) * value![j * depth + column]!, 0),
    )
    encode(out, tensorsOf(outputs.attention_out)[0]!)
  }

  test('Mla: one in ten, and who forgets the tokens behind it is found', () => {
    const task = tasks.get('Mla')!
    const tokens = (kernelCase: KernelCase) => Math.max(...listOf(kernelCase, 'k_seqlen_list'))
    // the longest first: a token more is hardly noticed
    const long = generated(task, 100)
      .filter((kernelCase) => tokens(kernelCase) > 1024)
      .sort((one, other) => tokens(other) - tokens(one))
    expect(long.length).toBeGreaterThan(4)
    const verdicts = (most: number) =>
      long.slice(0, 5).map((kernelCase) => verdictOn(task, kernelCase, ofTokens(kernelCase, most)))
    expect(new Set(verdicts(Infinity))).toEqual(new Set(['correct']))
    // some draws have the same value everywhere
    expect(verdicts(1024).filter((verdict) => verdict === 'wrong-value').length).toBeGreaterThan(1)
  })

  // What all queries get of the first `most` tokens of each sequence.
  const ofTokens =
    (kernelCase: KernelCase, most: number) =>
    ({ out }: Outputs, inputs: Inputs) => {
      const lengths = listOf(kernelCase, 'k_seqlen_list').map((length) => Math.min(length, most))
      const [query_nope, query_rope, kv_nope_cache, kv_rope_cache, block_tables] = [
        only(inputs, 'query_nope'),
        only(inputs, 'query_rope'),
        only(inputs, 'kv_nope_cache'),
        only(inputs, 'kv_rope_cache'),
        only(inputs, 'block_tables'),
      ] as const
      const paged = { query_nope, query_rope, kv_nope_cache, kv_rope_cache, block_tables }
      encode(pagedAttention(paged, listOf(kernelCase, 'q_seqlen_list'), lengths).values, tensorsOf(out)[0]!)
    }
})

test('StridedSliceAssignV2: strides along all axes but the innermost, which operators do not take', () => {
  const task = tasks.get('StridedSliceAssignV2')!
  let strided = 0
  for (const kernelCase of [...task.staticCases, ...generated(task, 300)]) {
    const inputs = task.draw(kernelCase)
    const [strides, axes] = [toFloat64(only(inputs, 'strides')), inputs.axes && toFloat64(only(inputs, 'axes'))]
    const innermost = shapeOf(kernelCase, 'var').length - 1
    for (const [entry, stride] of strides.entries()) {
      if ((axes ? axes[entry]! : entry) === innermost) expect(stride).toBe(1)
      else if (stride > 1) strided++
    }
  }
  expect(strided).toBeGreaterThan(100)
})

describe.each(['CrossEntropyLoss', 'CrossEntropyLossGrad'])('%s', (name) => {
  test('a mean is never over none: of that references think differently', () => {
    const task = tasks.get(name)!
    let ignoring = 0
    for (const kernelCase of generated(task, 300)) {
      const ignored = Number(kernelCase.attrs.ignore_index)
      const labels = toFloat64(only(task.draw(kernelCase), 'target'))
      if (labels.includes(ignored)) ignoring++
      expect(labels.some((label) => label !== ignored)).toBe(true)
    }
    expect(ignoring).toBeGreaterThan(20)
  })
})

describe('MaskedSelectV3', () => {
  const task = tasks.get('MaskedSelectV3')!
  const kernelCase = task.staticCases.find((one) => shapeOf(one, 'x').length === 3)!
  const selected = (inputs: Inputs) => toFloat64(only(inputs, 'mask')).reduce((sum, one) => sum + one, 0)
  const changed = (place: (count: number) => number) =>
    verdictOn(task, kernelCase, ({ y }, inputs) => {
      const at = place(selected(inputs))
      const { data } = tensorsOf(y)[0]!
      data[at] = data[at] === 0x1234 ? 0x4321 : 0x1234
    })

  test('declares y alone: where its shape is told is an argument of the runtime', () => {
    expect(task.interface.outputs.map((output) => output.name)).toEqual(['y'])
    expect(shapeOf(kernelCase, 'y')).toEqual([8 * 16 * 32])
  })

  test('what follows the selected elements may be anything, the last of them may not', () => {
    expect(changed((count) => count)).toBe('correct')
    expect(changed(() => 8 * 16 * 32 - 1)).toBe('correct')
    expect(changed((count) => count - 1)).toBe('wrong-value')
    expect(changed(() => 0)).toBe('wrong-value')
  })

  test('masks select none, some and all', () => {
    const shares = new Set(
      generated(task, 200).map((one) => Math.round(selected(task.draw(one)) / shapeOf(one, 'y')[0]!)),
    )
    expect(shares).toEqual(new Set([0, 1]))
    expect(generated(task, 200).some((one) => selected(task.draw(one)) === 0)).toBe(true)
  })
})
