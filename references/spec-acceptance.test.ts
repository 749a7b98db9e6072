import { describe, expect, test, vi } from 'vitest'
import { accepts } from '../plugin/compare/index.ts'
import { roundTo } from '../plugin/compare/round.ts'
import { decode, encode } from '../plugin/inputs/index.ts'
import type { DType, KernelCase, Tensor } from '../plugin/model/index.ts'
import { tensorsOf, type GoldenOutputs, type GoldenTensor, type KernelTask } from '../plugin/task/index.ts'
import { casesOf } from './cases-of.ts'
import { loadSpecs } from './load-specs.ts'
import { perfect, poison, type Outputs } from './trivial-candidates.ts'

vi.setConfig({ testTimeout: 60_000 })

const tasks = await loadSpecs()

describe.each(tasks.map((task) => ({ name: task.interface.name, task })))('$name', ({ task }) => {
  test('accepts an element that is less than half a unit from golden, to either side', () => {
    for (const { kernelCase, golden } of problemsOf(task)) {
      const right = perfect(kernelCase, golden)
      for (const side of [-1, 1]) {
        const near = everyGolden(golden, (one, output, position) => {
          const stored = tensorsOf(right[output])[position]!
          return isRounded(one) ? nudged(one, stored, side) : one
        })
        expect(accepts(task, kernelCase, near, right, poison, 'strict'), JSON.stringify(kernelCase)).toBe(true)
      }
    }
  })

  test('accepts golden with a detour through float32', () => {
    for (const { kernelCase, golden } of problemsOf(task)) {
      const outputs: Outputs = perfect(kernelCase, golden)
      everyGolden(golden, (one, output, position) => {
        if (isRounded(one)) encode(valuesOf(one).map(Math.fround), tensorsOf(outputs[output])[position]!)
        return one
      })
      expect(accepts(task, kernelCase, golden, outputs, poison, 'strict'), JSON.stringify(kernelCase)).toBe(true)
    }
  })
})

function* problemsOf(task: KernelTask): Generator<{ kernelCase: KernelCase; golden: GoldenOutputs }> {
  for (const kernelCase of casesOf(task, 6, 2 ** 13)) {
    yield { kernelCase, golden: task.golden(task.draw(kernelCase), kernelCase) }
  }
}

type Rounded = Exclude<GoldenTensor, Tensor>
const isRounded = (golden: GoldenTensor): golden is Rounded => !('data' in golden)

const isList = (value: GoldenOutputs[string]): value is readonly GoldenTensor[] => Array.isArray(value)

const everyGolden = (
  golden: GoldenOutputs,
  change: (one: GoldenTensor, output: string, position: number) => GoldenTensor,
): GoldenOutputs =>
  Object.fromEntries(
    Object.entries(golden).map(([output, value]) => [
      output,
      isList(value) ? value.map((one, position) => change(one, output, position)) : change(value, output, 0),
    ]),
  )

function valuesOf(golden: Rounded): Float64Array {
  if ('values' in golden) return golden.values
  const values = new Float64Array(golden.length)
  golden.block(0, values)
  return values
}

function scaleOf(golden: Rounded): Float64Array | undefined {
  if ('values' in golden) return golden.scale
  if (!golden.scaleBlock) return undefined
  const scale = new Float64Array(golden.length)
  golden.scaleBlock(0, scale)
  return scale
}

// Golden that rounds to the stored elements, nearly half a unit to one side of them: nothing but rounding is left to allow.
function nudged(golden: Rounded, stored: Tensor, side: number): Rounded {
  const elements = new Float64Array(stored.data.length)
  decode(stored, 0, elements)
  const values = valuesOf(golden).map((value, i) => {
    const element = elements[i]!
    const step = 0.49 * side * unitAt(stored.dtype, element)
    // neighbours are closer below a power of two
    const near = [element + step, element + step / 2].find((one) => roundTo(stored.dtype, one) === element)
    return near ?? value
  })
  const scale = scaleOf(golden)
  return scale ? { values, scale } : { values }
}

const layouts: Partial<Record<DType, [mantissa: number, smallest: number]>> = {
  float16: [10, -14],
  bfloat16: [7, -126],
  float32: [23, -126],
  complex64: [23, -126],
}

// The distance to the neighbour of larger magnitude.
function unitAt(dtype: DType, value: number): number {
  const layout = layouts[dtype]
  if (!layout || !Number.isFinite(value)) return 1
  const exponent = value === 0 ? layout[1] : Math.max(Math.floor(Math.log2(Math.abs(value))), layout[1])
  return 2 ** (exponent - layout[0])
}
