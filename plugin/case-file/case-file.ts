import { closeSync, ftruncateSync, openSync, readSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  byteLengthOf,
  bytesView,
  emptyTensor,
  type Allocate,
  type ArgumentSpec,
  type KernelCase,
  type Slot,
  type TaskInterface,
  type Tensor,
  type TensorSpec,
  type TensorValue,
} from '../model/index.ts'
import { removeOwnScratch, scratchName, sweepScratch } from '../process/scratch.ts'

/** Where every tensor of a case lives in its file. `slots` is in kernel-argument order: inputs, then outputs. */
export interface CaseLayout {
  fileBytes: number
  slots: (Slot | Slot[] | null)[]
}

/** Tensors start on pages, and the page after each is free: the runner makes it the red zone. */
const pageBytes = 4096
/** One write of this size keeps the event loop and the page cache in good order. */
const chunkBytes = 16 << 20

const pagesFor = (bytes: number): number => Math.ceil(bytes / pageBytes)

/**
 * Lays out a case. An output that aliases an input gets the input's slot, both with access `inout`. Throws when the case
 * does not fit the task (missing argument, alias of another size).
 */
export function layoutCase(task: TaskInterface, kernelCase: KernelCase): CaseLayout {
  let end = 0
  const place = (name: string, spec: TensorSpec, access: Slot['access']): Slot => {
    const bytes = byteLengthOf(spec.dtype, spec.shape)
    const slot = { name, offset: end, bytes, shape: [...spec.shape], access }
    end += (Math.max(1, pagesFor(bytes)) + 1) * pageBytes
    return slot
  }
  const placeAll = (name: string, spec: ArgumentSpec, access: Slot['access']): Slot | Slot[] | null => {
    if (spec === null) return null
    return Array.isArray(spec) ? spec.map((one, i) => place(`${name}[${i}]`, one, access)) : place(name, spec, access)
  }
  const overwritten = new Set(task.outputs.map((output) => output.aliases))
  const inputs = task.inputs.map(({ name }) =>
    placeAll(name, specOf(kernelCase, 'inputs', name), overwritten.has(name) ? 'inout' : 'in'),
  )
  const outputs = task.outputs.map(({ name, aliases, zeroed }) => {
    const spec = specOf(kernelCase, 'outputs', name)
    if (aliases === undefined) return placeAll(name, spec, zeroed ? 'inout' : 'out')
    return sharedSlots(name, spec, inputs[task.inputs.findIndex((input) => input.name === aliases)])
  })
  return { fileBytes: Math.max(end, pageBytes), slots: [...inputs, ...outputs] }
}

function specOf(kernelCase: KernelCase, side: 'inputs' | 'outputs', name: string): ArgumentSpec {
  const spec = kernelCase[side][name]
  if (spec === undefined) throw new Error(`case ${kernelCase.name} of ${kernelCase.task} lacks ${side}.${name}`)
  return spec
}

function sharedSlots(name: string, spec: ArgumentSpec, input: Slot | Slot[] | null | undefined): Slot | Slot[] | null {
  if (spec === null) return null
  if (!input || Array.isArray(spec) !== Array.isArray(input)) throw new Error(`output ${name} aliases no such input`)
  const slots = listOf(input)
  if (!Array.isArray(spec)) return sharedSlot(name, spec, slots[0])
  return spec.map((one, i) => sharedSlot(`${name}[${i}]`, one, slots[i]))
}

function sharedSlot(name: string, spec: TensorSpec, slot: Slot | undefined): Slot {
  if (slot?.bytes !== byteLengthOf(spec.dtype, spec.shape))
    throw new Error(`output ${name} and its alias differ in size`)
  return { ...slot, name, shape: [...spec.shape] }
}

/** The tensors of an argument, of which a list has many and an absent one none. */
function listOf<T extends object>(argument: T | readonly T[] | null | undefined): readonly T[] {
  if (argument === null || argument === undefined) return []
  return isList(argument) ? argument : [argument]
}

const isList = <T extends object>(argument: T | readonly T[]): argument is readonly T[] => Array.isArray(argument)

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

type Inputs = Record<string, TensorValue>

/** Creates the file with all inputs; the rest reads as zeros until the runner poisons it. */
export function writeCaseFile(path: string, layout: CaseLayout, task: TaskInterface, inputs: Inputs): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    ftruncateSync(file, layout.fileBytes)
    writeInputs(file, layout, task, inputs)
  } finally {
    closeSync(file)
  }
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

const filePrefix = 'vitest-npu-case'
const sharedMemory = '/dev/shm'
let swept = false

/** `/dev/shm` while the file fits there twice over, else the temporary folder: containers often have 64 MiB of it. */
function folderFor(bytes: number): string {
  try {
    const { bavail, bsize } = statfsSync(sharedMemory)
    if (bavail * bsize > 2 * bytes) return sharedMemory
  } catch {
    // no such file system
  }
  return tmpdir()
}

function newCasePath(bytes: number): string {
  if (!swept) removeStaleCaseFiles()
  swept = true
  return join(folderFor(bytes), scratchName(filePrefix))
}

/** Removes case files of processes that are gone; those of living processes stay. */
export function removeStaleCaseFiles(): void {
  for (const folder of new Set([sharedMemory, tmpdir()])) sweepScratch(folder, filePrefix)
}

/** Removes the case files of all threads of this process. Synchronous: for the exit handler. */
export function removeOwnCaseFiles(): void {
  for (const folder of new Set([sharedMemory, tmpdir()])) removeOwnScratch(folder, filePrefix)
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
  const path = newCasePath(layout.fileBytes)
  try {
    writeCaseFile(path, layout, task, inputs)
    return await use({
      ...layout,
      path,
      readOutputs: (allocate) => readOutputs(path, layout, task, kernelCase, allocate),
      restoreInputs: () => restoreInputs(path, layout, task, inputs),
    })
  } finally {
    rmSync(path, { force: true })
  }
}
