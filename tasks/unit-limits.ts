import type { DType } from 'vitest-npu'

const limits: Partial<Record<DType, number>> = {
  float16: 1 / 512,
  bfloat16: 1 / 256 + 1 / 16384,
  float32: 1 / 2048 + 1 / 16384,
  complex64: 1 / 2048 + 1 / 16384,
}

/** Limits that the public benchmark gives its rule `ulpScaled` in most tasks; integers have to be equal. */
export const unitLimits = ({ dtype }: { dtype: DType }): number => limits[dtype] ?? 0
