import { toFloat64, type GoldenTensor, type Tensor } from 'vitest-npu'
import { mapAll, mapPairs } from './elementwise.ts'

/** (predict - label)^2, of every element or their sum or mean as one element. */
export function mse(predict: Tensor, label: Tensor, reduction: string): GoldenTensor {
  const squares = mapPairs(predict, label, (values, others) => {
    for (let i = 0; i < values.length; i++) values[i] = (values[i]! - others[i]!) ** 2
  })
  if (reduction === 'none') return squares
  const block = new Float64Array(4096)
  let sum = 0
  for (let start = 0; start < squares.length; start += block.length) {
    const values = block.subarray(0, Math.min(block.length, squares.length - start))
    squares.block(start, values)
    for (let i = 0; i < values.length; i++) sum += values[i]!
  }
  return { values: Float64Array.of(reduction === 'mean' ? sum / squares.length : sum) }
}

/** The derivative of that by predict, times dout: 2 (predict - label) dout, divided by the count for a mean. */
export function mseGrad(predict: Tensor, label: Tensor, dout: Tensor, reduction: string): GoldenTensor {
  const factor = reduction === 'mean' ? 2 / predict.data.length : 2
  return mapAll([predict, label, dout], (values, labels, upstream) => {
    for (let i = 0; i < values.length; i++) values[i] = (values[i]! - labels[i]!) * factor * upstream[i]!
  })
}

interface LossAttributes {
  reduction: string
  ignore_index: number
  label_smoothing: number
}

// Weight and share of every sample; a negative ignore_index ignores nothing.
function samplesOf(target: Tensor, weight: Tensor | null, classes: number, ignored: number) {
  const labels = [...toFloat64(target)]
  const weights = weight ? toFloat64(weight) : new Float64Array(classes).fill(1)
  const kept = labels.map((label) => (ignored >= 0 && label === ignored ? 0 : 1))
  const total = labels.reduce((sum, label, n) => sum + weights[label]! * kept[n]!, 1e-12)
  return { labels, weights, kept, total }
}

/**
 * Cross entropy of logits [N, C] against class numbers: loss, log-probabilities, the squares of the log-sum-exp for the
 * z-loss, and the log-sum-exp itself. The scale of a loss is that of its terms, that of a log-probability the sum of the
 * magnitudes it is the difference of: the distance to the largest logit, which nobody needs to round, and a logarithm; in float32
 * the logits as well, as the largest may be added to the logarithm first.
 */
export function crossEntropy(
  input: Tensor,
  target: Tensor,
  weight: Tensor | null,
  attrs: LossAttributes & { lse_square_scale_for_zloss: number },
) {
  const [samples = 0, classes = 0] = input.shape
  const { labels, weights, kept, total } = samplesOf(target, weight, classes, attrs.ignore_index)
  const logits = toFloat64(input)
  const logProb = new Float64Array(logits.length)
  const logProbScale = new Float64Array(logits.length)
  const lse = new Float64Array(samples)
  const lseScale = new Float64Array(samples)
  const losses = new Float64Array(samples)
  const lossScale = new Float64Array(samples)
  const smoothing = Math.fround(attrs.label_smoothing)
  const isRounded = input.dtype === 'float32'
  for (let n = 0; n < samples; n++) {
    const row = logits.subarray(n * classes, (n + 1) * classes)
    let [most, sum] = [-Infinity, 0]
    for (let c = 0; c < classes; c++) if (row[c]! > most) most = row[c]!
    for (let c = 0; c < classes; c++) sum += Math.exp(row[c]! - most)
    const logarithm = Math.log(sum)
    lse[n] = most + logarithm
    lseScale[n] = Math.abs(most) + logarithm + 1
    let [all, allScale] = [0, 0]
    for (let c = 0; c < classes; c++) {
      const apart = isRounded ? Math.abs(row[c]!) + Math.abs(most) : most - row[c]!
      const scale = apart + logarithm + 1
      logProb[n * classes + c] = row[c]! - most - logarithm
      logProbScale[n * classes + c] = scale
      all -= logProb[n * classes + c]! * weights[c]!
      allScale += scale * weights[c]!
    }
    const label = n * classes + labels[n]!
    const own = weights[labels[n]!]! * kept[n]!
    losses[n] = (1 - smoothing) * -logProb[label]! * own + ((smoothing * all) / classes) * kept[n]!
    lossScale[n] = (1 - smoothing) * logProbScale[label]! * own + ((smoothing * allScale) / classes) * kept[n]!
  }
  const mean = lse.reduce((sum, value) => sum + value * value, 0) / samples
  return {
    loss: reduced(losses, lossScale, attrs.reduction, total),
    log_prob: { values: logProb, scale: logProbScale },
    zloss: { values: Float64Array.of(Math.fround(attrs.lse_square_scale_for_zloss) * mean) },
    lse_for_zloss: { values: lse, scale: lseScale },
  }
}

function reduced(values: Float64Array, scale: Float64Array, reduction: string, total: number) {
  if (reduction === 'none') return { values, scale }
  const divisor = reduction === 'mean' ? total : 1
  const sum = (terms: Float64Array) => Float64Array.of(terms.reduce((all, term) => all + term, 0) / divisor)
  return { values: sum(values), scale: sum(scale) }
}

/** The derivative of that loss by the logits, without smoothing: (softmax - one-hot) times the share of the sample. */
export function crossEntropyGrad(
  upstream: Tensor,
  logProb: Tensor,
  target: Tensor,
  weight: Tensor | null,
  attrs: Omit<LossAttributes, 'label_smoothing'>,
): { values: Float64Array; scale: Float64Array } {
  const [samples = 0, classes = 0] = logProb.shape
  const { labels, weights, kept, total } = samplesOf(target, weight, classes, attrs.ignore_index)
  const logarithms = toFloat64(logProb)
  const outer = toFloat64(upstream)
  const values = new Float64Array(logarithms.length)
  const scale = new Float64Array(logarithms.length)
  for (let n = 0; n < samples; n++) {
    const share = (attrs.reduction === 'mean' ? 1 / total : 1) * kept[n]! * weights[labels[n]!]!
    const factor = (attrs.reduction === 'none' ? outer[n]! : outer[0]!) * share
    for (let c = 0; c < classes; c++) {
      const at = n * classes + c
      const probability = Math.exp(logarithms[at]!)
      const own = c === labels[n]! ? 1 : 0
      values[at] = (probability - own) * factor
      // exp turns the rounding of its argument into a relative error.
      scale[at] = (probability * (1 + Math.abs(logarithms[at]!)) + own) * Math.abs(factor)
    }
  }
  return { values, scale }
}
