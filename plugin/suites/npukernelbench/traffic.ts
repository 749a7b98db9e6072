import { bytesOf, sizeOf, type KernelCase } from '../../model/index.ts'
import { bytesOfArgument as bytesIn, dtypeOf, shapeOf, tensorsOf, type Inputs, type Traffic } from '../../task/index.ts'

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
const touched: Record<string, (kernelCase: KernelCase, inputs: Inputs) => Traffic> = {
  // as many slices of each as its range says, of the tensors that the mask lets through
  ScatterList: (kernelCase, inputs) => {
    const ranges = tensorsOf(inputs.indice)[0]?.data ?? []
    const mask = tensorsOf(inputs.mask)[0]?.data
    const slices = shapeOf(kernelCase, 'updates').slice(1).at(Number(kernelCase.attrs.axis))!
    const count = ranges.length / 2
    let moved = 0
    for (let i = 0; i < count; i++) if (!mask || Number(mask[i]) !== 0) moved += Number(ranges[2 * i + 1])
    const bytes = (bytesIn(kernelCase, 'updates') * moved) / (count * slices)
    return { read: bytes, written: bytes }
  },
  // the largest v only with amsgrad
  ApplyAdamWV2: (kernelCase) => {
    const state = ['var', 'm', 'v', ...(kernelCase.attrs.amsgrad ? ['max_grad_norm'] : [])]
    const written = state.reduce((sum, name) => sum + bytesIn(kernelCase, name), 0)
    return { read: written + bytesIn(kernelCase, 'grad'), written }
  },
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
  // the result does not depend on y
  GeluGrad: (kernelCase) => ({
    read: bytesIn(kernelCase, 'dy') + bytesIn(kernelCase, 'x'),
    written: bytesIn(kernelCase, 'z'),
  }),
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
export const partialTraffic = (task: string, kernelCase: KernelCase, inputs: Inputs): Traffic | undefined =>
  touched[task]?.(kernelCase, inputs)
