import { kernelSuite } from 'vitest-npu'
import { gelu } from '../../../references/golden/activation.ts'
import { casesOf, matrices, matrix, note, publicRules, sameShape, type PublishedShapes } from '../family.ts'

const shapes: readonly PublishedShapes[] = [
  { revision: '2026-01', published: [8192, 8192], judged: [2048, 2048] },
  { revision: '2025-07', published: [2000, 2000], judged: [2000, 2000] },
]

kernelSuite('MinGptNewGeluCustom', {
  category: 'Activation',
  kernel: 'min_gpt_new_gelu_custom',
  description: 'GELU of every element in its form with tanh: y = 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).',
  inputs: matrix,
  outputs: sameShape,
  golden: ({ x }) => ({ y: gelu(x, 'tanh') }),
  domain: matrices,
  // 1 + tanh cancels for negative x, so that an error of tanh shows in proportion to |x|
  strict: () => ({ absolute: 2 ** -126, relative: 2 ** -22, scaled: 2 ** -20 }),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', shapes),
})
