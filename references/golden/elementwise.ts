import {
  decode,
  emptyTensor,
  encode,
  roundBlock,
  toFloat64,
  type DType,
  type GoldenBlocks,
  type GoldenTensor,
  type Tensor,
} from 'vitest-npu'

/** x + y, element by element. Exact in float64 for 16-bit floats; one float64 rounding otherwise. */
export const add = (x: Tensor, y: Tensor): GoldenBlocks =>
  mapPairs(x, y, (values, others) => {
    for (let i = 0; i < values.length; i++) values[i] = values[i]! + others[i]!
  })

/** The square root of every element, correctly rounded to float64; NaN below zero. */
export const sqrt = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.sqrt(values[i]!)
  })

/** 1 / sqrt(x). */
export const rsqrt = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = 1 / Math.sqrt(values[i]!)
  })

/** sin(x), x in radians. */
export const sin = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.sin(values[i]!)
  })

/** cos(x), x in radians. */
export const cos = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.cos(values[i]!)
  })

/** The hyperbolic tangent of every element. */
export const tanh = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.tanh(values[i]!)
  })

/** |x|; the smallest integer stays what it is, a complex number becomes its modulus with imaginary part 0. */
export function abs(x: Tensor): GoldenTensor {
  if (x.dtype === 'complex64') return map(x, modulus)
  return mapExact(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.abs(values[i]!)
  })
}

// Blocks start and end between numbers. Squares of float32 values neither overflow nor vanish in float64.
function modulus(values: Float64Array): void {
  for (let i = 0; i < values.length; i += 2) {
    const [re, im] = [values[i]!, values[i + 1]!]
    values[i] = Math.sqrt(re * re + im * im)
    values[i + 1] = 0
  }
}

/** -x; the smallest integer stays what it is. */
export const neg = (x: Tensor): GoldenTensor =>
  mapExact(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = -values[i]!
  })

/** x with the second half of its last axis negated; of an odd extent the larger half. */
export function negateSecondHalf(x: Tensor): GoldenBlocks {
  const width = x.shape.at(-1)!
  const half = Math.floor(width / 2)
  return mapFrom(x, (values, start) => {
    let column = start % width
    for (let i = 0; i < values.length; i++) {
      if (column >= half) values[i] = -values[i]!
      if (++column === width) column = 0
    }
  })
}

/** x * value, `value` a tensor of one element; products of integers are whole numbers below 2^53. */
export function muls(x: Tensor, value: Tensor): GoldenTensor {
  const factor = toFloat64(value)[0]!
  return mapExact(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = values[i]! * factor
  })
}

/** min(max(x, low), high), the limits tensors of one element. */
export function clip(x: Tensor, low: Tensor, high: Tensor): GoldenTensor {
  const [least, most] = [toFloat64(low)[0]!, toFloat64(high)[0]!]
  return mapExact(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.min(Math.max(values[i]!, least), most)
  })
}

/** start + weight * (end - start). The scale bounds what any order of evaluation rounds: max(1, |weight|, |1 - weight|) (|start| + |end|). */
export const lerp = (start: Tensor, end: Tensor, weight: Tensor): GoldenBlocks => ({
  ...mapAll([start, end, weight], (values, ends, weights) => {
    for (let i = 0; i < values.length; i++) values[i] = values[i]! + weights[i]! * (ends[i]! - values[i]!)
  }),
  scaleBlock: mapAll([start, end, weight], (values, ends, weights) => {
    for (let i = 0; i < values.length; i++) {
      const share = Math.max(1, Math.abs(weights[i]!), Math.abs(1 - weights[i]!))
      values[i] = share * (Math.abs(values[i]!) + Math.abs(ends[i]!))
    }
  }).block,
})

/** input + x1 / x2 * value, `value` a tensor of one element. The scale is |x1 / x2 * value|. */
export function addcdiv(input: Tensor, x1: Tensor, x2: Tensor, value: Tensor): GoldenBlocks {
  const factor = toFloat64(value)[0]!
  return {
    ...mapAll([input, x1, x2], (values, dividends, divisors) => {
      for (let i = 0; i < values.length; i++) values[i] = values[i]! + (dividends[i]! / divisors[i]!) * factor
    }),
    scaleBlock: mapAll([x1, x2], (values, divisors) => {
      for (let i = 0; i < values.length; i++) values[i] = Math.abs((values[i]! / divisors[i]!) * factor)
    }).block,
  }
}

/** The same as the public reference computes it: float16 rounds every step, other types compute in float32. */
export function addcdivInSteps(input: Tensor, x1: Tensor, x2: Tensor, value: Tensor): GoldenBlocks {
  const factor = toFloat64(value)[0]!
  const step = input.dtype === 'float16' ? 'float16' : 'float32'
  return mapAll([input, x1, x2], (values, quotients, divisors) => {
    for (let i = 0; i < values.length; i++) quotients[i] = quotients[i]! / divisors[i]!
    addScaledInSteps(values, quotients, factor, step)
    roundBlock(input.dtype, values)
  })
}

/** input + x1 * x2 * value, `value` a tensor of one element; int32 wraps around. The scale is |x1 * x2 * value|. */
export function addcmul(input: Tensor, x1: Tensor, x2: Tensor, value: Tensor): GoldenTensor {
  const factor = toFloat64(value)[0]!
  if (input.dtype === 'int32') return addcmulInt32(input, x1, x2, factor)
  return {
    ...mapAll([input, x1, x2], (values, factors, others) => {
      for (let i = 0; i < values.length; i++) values[i] = values[i]! + factors[i]! * others[i]! * factor
    }),
    scaleBlock: mapAll([x1, x2], (values, others) => {
      for (let i = 0; i < values.length; i++) values[i] = Math.abs(values[i]! * others[i]! * factor)
    }).block,
  }
}

/** The same as the public reference computes it: float16 rounds every step, other floats compute in float32. */
export function addcmulInSteps(input: Tensor, x1: Tensor, x2: Tensor, value: Tensor): GoldenTensor {
  const factor = toFloat64(value)[0]!
  if (input.dtype === 'int32') return addcmulInt32(input, x1, x2, factor)
  const step = input.dtype === 'float16' ? 'float16' : 'float32'
  return mapAll([input, x1, x2], (values, products, others) => {
    for (let i = 0; i < values.length; i++) products[i] = products[i]! * others[i]!
    addScaledInSteps(values, products, factor, step)
    roundBlock(input.dtype, values)
  })
}

// values + terms * factor, every step rounded, the making of the terms included.
function addScaledInSteps(
  values: Float64Array,
  terms: Float64Array,
  factor: number,
  step: 'float16' | 'float32',
): void {
  roundBlock(step, terms)
  for (let i = 0; i < terms.length; i++) terms[i] = terms[i]! * factor
  roundBlock(step, terms)
  for (let i = 0; i < values.length; i++) values[i] = values[i]! + terms[i]!
  roundBlock(step, values)
}

function addcmulInt32(input: Tensor, x1: Tensor, x2: Tensor, factor: number): Tensor {
  const result = emptyTensor('int32', input.shape)
  const [addends, factors, others] = [input.data, x1.data, x2.data]
  for (let i = 0; i < result.data.length; i++) {
    const product = Math.imul(Math.imul(Number(factors[i]), Number(others[i])), factor)
    result.data[i] = (Number(addends[i]) + product) | 0
  }
  return result
}

/** What a reference that ends in the dtype holds: results rounded to it. */
export const rounded = (dtype: DType, { length, block }: GoldenBlocks): GoldenBlocks => ({
  length,
  block(start, values) {
    block(start, values)
    roundBlock(dtype, values)
  },
})

const everyPattern = Uint16Array.from({ length: 0x10000 }, (_, bits) => bits)

/**
 * Golden of an element-wise operator: `apply` turns a block of x into results in place, each of its own element alone. Of
 * a large 16-bit tensor it is applied to each bit pattern once.
 */
export function map(x: Tensor, apply: (values: Float64Array) => void): GoldenBlocks {
  const { dtype, data } = x
  const sixteen = dtype === 'float16' || dtype === 'bfloat16'
  if (!sixteen || !(data instanceof Uint16Array) || data.length < 4 * 0x10000) return mapFrom(x, apply)
  const results = toFloat64({ dtype, shape: [0x10000], data: everyPattern })
  for (let start = 0; start < results.length; start += BLOCK) apply(results.subarray(start, start + BLOCK))
  return {
    length: data.length,
    block(start, values) {
      for (let i = 0; i < values.length; i++) values[i] = results[data[start + i]!]!
    },
    byPattern: { patterns: data, results },
  }
}

/** The same where results depend on the place: `apply` gets the component that the block starts with. */
export const mapFrom = (x: Tensor, apply: (values: Float64Array, start: number) => void): GoldenBlocks => ({
  length: x.data.length,
  block(start, values) {
    decode(x, start, values)
    apply(values, start)
  },
})

/** The same for two arguments of one size: `apply` leaves its results in the block of x. */
export function mapPairs(
  x: Tensor,
  y: Tensor,
  apply: (values: Float64Array, others: Float64Array) => void,
): GoldenBlocks {
  let others = new Float64Array(0)
  return mapFrom(x, (values, start) => {
    if (others.length !== values.length) others = new Float64Array(values.length)
    decode(y, start, others)
    apply(values, others)
  })
}

/** The same for any number of arguments of one size: `apply` leaves its results in the first block. */
export function mapAll(
  [first, ...rest]: readonly [Tensor, ...Tensor[]],
  apply: (values: Float64Array, ...others: Float64Array[]) => void,
): GoldenBlocks {
  let others: Float64Array[] = []
  return mapFrom(first, (values, start) => {
    if (others[0]?.length !== values.length) others = rest.map(() => new Float64Array(values.length))
    for (const [index, tensor] of rest.entries()) decode(tensor, start, others[index]!)
    apply(values, ...others)
  })
}

const BLOCK = 4096

/** Golden of an element-wise operator whose results are exact: integers wrap around and come as a tensor. */
export function mapExact(x: Tensor, apply: (values: Float64Array) => void): GoldenTensor {
  const { dtype } = x
  if (dtype.includes('float') || dtype === 'complex64') return map(x, apply)
  const result = emptyTensor(dtype, x.shape)
  const block = new Float64Array(BLOCK)
  for (let start = 0; start < result.data.length; start += BLOCK) {
    const values = block.subarray(0, Math.min(BLOCK, result.data.length - start))
    decode(x, start, values)
    apply(values)
    encode(values, result, start)
  }
  return result
}

/**
 * y = of(x), element by element, in float64. `scale` is the size that rounding errors are proportional to, where that is not |y|.
 */
export const mapEach = (x: Tensor, of: (x: number) => number, scale?: (x: number) => number): GoldenBlocks => ({
  ...map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = of(values[i]!)
  }),
  ...(scale && {
    scaleBlock: mapFrom(x, (values) => {
      for (let i = 0; i < values.length; i++) values[i] = scale(values[i]!)
    }).block,
  }),
})
