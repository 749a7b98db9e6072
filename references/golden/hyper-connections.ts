import { toFloat64, type GoldenTensor, type Tensor } from 'vitest-npu'

// Manifold-constrained hyper-connections: n residual streams beside each layer, mixed by matrices whose rows and columns sum to 1.

/** What a layer leaves in the streams: y[m] = post[m] * x + sum over k of comb[k][m] * residual[k], for each token. */
export function mhcPost(x: Tensor, residual: Tensor, post: Tensor, comb: Tensor): GoldenTensor {
  const [layer, streams] = [toFloat64(x), toFloat64(residual)]
  const [gates, mix] = [toFloat64(post), toFloat64(comb)]
  const [T = 0, n = 0, C = 0] = residual.shape
  const values = new Float64Array(T * n * C)
  const scale = new Float64Array(T * n * C)
  for (let t = 0; t < T; t++)
    for (let m = 0; m < n; m++)
      for (let c = 0; c < C; c++) {
        const own = gates[t * n + m]! * layer[t * C + c]!
        let [sum, size] = [own, Math.abs(own)]
        for (let k = 0; k < n; k++) {
          const term = mix[(t * n + k) * n + m]! * streams[(t * n + k) * C + c]!
          sum += term
          size += Math.abs(term)
        }
        values[(t * n + m) * C + c] = sum
        scale[(t * n + m) * C + c] = size
      }
  return { values, scale }
}

/** Attributes of the kernel before a layer. */
export interface PreAttributes {
  rms_eps: number
  pre_eps: number
  sinkhorn_eps: number
  post_mult: number
  repeats: number
}

const zeros = (length: number): { values: Float64Array; scale: Float64Array } => ({
  values: new Float64Array(length),
  scale: new Float64Array(length),
})

const sigmoid = (z: number): number => 1 / (1 + Math.exp(-z))

/** Rows of exponentials, each by its sum; then columns and rows by turns, which brings both sums to 1. */
export function sinkhorn(logits: readonly number[], n: number, repeats: number, eps: number): number[] {
  let matrix = logits.map((_, i) => {
    const row = logits.slice(i - (i % n), i - (i % n) + n)
    const largest = Math.max(...row)
    return Math.exp(logits[i]! - largest) / row.reduce((sum, each) => sum + Math.exp(each - largest), 0) + eps
  })
  const sums = (along: (i: number) => number): number[] =>
    matrix.reduce<number[]>((all, value, i) => {
      all[along(i)] = (all[along(i)] ?? 0) + value
      return all
    }, [])
  const divide = (along: (i: number) => number): void => {
    const by = sums(along)
    matrix = matrix.map((value, i) => value / (by[along(i)]! + eps))
  }
  const [column, row] = [(i: number): number => i % n, (i: number): number => Math.floor(i / n)]
  divide(column)
  for (let i = 1; i < repeats; i++) {
    divide(row)
    divide(column)
  }
  return matrix
}

/**
 * What a layer is given and how its streams are mixed: mixes = fn . residual / rms(residual) of each token, scaled and shifted; of these
 * `pre` weighs the streams for the layer, `post` what it returns, `comb` the streams among each other.
 */
export function mhcPre(
  residual: Tensor,
  fn: Tensor,
  scale: Tensor,
  base: Tensor,
  { rms_eps, pre_eps, sinkhorn_eps, post_mult, repeats }: PreAttributes,
): { post: GoldenTensor; comb: GoldenTensor; y: GoldenTensor } {
  const [streams, weights] = [toFloat64(residual), toFloat64(fn)]
  const [factors, shifts] = [toFloat64(scale), toFloat64(base)]
  const [T = 0, n = 0, C = 0] = residual.shape
  const [post, comb, y] = [zeros(T * n), zeros(T * n * n), zeros(T * C)]
  const f = Math.fround
  for (let t = 0; t < T; t++) {
    const row = streams.subarray(t * n * C, (t + 1) * n * C)
    const square = row.reduce((sum, value) => sum + value * value, 0)
    const root = 1 / Math.sqrt(square / (n * C) + f(rms_eps))
    // each with the magnitude that its rounding errors are proportional to
    const mixes = Array.from({ length: n * (n + 2) }, (_, j) => {
      let [sum, size] = [0, 0]
      for (let i = 0; i < row.length; i++) {
        const term = row[i]! * weights[j * n * C + i]!
        sum += term
        size += Math.abs(term)
      }
      const factor = factors[j < n ? 0 : j < 2 * n ? 1 : 2]!
      return {
        value: sum * root * factor + shifts[j]!,
        size: Math.abs(size * root * factor) + Math.abs(shifts[j]!) + 1,
      }
    })
    // errors of a mix come through a sigmoid as far as that is steep
    const through = ({ value, size }: { value: number; size: number }): number => {
      const gate = sigmoid(value)
      return gate + gate * (1 - gate) * size
    }
    const pre = mixes
      .slice(0, n)
      .map((mix) => ({ gate: sigmoid(mix.value) + f(pre_eps), size: through(mix) + f(pre_eps) }))
    for (let m = 0; m < n; m++) {
      const mix = mixes[n + m]!
      post.values[t * n + m] = f(post_mult) * sigmoid(mix.value)
      post.scale[t * n + m] = f(post_mult) * through(mix)
    }
    const logits = mixes.slice(2 * n)
    const worst = Math.max(...logits.map(({ size }) => size))
    for (const [i, value] of sinkhorn(
      logits.map((each) => each.value),
      n,
      repeats,
      f(sinkhorn_eps),
    ).entries()) {
      comb.values[t * n * n + i] = value
      comb.scale[t * n * n + i] = value * worst
    }
    for (let c = 0; c < C; c++)
      for (const [m, { gate, size }] of pre.entries()) {
        y.values[t * C + c]! += gate * row[m * C + c]!
        y.scale[t * C + c]! += size * Math.abs(row[m * C + c]!)
      }
  }
  return { post, comb, y }
}
