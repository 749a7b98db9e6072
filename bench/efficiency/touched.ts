import { bytesOf, sizeOf, type KernelCase } from '../../plugin/model/index.ts'
import { dtypeOf, shapeOf, specsOf } from '../../plugin/task/index.ts'
import type { Traffic } from './bounds.ts'

const bytesIn = (kernelCase: KernelCase, argument: string): number =>
  specsOf(kernelCase.inputs[argument] ?? kernelCase.outputs[argument]).reduce(
    (sum, { dtype, shape }) => sum + bytesOf(dtype) * sizeOf(shape),
    0,
  )

/** Moves as many bytes of one argument from place to place. */
const copied = (kernelCase: KernelCase, argument: string): Traffic => {
  const bytes = bytesIn(kernelCase, argument)
  return { read: bytes, written: bytes }
}

// The part of x on one side of the diagonal is read; everything is written.
const triangle =
  (side: 'lower' | 'upper') =>
  (kernelCase: KernelCase): Traffic => {
    const shape = shapeOf(kernelCase, 'x')
    const [rows, columns] = [shape.at(-2)!, shape.at(-1)!]
    const diagonal = Number(kernelCase.attrs.diagonal)
    let kept = 0
    for (let row = 0; row < rows; row++) {
      const before = (end: number) => Math.min(columns, Math.max(0, end))
      kept += side === 'lower' ? before(row + diagonal + 1) : columns - before(row + diagonal)
    }
    const bytes = bytesIn(kernelCase, 'x')
    return { read: (bytes * kept) / (rows * columns), written: bytes }
  }

/** Tasks that need not read all of their inputs, or write all of their outputs. */
const touched: Record<string, (kernelCase: KernelCase) => Traffic> = {
  ScatterList: (kernelCase) => copied(kernelCase, 'updates'),
  StridedSliceAssignV2: (kernelCase) => copied(kernelCase, 'input_value'),
  Tril: triangle('lower'),
  Triu: triangle('upper'),
  ForeachZeroInplace: (kernelCase) => ({ read: 0, written: bytesIn(kernelCase, 'x') }),
  // zeros are there already
  Eye: (kernelCase) => {
    const [rows, columns] = [shapeOf(kernelCase, 'y').at(-2)!, shapeOf(kernelCase, 'y').at(-1)!]
    const diagonals = sizeOf(shapeOf(kernelCase, 'y')) / Math.max(1, rows * columns)
    return { read: 0, written: diagonals * Math.min(rows, columns) * bytesOf(dtypeOf(kernelCase, 'y')) }
  },
  GatherV3: (kernelCase) => {
    const written = bytesIn(kernelCase, 'y')
    return { read: Math.min(bytesIn(kernelCase, 'x'), written) + bytesIn(kernelCase, 'indices'), written }
  },
  Ccopy: (kernelCase) => copied(kernelCase, 'y'),
  // keys that sequences have, not the whole cache
  Mla: (kernelCase) => {
    const lengths = kernelCase.attrs.k_seqlen_list
    const keys = Array.isArray(lengths) ? lengths.reduce((sum, length) => sum + length, 0) : 0
    const [nope, rope] = [bytesIn(kernelCase, 'query_nope'), bytesIn(kernelCase, 'query_rope')]
    return { read: keys * (512 + 64) * 2 + nope + rope, written: bytesIn(kernelCase, 'out') }
  },
}

/** What a case makes every kernel move where that is not all of its arguments. */
export const touchedOf = (task: string, kernelCase: KernelCase): Traffic | undefined => touched[task]?.(kernelCase)
