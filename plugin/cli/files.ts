import { join } from 'node:path'
import { makeFolder } from '../files/index.ts'
import { encode } from '../inputs/index.ts'
import { describeShape, emptyTensor } from '../model/index.ts'
import type { Tensor, TensorSpec, TensorValue } from '../model/index.ts'
import type { GoldenTensor } from '../task/index.ts'
import { writeNpy } from './npy.ts'
import { messageOf, UserError } from './user-error.ts'

/** Components computed at a time. */
const BLOCK = 1 << 16

/** Golden, rounded once to the dtype of its output. */
export function roundedTensor({ dtype, shape }: TensorSpec, golden: GoldenTensor): Tensor {
  if ('data' in golden) return golden
  const target = emptyTensor(dtype, shape)
  if ('values' in golden) {
    encode(golden.values, target)
    return target
  }
  for (let start = 0; start < golden.length; start += BLOCK) {
    const values = new Float64Array(Math.min(BLOCK, golden.length - start))
    golden.block(start, values)
    encode(values, target, start)
  }
  return target
}

/** Makes the folder of results. */
export function makeOutFolder(path: string): void {
  try {
    makeFolder(path)
  } catch (error) {
    throw new UserError(`--out ${path}: cannot be made: ${messageOf(error)}`)
  }
}

/**
 * Writes an argument as `<name>.npy`, a list as `<name>_<i>.npy`; says what it wrote, a line each. Returns file names.
 */
export function writeArgument(folder: string, name: string, value: TensorValue): string[] {
  if (value === null) {
    console.log(`${name}: none`)
    return []
  }
  const tensors: [string, Tensor][] =
    'data' in value ? [[`${name}.npy`, value]] : value.map((tensor, i) => [`${name}_${i}.npy`, tensor])
  for (const [file, tensor] of tensors) {
    writeNpy(join(folder, file), tensor)
    console.log(`${file}: ${describeShape(tensor.dtype, tensor.shape)}`)
  }
  return tensors.map(([file]) => file)
}
