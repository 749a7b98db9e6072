import { RandomStream } from '../inputs/index.ts'
import {
  byteLengthOf,
  type ArgumentSpec,
  type KernelCase,
  type Slot,
  type TaskInterface,
  type TensorSpec,
} from '../model/index.ts'

/** Where every tensor of a case lives in its file. `slots` is in kernel-argument order: inputs, then outputs. */
export interface CaseLayout {
  fileBytes: number
  /** what lies behind each tensor, up to the end of its allocation */
  padding: Uint8Array
  slots: (Slot | Slot[] | null)[]
}

/** Tensors start on pages, and the page after each is free: the runner makes it the red zone. */
const pageBytes = 4096

/** A device pads every allocation to so many bytes, in which whatever was there before is left. */
const allocationBytes = 512

/** Which bytes these are follows from the case. None is zero, and each number that is read of them is negative. */
function paddingOf({ seed }: KernelCase): Uint8Array {
  const words = new Uint32Array(allocationBytes / Uint32Array.BYTES_PER_ELEMENT)
  new RandomStream(seed, 'padding').words(words)
  const padding = new Uint8Array(words.buffer)
  return padding.map((byte) => 0x81 + (byte % 0x7e))
}

/** How many bytes of an allocation lie behind a tensor of so many. */
export const paddingBytes = (bytes: number): number => -bytes & (allocationBytes - 1)

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
  return { fileBytes: Math.max(end, pageBytes), padding: paddingOf(kernelCase), slots: [...inputs, ...outputs] }
}

/** One argument of a case. Throws when the case lacks it. */
export function specOf(kernelCase: KernelCase, side: 'inputs' | 'outputs', name: string): ArgumentSpec {
  const spec = kernelCase[side][name]
  if (spec === undefined) throw new Error(`case ${kernelCase.name} of ${kernelCase.task} lacks ${side}.${name}`)
  return spec
}

function sharedSlots(name: string, spec: ArgumentSpec, input: Slot | Slot[] | null | undefined): Slot | Slot[] | null {
  if (spec === null) return null
  if (!input || Array.isArray(spec) !== Array.isArray(input))
    throw new Error(`output ${name} aliases an input that the case lacks`)
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
export function listOf<T extends object>(argument: T | readonly T[] | null | undefined): readonly T[] {
  if (argument === null || argument === undefined) return []
  return isList(argument) ? argument : [argument]
}

const isList = <T extends object>(argument: T | readonly T[]): argument is readonly T[] => Array.isArray(argument)
