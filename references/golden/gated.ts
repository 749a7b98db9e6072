import { decode, roundBlock, type GoldenBlocks, type Tensor } from 'vitest-npu'
import { geluOf, geluSlopeOf, type GeluForm } from './activation.ts'

// Gated units: x is cut in halves a and b along one axis. Each half is made of runs of `half` elements, a before b.

function halfOf({ shape }: Tensor, dim: number): number {
  const axis = dim < 0 ? dim + shape.length : dim
  return shape.slice(axis).reduce((size, extent) => size * extent, 1) / 2
}

type Gate = (a: Float64Array, b: Float64Array) => void

/** Golden of half the size of x: `apply` turns a block of a, with the same of b, into results in place. */
function gated(x: Tensor, dim: number, apply: Gate, scale: Gate): GoldenBlocks {
  const half = halfOf(x, dim)
  let others = new Float64Array(0)
  const through = (compute: Gate) => (start: number, values: Float64Array) => {
    if (others.length !== values.length) others = new Float64Array(values.length)
    for (let at = 0; at < values.length;) {
      const place = start + at
      const offset = place % half
      const end = Math.min(values.length, at + half - offset)
      const from = 2 * (place - offset) + offset
      decode(x, from, values.subarray(at, end))
      decode(x, from + half, others.subarray(at, end))
      at = end
    }
    compute(values, others)
  }
  return { length: x.data.length / 2, block: through(apply), scaleBlock: through(scale) }
}

type GateSlope = (a: Float64Array, b: Float64Array, dy: Float64Array, first: boolean) => void

/** The gradient, of the size of x: `apply` turns a run of a, b and dy into that of the first or second half, in a. */
function gatedGradient(dy: Tensor, x: Tensor, dim: number, apply: GateSlope, scale: GateSlope): GoldenBlocks {
  const half = halfOf(x, dim)
  const through = (compute: GateSlope) => (start: number, values: Float64Array) => {
    const [others, gradients] = [new Float64Array(values.length), new Float64Array(values.length)]
    for (let at = 0; at < values.length;) {
      const place = start + at
      const within = place % (2 * half)
      const offset = within % half
      const end = Math.min(values.length, at + half - offset)
      const from = place - within + offset
      const [a, b, gradient] = [values.subarray(at, end), others.subarray(at, end), gradients.subarray(at, end)]
      decode(x, from, a)
      decode(x, from + half, b)
      decode(dy, (place - within) / 2 + offset, gradient)
      compute(a, b, gradient, within < half)
      at = end
    }
  }
  return { length: x.data.length, block: through(apply), scaleBlock: through(scale) }
}

/** silu(a) * b, silu(t) = t / (1 + e^-t). */
export const swiGlu = (x: Tensor, dim: number): GoldenBlocks =>
  gated(
    x,
    dim,
    (a, b) => {
      for (let i = 0; i < a.length; i++) a[i] = (a[i]! / (1 + Math.exp(-a[i]!))) * b[i]!
    },
    (a, b) => {
      for (let i = 0; i < a.length; i++) a[i] = Math.abs((a[i]! / (1 + Math.exp(-a[i]!))) * b[i]!)
    },
  )

/** Its gradient, for a and for b. The scale is the size of the terms. */
export const swiGluGrad = (dy: Tensor, x: Tensor, dim: number): GoldenBlocks =>
  gatedGradient(
    dy,
    x,
    dim,
    (a, b, gradient, first) => {
      for (let i = 0; i < a.length; i++) {
        const gate = 1 / (1 + Math.exp(-a[i]!))
        const rest = 1 / (1 + Math.exp(a[i]!))
        a[i] = gradient[i]! * gate * (first ? b[i]! * (1 + a[i]! * rest) : a[i]!)
      }
    },
    (a, b, gradient, first) => {
      for (let i = 0; i < a.length; i++) {
        const gate = 1 / (1 + Math.exp(-a[i]!))
        const rest = 1 / (1 + Math.exp(a[i]!))
        a[i] = Math.abs(gradient[i]! * gate * (first ? b[i]! * (1 + Math.abs(a[i]!) * rest) : a[i]!))
      }
    },
  )

interface GeGluForm {
  dim: number
  form: GeluForm
  /** whether GELU applies to the first half */
  left: boolean
}

/** gelu(a) * b and gelu(a), or the other way round. The scales are the sizes of the factors without GELU's own decay. */
export function geGlu(x: Tensor, { dim, form, left }: GeGluForm): { y: GoldenBlocks; gelu: GoldenBlocks } {
  const of = geluOf[form]
  const sized = (apply: (gate: number, other: number) => number): Gate =>
    left
      ? (a, b) => {
          for (let i = 0; i < a.length; i++) a[i] = apply(a[i]!, b[i]!)
        }
      : (a, b) => {
          for (let i = 0; i < a.length; i++) a[i] = apply(b[i]!, a[i]!)
        }
  return {
    y: gated(
      x,
      dim,
      sized((gate, other) => of(gate) * other),
      sized((gate, other) => Math.abs(gate * other)),
    ),
    gelu: gated(x, dim, sized(of), sized(Math.abs)),
  }
}

/** The same in the steps of the public reference: GELU rounded to the dtype before it is multiplied. */
export function geGluInSteps(x: Tensor, options: GeGluForm): { y: GoldenBlocks } {
  const { dim, left, form } = options
  const of = geluOf[form]
  const steps: Gate = (a, b) => {
    for (let i = 0; i < a.length; i++) {
      const [gate, other] = left ? [a[i]!, b[i]!] : [b[i]!, a[i]!]
      a[i] = of(gate)
      b[i] = other
    }
    roundBlock(x.dtype, a)
    for (let i = 0; i < a.length; i++) a[i] = a[i]! * b[i]!
    roundBlock(x.dtype, a)
  }
  return { y: gated(x, dim, steps, steps) }
}

/** The gradient of gelu(a) * b, for a and for b. The scale is the size of the terms. */
export function geGluGrad(dy: Tensor, x: Tensor, dim: number, form: GeluForm): GoldenBlocks {
  const [of, slope] = [geluOf[form], geluSlopeOf[form]]
  return gatedGradient(
    dy,
    x,
    dim,
    (a, b, gradient, first) => {
      for (let i = 0; i < a.length; i++) a[i] = gradient[i]! * (first ? b[i]! * slope(a[i]!) : of(a[i]!))
    },
    (a, b, gradient, first) => {
      // The terms of the derivative are no larger than 1.2 together; its error is one of 1.
      for (let i = 0; i < a.length; i++) a[i] = Math.abs(gradient[i]! * (first ? b[i]! : a[i]!))
    },
  )
}

/** The same in the steps of the public reference: every factor and product rounded to the dtype. */
export function geGluGradInSteps(dy: Tensor, x: Tensor, dim: number, form: GeluForm): GoldenBlocks {
  const [of, slope] = [geluOf[form], geluSlopeOf[form]]
  const steps: GateSlope = (a, b, gradient, first) => {
    for (let i = 0; i < a.length; i++) {
      b[i] = first ? gradient[i]! * b[i]! : of(a[i]!)
      a[i] = first ? slope(a[i]!) : gradient[i]!
    }
    roundBlock(x.dtype, b)
    for (let i = 0; i < a.length; i++) a[i] = a[i]! * b[i]!
    roundBlock(x.dtype, a)
  }
  return gatedGradient(dy, x, dim, steps, steps)
}
