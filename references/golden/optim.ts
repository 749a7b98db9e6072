import { roundBlock, toFloat64, type DType, type GoldenBlocks, type Tensor } from 'vitest-npu'
import { mapAll } from './elementwise.ts'

/** What one element of an optimiser step leaves, and the magnitudes that its roundings are proportional to. */
const places = { var: 0, m: 1, v: 2, s: 3, varScale: 4, mScale: 5, vScale: 6, sScale: 7 } as const
type Output = 'var' | 'm' | 'v' | 's'
type Update = (
  result: Float64Array,
  grad: number,
  variable: number,
  m: number,
  v: number,
  // moving average, or running maximum
  s: number,
) => void

// Every block of an output runs the step anew and keeps one of its results.
function outputsOf(tensors: Five, update: Update): Record<Output, GoldenBlocks> {
  const result = new Float64Array(8)
  const blocksOf = (place: number) =>
    mapAll(tensors, (grads, variables, ms, vs, ss) => {
      for (let i = 0; i < grads.length; i++) {
        update(result, grads[i]!, variables[i]!, ms[i]!, vs[i]!, ss[i]!)
        grads[i] = result[place]!
      }
    })
  const output = (name: Output): GoldenBlocks => ({
    ...blocksOf(places[name]),
    scaleBlock: blocksOf(places[`${name}Scale`]).block,
  })
  return { var: output('var'), m: output('m'), v: output('v'), s: output('s') }
}

type Five = readonly [grad: Tensor, variable: Tensor, m: Tensor, v: Tensor, s: Tensor]

/** 1 - beta^step, and how much an error in the last place of the power matters to it. */
function correction(beta: number, step: number): { value: number; sensitivity: number } {
  const power = beta ** step
  return { value: 1 - power, sensitivity: (power * (1 + Math.abs(step * Math.log(beta)))) / (1 - power) }
}

export interface EmaAdamAttributes {
  lr: number
  ema_decay: number
  beta1: number
  beta2: number
  eps: number
  mode: number
  bias_correction: boolean
  weight_decay: number
}

/** One step of Adam with an exponential moving average of the variable. The device receives attributes as float32. */
export function fusedEmaAdam(tensors: Five, step: Tensor, attrs: EmaAdamAttributes): Record<Output, GoldenBlocks> {
  const count = toFloat64(step)[0]!
  const { mode } = attrs
  const [lr, decay] = [Math.fround(attrs.lr), Math.fround(attrs.ema_decay)]
  const [beta1, beta2] = [Math.fround(attrs.beta1), Math.fround(attrs.beta2)]
  const [eps, weight] = [Math.fround(attrs.eps), Math.fround(attrs.weight_decay)]
  const none = { value: 1, sensitivity: 0 }
  const c1 = attrs.bias_correction ? correction(beta1, count) : none
  const c2 = attrs.bias_correction ? correction(beta2, count) : none

  return outputsOf(tensors, (result, grad, variable, m, v, s) => {
    const decayed = weight * variable
    const gradient = mode === 0 ? grad + decayed : grad
    const gradientScale = mode === 0 ? Math.abs(grad) + Math.abs(decayed) : Math.abs(grad)
    const nextM = beta1 * m + (1 - beta1) * gradient
    const nextV = beta2 * v + (1 - beta2) * gradient * gradient
    const scaleM = Math.abs(beta1 * m) + (1 - beta1) * gradientScale
    const scaleV = beta2 * v + (1 - beta2) * gradientScale * gradientScale
    const root = Math.sqrt(nextV / c2.value)
    const change = nextM / c1.value / (root + eps) + (mode === 1 ? decayed : 0)
    // An error of v, in proportion to its scale, moves the root by half of it.
    const uncertain = 1 + (nextV > 0 ? (scaleV / nextV) * (root / (root + eps)) : 0) + c1.sensitivity + c2.sensitivity
    const scaleChange = (scaleM / c1.value / (root + eps)) * uncertain + (mode === 1 ? Math.abs(decayed) : 0)
    const nextVariable = variable - lr * change
    const scaleVariable = Math.abs(variable) + lr * scaleChange
    result[places.var] = nextVariable
    result[places.m] = nextM
    result[places.v] = nextV
    result[places.s] = decay * s + (1 - decay) * nextVariable
    result[places.varScale] = scaleVariable
    result[places.mScale] = scaleM
    result[places.vScale] = scaleV
    result[places.sScale] = Math.abs(decay * s) + (1 - decay) * scaleVariable
  })
}

export interface AdamWAttributes {
  lr: number
  beta1: number
  beta2: number
  weight_decay: number
  eps: number
  amsgrad: boolean
  maximize: boolean
}

/** One step of AdamW; `step` counts the steps before it. With amsgrad the largest v so far takes the place of v. */
export function adamW(tensors: Five, step: Tensor, attrs: AdamWAttributes): Record<Output, GoldenBlocks> {
  const count = toFloat64(step)[0]! + 1
  const [lr, eps] = [Math.fround(attrs.lr), Math.fround(attrs.eps)]
  const [beta1, beta2] = [Math.fround(attrs.beta1), Math.fround(attrs.beta2)]
  const weight = Math.fround(attrs.weight_decay)
  const [c1, c2] = [correction(beta1, count), correction(beta2, count)]

  return outputsOf(tensors, (result, grad, variable, m, v, largest) => {
    const gradient = attrs.maximize ? -grad : grad
    const decayed = variable * (1 - lr * weight)
    const nextM = m + (1 - beta1) * (gradient - m)
    const nextV = beta2 * v + (1 - beta2) * gradient * gradient
    const peak = attrs.amsgrad ? Math.max(largest, nextV) : largest
    const root = Math.sqrt((attrs.amsgrad ? peak : nextV) / c2.value) + eps
    const scaleM = Math.abs(m) + (1 - beta1) * Math.abs(gradient - m)
    const uncertain = 8 + c1.sensitivity + c2.sensitivity
    result[places.var] = decayed - ((lr / c1.value) * nextM) / root
    result[places.m] = nextM
    result[places.v] = nextV
    result[places.s] = peak
    result[places.varScale] = Math.abs(variable) + (((lr / c1.value) * scaleM) / root) * uncertain
    result[places.mScale] = scaleM
    result[places.vScale] = nextV
    result[places.sScale] = peak
  })
}

/** The same in the steps of the public reference, each rounded to the dtype of the variable; scalars are float64. */
export function adamWInSteps(tensors: Five, step: Tensor, attrs: AdamWAttributes): Record<Output, GoldenBlocks> {
  const { dtype } = tensors[1]
  const count = toFloat64(step)[0]! + 1
  const { lr, beta1, beta2, weight_decay: weight, eps, amsgrad, maximize } = attrs
  const [c1, c2] = [1 - beta1 ** count, 1 - beta2 ** count]
  const only = (output: Output): GoldenBlocks =>
    mapAll(tensors, (grads, variables, ms, vs, peaks) => {
      if (maximize) inSteps(dtype, grads, (i) => -grads[i]!)
      inSteps(dtype, peaks, (i) => peaks[i]!)
      inSteps(dtype, grads, (i) => grads[i]!)
      if (weight !== 0) inSteps(dtype, variables, (i) => variables[i]! * (1 - lr * weight))
      inSteps(dtype, ms, (i) => ms[i]! + (1 - beta1) * (grads[i]! - ms[i]!))
      inSteps(dtype, vs, (i) => beta2 * vs[i]!)
      inSteps(dtype, vs, (i) => vs[i]! + (1 - beta2) * grads[i]! * grads[i]!)
      if (amsgrad) inSteps(dtype, peaks, (i) => Math.max(peaks[i]!, vs[i]!))
      const roots = new Float64Array(grads.length)
      inSteps(dtype, roots, (i) => (amsgrad ? peaks[i]! : vs[i]!) / c2)
      inSteps(dtype, roots, (i) => Math.sqrt(roots[i]!))
      inSteps(dtype, roots, (i) => roots[i]! + eps)
      inSteps(dtype, variables, (i) => variables[i]! - ((lr / c1) * ms[i]!) / roots[i]!)
      grads.set({ var: variables, m: ms, v: vs, s: peaks }[output])
    })
  return { var: only('var'), m: only('m'), v: only('v'), s: only('s') }
}

function inSteps(dtype: DType, values: Float64Array, step: (index: number) => number): void {
  for (let i = 0; i < values.length; i++) values[i] = step(i)
  roundBlock(dtype, values)
}
