import { join } from 'node:path'
import type { Tensor, TensorSpec } from '../model/index.ts'
import type { GoldenOutputs, KernelTask } from '../task/index.ts'
import { makeFolder, roundedTensor, writeArgument } from './files.ts'
import { readManifest } from './manifest.ts'
import { messageOf, UserError } from './user-error.ts'

/** `golden`: the right outputs for somebody's inputs. */
export function goldenCommand(task: KernelTask, manifest: string, out: string): void {
  const { kernelCase, inputs } = readManifest(task, manifest)
  let golden: GoldenOutputs
  try {
    golden = task.golden(inputs, kernelCase)
  } catch (error) {
    const message = messageOf(error)
    throw new UserError(`golden of ${task.interface.name} cannot answer these inputs: ${message}`)
  }
  makeFolder(out)
  for (const [name, spec] of Object.entries(kernelCase.outputs)) {
    const value = golden[name]
    const list = value === undefined ? [] : isList(value) ? value : [value]
    const rounded = (one: TensorSpec, position: number): Tensor => {
      const tensor = list[position]
      if (!tensor)
        throw new UserError(`golden of ${task.interface.name} has no value for ${join(name, String(position))}`)
      return roundedTensor(one, tensor)
    }
    if (spec === null) writeArgument(out, name, null)
    else writeArgument(out, name, Array.isArray(spec) ? spec.map(rounded) : rounded(spec, 0))
  }
}

const isList = (value: GoldenOutputs[string]): value is Extract<typeof value, readonly unknown[]> =>
  Array.isArray(value)
