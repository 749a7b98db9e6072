import { sizeOf, type KernelCase } from '../../model/index.ts'
import { shapeOf } from '../../task/index.ts'

const numbers = (kernelCase: KernelCase, attribute: string): number[] => {
  const value = kernelCase.attrs[attribute]
  if (!Array.isArray(value)) throw new TypeError(`${kernelCase.task} has no list ${attribute}`)
  return value
}

// a[..., m, k] times as many columns as b has
const matrices = (kernelCase: KernelCase): number => sizeOf(shapeOf(kernelCase, 'a')) * shapeOf(kernelCase, 'b').at(-1)!

/** Multiplications of the products that a case consists of, by task. */
const counts: Record<string, (kernelCase: KernelCase) => number> = {
  BasicMatmul: matrices,
  BatchedMatmul: matrices,
  Gemm: matrices,
  MatmulAdd: matrices,
  MatmulBias: matrices,
  OptimizedMatmul: matrices,
  PaddingMatmul: matrices,
  QuantMatmul: matrices,
  SplitkMatmul: matrices,
  GroupGemm: (kernelCase) => {
    const [k, n] = [numbers(kernelCase, 'kList'), numbers(kernelCase, 'nList')]
    return numbers(kernelCase, 'mList').reduce((sum, m, g) => sum + m * k[g]! * n[g]!, 0)
  },
  // scores of all heads, and the values with their exponentials
  FlashAttentionScoreWithLargeHeadDim: (kernelCase) => {
    const [batch = 1, length = 1, width = 1] = shapeOf(kernelCase, 'query')
    return 2 * batch * length * length * width
  },
  Mla: (kernelCase) => {
    const heads = shapeOf(kernelCase, 'query_nope')[1]!
    const keys = numbers(kernelCase, 'k_seqlen_list')
    return numbers(kernelCase, 'q_seqlen_list').reduce((sum, queries, i) => sum + queries * keys[i]! * heads * 1088, 0)
  },
  InplaceFusedMatmulSoftmaxGrad: (kernelCase) =>
    sizeOf(shapeOf(kernelCase, 'softmaxOutput')) * shapeOf(kernelCase, 'values').at(-1)!,
}

/** Multiplications of all products of a case; 0 where it has none, or where its input says how many. */
export const multiplicationsOf = (task: string, kernelCase: KernelCase): number => counts[task]?.(kernelCase) ?? 0
