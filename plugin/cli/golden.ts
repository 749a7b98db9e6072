import { join } from 'node:path'
import type { Tensor, TensorSpec } from '../model/index.ts'
import type { GoldenOutputs, KernelTask } from '../task/index.ts'
import { onlyName, parseCommand, required, tasksOption } from './command.ts'
import { makeOutFolder, roundedTensor, writeArgument } from './files.ts'
import { readManifest } from './manifest.ts'
import { loadTask } from './specs.ts'
import { requiredSuites } from './suites.ts'
import { messageOf, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu golden <Task> --in <manifest.json> --out <folder>

Writes the right outputs for your inputs, as .npy files. A task is named RmsNorm, or npukernelbench/RmsNorm where several suites
have one of that name.

  --in <file>        the manifest: {"inputs": {"x": "x.npy"}, "attrs": {"epsilon": 0.001}}, files relative to it. An input is a
                     .npy file, {"file": "x.npy", "dtype": "bfloat16"} for bit patterns, a list of files for a list of tensors,
                     or null when it is absent
  --out <folder>     where the outputs go
  --tasks <folder>   the specs: tasks/, else those of the package, with the suites that the Vitest configuration registers
  --help, --version

  npx vitest-npu golden RmsNorm --in drawn/manifest.json --out right
`

/** `golden`: the right outputs for somebody's inputs. */
export async function goldenCommand(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const parsed = parseCommand('golden', usage, args, { ...tasksOption, in: text, out: text })
  if (!parsed) return
  const { values, positionals } = parsed
  const name = onlyName('golden', positionals, 'a task')
  const [manifest, out] = [required('golden', 'in', values.in), required('golden', 'out', values.out)]
  answer(await loadTask(await requiredSuites(values.tasks), name), manifest, out)
}

/** Writes what golden makes of the tensors that a manifest names. */
export function answer(task: KernelTask, manifest: string, out: string): void {
  const { kernelCase, inputs } = readManifest(task, manifest)
  let golden: GoldenOutputs
  try {
    golden = task.golden(inputs, kernelCase)
  } catch (error) {
    const message = messageOf(error)
    throw new UserError(`golden of ${task.interface.name} cannot answer these inputs: ${message}`)
  }
  makeOutFolder(out)
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
