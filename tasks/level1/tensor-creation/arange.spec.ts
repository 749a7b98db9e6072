import * as fc from 'fast-check'
import { comparedIn, dim, exact, kernelSuite, publicDefault, roundBlock, scalarTensor, tensor } from 'vitest-npu'
import { arange } from '../../../references/golden/creation.ts'

const types = ['float32', 'float16', 'int32', 'int64', 'bfloat16'] as const
type Type = (typeof types)[number]

// The length follows from what the three numbers are in the dtype.
function range(dtype: Type, start: number, end: number, step: number) {
  const rounded = Float64Array.of(start, end, step)
  if (dtype !== 'int32' && dtype !== 'int64') roundBlock(dtype, rounded)
  const [from, to, by] = [rounded[0]!, rounded[1]!, rounded[2]!]
  return { dtype, start, end, step, length: Math.ceil((to - from) / by) }
}

const lengths = dim({ max: 16384 })
const steps = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: -9, max: -1 }))
const integers = fc
  .record({
    dtype: fc.constantFrom<Type>('int32', 'int64'),
    start: fc.integer({ min: -100_000, max: 100_000 }),
    step: fc.oneof(
      steps,
      steps.map((step) => step * 1117),
    ),
    length: lengths,
    // past what 32 bits hold
    far: fc.constantFrom(0, 0, 2 ** 33, -(2 ** 33)),
    longer: fc.constantFrom(0, 0, 2 ** 32, -(2 ** 32)),
  })
  .map(({ far, longer, ...drawn }) => ({
    ...drawn,
    step: drawn.step + (drawn.dtype === 'int64' ? longer : 0),
    start: drawn.start + (drawn.dtype === 'int64' ? far : 0),
  }))
  .map(({ dtype, start, step, length }) => range(dtype, start, start + (length - 1) * step + Math.sign(step), step))
const floats = fc
  .record({
    dtype: fc.constantFrom<Type>('float32', 'float16'),
    start: fc.integer({ min: -1000, max: 1000 }),
    step: steps,
    unit: fc.constantFrom(1, 0.1, 0.375),
    length: lengths,
  })
  .map(({ dtype, start, step, unit, length }) =>
    range(dtype, start * unit, (start + step * (length - 0.5)) * unit, step * unit),
  )
  .filter(({ dtype, start, end, length }) => length >= 1 && (dtype === 'float32' || Math.abs(end - start) < 30_000))
const bfloats = (units: readonly number[], longest: number, most: number) =>
  fc
    .record({
      start: fc.integer({ min: -128, max: 128 }),
      step: steps,
      unit: fc.constantFrom(...units),
      length: dim({ max: longest }),
    })
    .filter(({ start, step, length }) => Math.abs(start + step * length) <= most)
    .map(({ start, step, unit, length }) =>
      range('bfloat16', start * unit, (start + step * length) * unit, step * unit),
    )
// Whole numbers up to 256 and their multiples by powers of 2: bfloat16 holds every one of them.
const exactOnes = bfloats([1, 0.25, 16], 100, 256)
// What it has to round, and where a step that is added again and again is lost.
const inexact = bfloats([1, 0.1], 1000, Infinity).filter(({ length }) => length >= 1 && length <= 2000)

kernelSuite('Arange', {
  category: 'TensorCreation',
  kernel: 'arange',
  description:
    'Arithmetic sequence: out[i] = start + i * step for i = 0 ... length - 1, with length = ceil((end - start) / step). start, end and step are single numbers in device memory.',
  inputs: {
    start: scalarTensor({ dtype: types }),
    end: scalarTensor({ dtype: types }),
    step: scalarTensor({ dtype: types }),
  },
  outputs: { out: tensor({ dtype: types, shape: ['length'] }) },
  golden: ({ start, end, step }) => ({ out: arange(start, end, step) }),
  domain: fc.oneof(integers, floats, fc.oneof(exactOnes, inexact)),
  // start + i * step in float32, or a few more roundings by way of a progression; adding step each time drifts and fails.
  strict: (context) =>
    context.dtype.startsWith('int') ? exact(context) : { absolute: 2 ** -149, relative: 2 ** -24, scaled: 2 ** -20 },
  benchmark: {
    // Its floats are float32, whatever the dtype of the row.
    tolerance: (context) =>
      (context.dtype.startsWith('int') ? publicDefault : comparedIn('float32', publicDefault))(context),
    note: 'no negative step',
  },
  cases: [
    range('int32', 1, 4096, 1),
    range('float32', 2, 9, 0.5),
    range('float16', -6.5, 143.6, 1),
    range('bfloat16', -70.8, 120.2, 2),
    range('float32', 48.6, 80.4, 1.4),
    range('int32', 44, 1532, 10),
    range('int64', -210, 674, 3),
    range('float16', 92.7, 112.9, 0.8),
    range('bfloat16', -2, 157, 4),
    range('float32', -94.6, 123, 2.8),
    range('int32', 402, 1160, 1),
    range('int64', 444, 1887, 3),
  ],
})
