import {
  byCase,
  drawn,
  emptyTensor,
  planted,
  randint,
  toFloat64,
  uniform,
  widened,
  within,
  type Draw,
} from 'vitest-npu'

/** Weights of classes, as published; generated ones are large enough for a mean to be defined. */
export const classWeights = widened(uniform(0, 1), within(2 ** -10, 1, uniform(0, 1)))

/**
 * Classes of the samples in the rows of `scores`. Where one class is ignored, a generated case has a sample of another:
 * the mean over none is 0 in the public reference and NaN in others.
 */
export const classesOf = (scores: string): Draw =>
  byCase(({ adversarial, attrs, shapes }) => {
    const classes = shapes[scores]![0]![1]!
    const labels = randint(0, classes - 1)
    if (!adversarial || attrs.ignore_index === -100 || classes === 1) return labels
    return planted(labels, [attrs.ignore_index === 0 ? 1 : 0])
  })

/** What is to be ignored of `classes`: not the only one there is. */
export const ignoredOf = (classes: number, index: number): number => (classes === 1 ? -100 : index)

/** The logarithms of the softmax of rows that `logits` draws. */
export const logSoftmaxOf = (logits: Draw): Draw =>
  drawn(({ shape }, context) => {
    const scores = emptyTensor('float32', shape)
    logits.write(scores, context)
    const values = toFloat64(scores)
    const width = shape.at(-1)!
    for (let start = 0; start < values.length; start += width) {
      const row = values.subarray(start, start + width)
      let sum = 0
      for (let i = 0; i < width; i++) sum += Math.exp(row[i]!)
      const logarithm = Math.log(sum)
      for (let i = 0; i < width; i++) row[i] = row[i]! - logarithm
    }
    return values
  })
