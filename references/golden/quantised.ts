import { decode, toFloat64, type GoldenBlocks, type Tensor } from 'vitest-npu'
import { geluOf, type GeluForm } from './activation.ts'

// Quantised results are given before their rounding to int8, clamped; the rounding is that of the output.
const clamped = (value: number): number => Math.min(127, Math.max(-128, value))

interface Quantised {
  y: GoldenBlocks
  /** one for each row */
  scales: { values: Float64Array; scale: Float64Array }
}

/** A row of results before quantisation, as values and as scale; returns the group it belongs to. */
type Fill = (row: number, values: Float64Array, sizes: Float64Array) => void

/** The largest share of the scale that a spec takes for a bound. */
const LARGEST_SHARE = 2 ** -19

/**
 * Rows quantised by scales that do not depend on them. What saturates is as far from the other results as it is beyond the
 * largest: only the rest of its error counts.
 */
function fixed(rows: number, width: number, fill: Fill): Quantised {
  const saturating: Fill = (row, values, sizes) => {
    fill(row, values, sizes)
    for (let i = 0; i < width; i++) {
      const beyond = Math.abs(values[i]! - clamped(values[i]!))
      if (beyond > 0) sizes[i] = Math.max(0, sizes[i]! - beyond / LARGEST_SHARE)
    }
  }
  return {
    y: byRow(rows, width, saturating),
    scales: { values: new Float64Array(rows), scale: new Float64Array(rows) },
  }
}

/**
 * Rows scaled so that their largest magnitude becomes 127: by 127 / (magnitude + epsilon), whose inverse is the scale. The
 * error of the largest one counts for all.
 */
function dynamic(rows: number, width: number, epsilon: number, fill: Fill): Quantised {
  const factors = new Float64Array(rows)
  const [largest, scale] = [new Float64Array(rows), new Float64Array(rows)]
  const [values, sizes] = [new Float64Array(width), new Float64Array(width)]
  for (let row = 0; row < rows; row++) {
    fill(row, values, sizes)
    let [magnitude, size] = [0, 0]
    for (let i = 0; i < width; i++) {
      magnitude = Math.max(magnitude, Math.abs(values[i]!))
      size = Math.max(size, sizes[i]!)
    }
    factors[row] = magnitude + epsilon === 0 ? 0 : 127 / (magnitude + epsilon)
    largest[row] = (magnitude + epsilon) / 127
    scale[row] = size / 127
  }
  const y = byRow(rows, width, (row, target, errors) => {
    fill(row, target, errors)
    const factor = factors[row]!
    for (let i = 0; i < width; i++) {
      const quantum = target[i]! * factor
      // |quantum| / 127 of the error of the largest magnitude, in quanta.
      errors[i] = errors[i]! * factor + Math.abs(quantum) * scale[row]! * factor
      target[i] = quantum
    }
  })
  return { y, scales: { values: largest, scale } }
}

// Rows computed one at a time, for blocks that start and end anywhere.
function byRow(rows: number, width: number, fill: Fill): GoldenBlocks {
  const [values, sizes] = [new Float64Array(width), new Float64Array(width)]
  let current = -1
  const through = (source: Float64Array, apply: (value: number) => number) => (start: number, block: Float64Array) => {
    for (let at = 0; at < block.length;) {
      const row = Math.floor((start + at) / width)
      if (row !== current) fill(row, values, sizes)
      current = row
      const column = start + at - row * width
      const end = Math.min(block.length, at + width - column)
      for (let i = at; i < end; i++) block[i] = apply(source[column + i - at]!)
      at = end
    }
  }
  return { length: rows * width, block: through(values, clamped), scaleBlock: through(sizes, (size) => size) }
}

interface GeluQuantOptions {
  form: GeluForm
  dynamic: boolean
}

/**
 * gelu(x) * scale + offset, quantised; dynamic: gelu(x) * scale, without offset, by rows. Scale and offset are one number
 * or one for each column. The scales are the sizes of what is added, those of GELU without its decay.
 */
export function geluQuant(x: Tensor, scale: Tensor, offset: Tensor, options: GeluQuantOptions): Quantised {
  const of = geluOf[options.form]
  const width = x.shape.at(-1) ?? 1
  const rows = x.data.length / width
  const [factors, offsets] = [perColumn(scale, width), perColumn(offset, width)]
  if (options.dynamic) offsets.fill(0)
  const fill: Fill = (row, values, sizes) => {
    decode(x, row * width, values)
    for (let i = 0; i < width; i++) {
      sizes[i] = Math.abs(values[i]! * factors[i]!) + Math.abs(offsets[i]!) + UNDERFLOW
      values[i] = of(values[i]!) * factors[i]! + offsets[i]!
    }
  }
  return options.dynamic ? dynamic(rows, width, 1e-6, fill) : fixed(rows, width, fill)
}

function perColumn(tensor: Tensor, width: number): Float64Array {
  const values = toFloat64(tensor)
  return values.length === 1 ? new Float64Array(width).fill(values[0]!) : values
}

/** Products that float32 cannot hold: a row of nothing else has no digits left to quantise. */
const UNDERFLOW = 2 ** -100

interface SwigluQuantInputs {
  x: Tensor
  /** the next three only count for int32 x */
  weightScale: Tensor | null
  activationScale: Tensor | null
  bias: Tensor | null
  quantScale: Tensor
  quantOffset: Tensor | null
  /** how many rows belong to each group; rows beyond the last give 0 */
  groups: Tensor | null
}

/**
 * Dequantised rows (x + bias) * weightScale * activationScale, halved into a and b; silu of one times the other, quantised:
 * u / quantScale + quantOffset, or dynamically u * quantScale by rows. The scale counts the rounding of silu's exponent.
 */
export function dequantSwigluQuant(
  { x, weightScale, activationScale, bias, quantScale, quantOffset, groups }: SwigluQuantInputs,
  options: { left: boolean; dynamic: boolean },
): Quantised {
  const width = x.shape.at(-1)!
  const half = width / 2
  const rows = x.data.length / width
  const whole = x.dtype === 'int32'
  const [weights, activations, biases] = [weightScale, activationScale, bias].map((tensor) =>
    whole && tensor ? toFloat64(tensor) : undefined,
  )
  const [factors, offsets] = [toFloat64(quantScale), quantOffset ? toFloat64(quantOffset) : undefined]
  const groupOf = groupsOf(rows, groups)
  const line = new Float64Array(width)
  const fill: Fill = (row, values, sizes) => {
    const group = groupOf[row]!
    if (group < 0) {
      values.fill(0)
      sizes.fill(0)
      return
    }
    decode(x, row * width, line)
    for (let i = 0; i < width; i++) {
      const dequantised = (line[i]! + (biases?.[i] ?? 0)) * (weights?.[group * width + i] ?? 1)
      line[i] = dequantised * (activations?.[row] ?? 1)
    }
    for (let i = 0; i < half; i++) {
      const [gate, other] = options.left ? [line[i]!, line[half + i]!] : [line[half + i]!, line[i]!]
      const product = (gate / (1 + Math.exp(-gate))) * other
      const [factor, offset] = [factors[group * half + i]!, offsets?.[group * half + i] ?? 0]
      values[i] = options.dynamic ? product * factor : product / factor + offset
      const size = Math.abs(options.dynamic ? values[i]! : values[i]! - offset)
      sizes[i] = size * (2 + Math.abs(gate)) + (options.dynamic ? 0 : Math.abs(offset)) + UNDERFLOW
    }
  }
  return options.dynamic ? dynamic(rows, half, 0, fill) : fixed(rows, half, fill)
}

// The group of every row, -1 beyond the last.
function groupsOf(rows: number, counts: Tensor | null): Int32Array {
  const groupOf = new Int32Array(rows).fill(counts ? -1 : 0)
  let row = 0
  for (const [group, count] of (counts ? toFloat64(counts) : []).entries()) {
    groupOf.fill(group, row, row + count)
    row += count
  }
  return groupOf
}
