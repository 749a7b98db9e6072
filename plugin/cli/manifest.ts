import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { z } from 'zod'
import { describeShape, dtypeNames } from '../model/index.ts'
import type {
  ArgumentSpec,
  DType,
  KernelCase,
  TaskArgument,
  TaskInterface,
  Tensor,
  TensorValue,
} from '../model/index.ts'
import type { Inputs, KernelTask } from '../task/index.ts'
import { tensorsOf } from '../task/index.ts'
import { readNpy } from './npy.ts'
import { didYouMean, messageOf, UserError } from './user-error.ts'

const file = z.union([z.string().min(1), z.strictObject({ file: z.string().min(1), dtype: z.enum(dtypeNames) })])
const attribute = z.union([z.number(), z.boolean(), z.string(), z.array(z.number())])

/** Somebody's tensors, as files beside the manifest. */
const manifest = z.strictObject({
  /**
   * by argument: a file, a file whose bytes are of another dtype, the files of a list, or null for an absent argument
   */
  inputs: z.record(z.string(), z.union([file, z.array(file), z.null()])),
  attrs: z.record(z.string(), attribute).default({}),
  /** shapes of outputs, needed only where inputs and attributes do not say them */
  outputs: z.record(z.string(), z.array(z.int().nonnegative())).default({}),
})

export type Manifest = z.input<typeof manifest>
type File = z.infer<typeof file>

/**
 * Reads a manifest and its tensors as a case of a task. Throws a UserError that names the file, the field and the fix.
 */
export function readManifest(task: KernelTask, path: string): { kernelCase: KernelCase; inputs: Inputs } {
  const place = relative(process.cwd(), resolve(path))
  const { inputs: files, attrs, outputs } = parse(path, place)
  const { inputs: wanted, attrs: known } = task.interface
  const named = (kind: string, field: string, name: string, names: readonly string[]): never => {
    const list = names.length > 0 ? `; there are ${names.join(', ')}` : '; it has none'
    throw new UserError(
      `${place}: ${field}.${name}: ${task.interface.name} has no such ${kind}${didYouMean(name, names)}${list}`,
    )
  }
  const inputNames = wanted.map(({ name }) => name)
  const attributeNames = known.map(({ name }) => name)
  for (const name of Object.keys(files)) if (!inputNames.includes(name)) named('input', 'inputs', name, inputNames)
  for (const name of Object.keys(attrs))
    if (!attributeNames.includes(name)) named('attr', 'attrs', name, attributeNames)

  const inputs: Inputs = {}
  for (const argument of wanted) inputs[argument.name] = valueOf(argument, files[argument.name], path, place)
  const specs = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, specsOf(value)]))
  const kernelCase = caseOf(task, { inputs: specs, attrs, outputs }, place)
  return { kernelCase, inputs: shaped(task.interface, inputs, place) }
}

function parse(path: string, place: string): z.output<typeof manifest> {
  if (!existsSync(path)) throw new UserError(`${place}: there is no such file`)
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'), (key, value: unknown) => {
      // objects have that without being asked, and what reads them leaves it out
      if (key === '__proto__') throw new UserError(`${place}: nothing can be called ${key}`)
      return value
    })
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(`${place}: is not JSON: ${messageOf(error)}`)
  }
  const parsed = manifest.safeParse(json)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  if (issue?.code === 'unrecognized_keys') {
    throw new UserError(`${place}: no field is called ${issue.keys.join(', ')}; the fields are inputs, attrs, outputs`)
  }
  const field = issue?.path.join('.') ?? ''
  const forms: Record<string, string> = {
    inputs: 'a file name, {"file": …, "dtype": …}, a list of them, or null',
    attrs: 'a number, true or false, a text or a list of numbers',
    outputs: 'a shape, e.g. [4, 128]',
  }
  throw new UserError(`${place}: ${field || 'it'}: allowed is ${forms[field.split('.')[0] ?? ''] ?? 'an object'}`)
}

function valueOf(
  argument: TaskArgument,
  entry: File | readonly File[] | null | undefined,
  path: string,
  place: string,
): TensorValue {
  const { name, kind, required } = argument
  const field = `${place}: inputs.${name}`
  if (entry === undefined || entry === null) {
    if (required) throw new UserError(`${field}: the input is required; give a .npy file`)
    return null
  }
  const load = (one: File): Tensor => tensorOf(argument, one, dirname(path), field)
  if (kind === 'tensorList') {
    if (!isList(entry)) throw new UserError(`${field}: is a list of tensors; give a list of files`)
    return entry.map(load)
  }
  if (isList(entry)) throw new UserError(`${field}: is one tensor; give one file`)
  return load(entry)
}

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value)

function tensorOf({ dtypes }: TaskArgument, entry: File, folder: string, field: string): Tensor {
  const [name, dtype] = typeof entry === 'string' ? [entry, undefined] : [entry.file, entry.dtype]
  const path = resolve(folder, name)
  if (!existsSync(path)) throw new UserError(`${field}: there is no file ${name}`)
  const tensor = within(field, () => readNpy(path))
  const wanted = dtype ?? tensor.dtype
  if (!dtypes.includes(wanted)) {
    const bits = wanted === 'uint16' && dtypes.includes('bfloat16')
    const hint = bits ? `; for bfloat16 bit patterns write {"file": "${name}", "dtype": "bfloat16"}` : ''
    throw new UserError(`${field}: ${name} is ${wanted}, the task takes ${[...new Set(dtypes)].join(', ')}${hint}`)
  }
  return wanted === tensor.dtype ? tensor : within(field, () => reinterpreted(tensor, wanted, name))
}

// bfloat16 travels as 16-bit patterns, bool as bytes: the same storage, another meaning.
function reinterpreted(tensor: Tensor, dtype: DType, name: string): Tensor {
  const allowed: Partial<Record<DType, DType>> = { bfloat16: 'uint16', bool: 'uint8' }
  if (allowed[dtype] === tensor.dtype) return { ...tensor, dtype }
  throw new UserError(`${name} holds ${tensor.dtype}, which cannot stand for ${dtype}; convert it before you save it`)
}

function within<T>(field: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`${field}: ${error.message}`)
    throw error
  }
}

const specOf = ({ dtype, shape }: Tensor) => ({ dtype, shape: [...shape] })

function specsOf(value: TensorValue): ArgumentSpec {
  if (value === null) return null
  return 'data' in value ? specOf(value) : value.map(specOf)
}

function caseOf(task: KernelTask, given: Parameters<KernelTask['caseOf']>[0], place: string): KernelCase {
  try {
    return task.caseOf(given, place)
  } catch (error) {
    throw new UserError(messageOf(error))
  }
}

// The tensors as the case has them: a scalar may come with any shape of one element.
function shaped(task: TaskInterface, inputs: Inputs, place: string): Inputs {
  const result: Inputs = { ...inputs }
  for (const { name, kind } of task.inputs) {
    const [tensor] = tensorsOf(inputs[name])
    if (kind !== 'scalarTensor' || !tensor) continue
    if (tensor.data.length !== 1) {
      throw new UserError(
        `${place}: inputs.${name}: is one number, ${describeShape(tensor.dtype, tensor.shape)} was given`,
      )
    }
    result[name] = { ...tensor, shape: [] }
  }
  return result
}
