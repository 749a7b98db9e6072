import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../model/error.ts'
import {
  bytesView,
  emptyTensor,
  InfrastructureError,
  type Allocate,
  type KernelCase,
  type Slot,
  type TaskInterface,
  type Tensor,
  type TensorSpec,
  type TensorValue,
} from '../model/index.ts'
import { layoutCase, listOf, paddingBytes, specOf, type CaseLayout } from './layout.ts'
import { newCasePaths } from './location.ts'

/** One write of this size keeps the event loop and the page cache in good order. */
const chunkBytes = 16 << 20

function writeAt(file: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(file, bytes, done, Math.min(chunkBytes, bytes.length - done), offset + done)
  }
}

const zeros = new Uint8Array(1 << 20)

function writeZeros(file: number, { offset, bytes }: Slot): void {
  for (let done = 0; done < bytes; done += zeros.length) {
    writeAt(file, zeros.subarray(0, Math.min(zeros.length, bytes - done)), offset + done)
  }
}

function readAt(file: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length;) {
    const got = readSync(file, bytes, done, Math.min(chunkBytes, bytes.length - done), offset + done)
    if (got === 0) throw new Error('the case file ends before the outputs')
    done += got
  }
}

/** Pairs each slot of one argument with its tensor. Throws when the value has another structure than the case. */
function* pairs(name: string, slot: Slot | Slot[] | null, value: TensorValue | undefined): Generator<[Slot, Tensor]> {
  const slots = listOf(slot)
  const tensors = listOf(value)
  if (slots.length !== tensors.length) throw new Error(`${name}: ${tensors.length} tensors for ${slots.length} slots`)
  for (const [index, each] of slots.entries()) {
    const tensor = tensors[index]
    if (!tensor || tensor.data.byteLength !== each.bytes) throw new Error(`${each.name}: the tensor has another size`)
    yield [each, tensor]
  }
}

function writeInputs(
  file: number,
  layout: CaseLayout,
  task: TaskInterface,
  inputs: Inputs,
  only?: Slot['access'],
): void {
  task.inputs.forEach(({ name }, index) => {
    for (const [slot, tensor] of pairs(name, layout.slots[index] ?? null, inputs[name])) {
      if (only === undefined || slot.access === only) writeAt(file, bytesView(tensor), slot.offset)
    }
  })
}

function writePadding(file: number, { slots, padding }: CaseLayout): void {
  for (const slot of slots.flat())
    if (slot) writeAt(file, padding.subarray(0, paddingBytes(slot.bytes)), slot.offset + slot.bytes)
}

/** `rmSync` takes several times as long. */
function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

type Inputs = Record<string, TensorValue>

/**
 * Creates the file with all inputs, and with zeros in outputs until the runner poisons them: a page that was never written may
 * have no room, which whoever maps it dies of.
 */
export function writeCaseFile(path: string, layout: CaseLayout, task: TaskInterface, inputs: Inputs): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    ftruncateSync(file, layout.fileBytes)
    writeInputs(file, layout, task, inputs)
    for (const [index, { aliases }] of task.outputs.entries()) {
      if (aliases !== undefined) continue
      for (const slot of listOf(layout.slots[task.inputs.length + index])) writeZeros(file, slot)
    }
    writePadding(file, layout)
  } finally {
    closeSync(file)
  }
}

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')

/** Creates the file at the first of these paths that has room for all of it. Throws `InfrastructureError` where none has. */
export function writeWhereItFits(
  paths: readonly string[],
  layout: CaseLayout,
  task: TaskInterface,
  inputs: Inputs,
): string {
  for (const path of paths) {
    try {
      writeCaseFile(path, layout, task, inputs)
      return path
    } catch (error) {
      remove(path)
      if (!isFull(error)) throw error
    }
  }
  const mib = (layout.fileBytes / 2 ** 20).toFixed(1)
  throw new InfrastructureError(`no room for a case of ${mib} MiB in ${paths.map(dirname).join(', nor in ')}`)
}

/** Writes what a kernel may have overwritten once more, inputs and the zeros of outputs, before the next launch on the same file. */
export function restoreInputs(path: string, layout: CaseLayout, task: TaskInterface, inputs: Inputs): void {
  if (!layout.slots.flat().some((slot) => slot?.access === 'inout')) return
  const file = openSync(path, 'r+')
  try {
    writeInputs(file, layout, task, inputs, 'inout')
    for (const [index, { zeroed }] of task.outputs.entries()) {
      if (!zeroed) continue
      for (const slot of listOf(layout.slots[task.inputs.length + index])) writeZeros(file, slot)
    }
  } finally {
    closeSync(file)
  }
}

/** Copies the outputs out of the file into tensors of `allocate`, with dtypes and shapes of the case. */
export function readOutputs(
  path: string,
  layout: CaseLayout,
  task: TaskInterface,
  kernelCase: KernelCase,
  allocate: Allocate = emptyTensor,
): Record<string, TensorValue> {
  const file = openSync(path, 'r')
  try {
    const read = (spec: TensorSpec, slot: Slot): Tensor => {
      const tensor = allocate(spec.dtype, spec.shape)
      readAt(file, bytesView(tensor), slot.offset)
      return tensor
    }
    return Object.fromEntries(
      task.outputs.map(({ name }, index): [string, TensorValue] => {
        const slot = layout.slots[task.inputs.length + index] ?? null
        const spec = specOf(kernelCase, 'outputs', name)
        if (slot === null || spec === null) return [name, null]
        const slots = listOf(slot)
        const tensors = listOf(spec).flatMap((one, i) => (slots[i] ? [read(one, slots[i])] : []))
        return [name, Array.isArray(spec) ? tensors : (tensors[0] ?? null)]
      }),
    )
  } finally {
    closeSync(file)
  }
}

/** A case on disk, ready to be launched. */
export interface CaseFile extends CaseLayout {
  path: string
  readOutputs: (allocate?: Allocate) => Record<string, TensorValue>
  /** before a further launch on the same file */
  restoreInputs: () => void
}

/** Lays a case out, writes its inputs, hands the file to `use` and removes it afterwards, whatever happens. */
export async function withCaseFile<T>(
  task: TaskInterface,
  kernelCase: KernelCase,
  inputs: Inputs,
  use: (file: CaseFile) => Promise<T>,
): Promise<T> {
  const layout = layoutCase(task, kernelCase)
  const path = writeWhereItFits(newCasePaths(layout.fileBytes), layout, task, inputs)
  try {
    return await use({
      ...layout,
      path,
      readOutputs: (allocate) => readOutputs(path, layout, task, kernelCase, allocate),
      restoreInputs: () => restoreInputs(path, layout, task, inputs),
    })
  } finally {
    remove(path)
  }
}
