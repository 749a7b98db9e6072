import { z } from 'zod'
import { snakeCase, type AttributeType, type DType, type TaskInterface } from '../model/index.ts'
import { PackError, readTexts } from './python-texts.ts'

export { PackError }

/**
 * A pack of MultiKernelBench: one text file with the parts of an operator project as Python string literals. It is read
 * as data; no part of it is ever executed.
 */
export interface Pack {
  /** name of the operator as its OpDef registers it, e.g. `SoftplusCustom` */
  operator: string
  /** inputs, outputs and attributes, as `project_json_src` lists them */
  interface: Pick<TaskInterface, 'inputs' | 'outputs' | 'attrs' | 'kernel'>
  /** relative path to content: what the operator project consists of */
  files: ReadonlyMap<string, string>
  /** the PyTorch model that the operator is compared with, where the pack holds it */
  model: string | null
  /** the PyTorch extension that calls the operator, where the pack holds it */
  extension: string | null
}

const argument = z.object({
  name: z.string().regex(/^\w+$/),
  param_type: z.string().default('required'),
  type: z.union([z.string().transform((one) => [one]), z.array(z.string()).min(1)]),
})

const attribute = z.object({
  name: z.string().regex(/^\w+$/),
  param_type: z.string().default('optional'),
  type: z.string(),
  default_value: z.unknown().optional(),
})

const project = z.object({
  op: z.string().regex(/^\w+$/),
  input_desc: z.array(argument).default([]),
  output_desc: z.array(argument).default([]),
  attr: z.array(attribute).default([]),
})

const dtypes: Record<string, DType> = {
  float: 'float32',
  float32: 'float32',
  fp32: 'float32',
  float16: 'float16',
  fp16: 'float16',
  half: 'float16',
  bfloat16: 'bfloat16',
  bf16: 'bfloat16',
  double: 'float64',
  int8: 'int8',
  uint8: 'uint8',
  int16: 'int16',
  uint16: 'uint16',
  int: 'int32',
  int32: 'int32',
  uint32: 'uint32',
  int64: 'int64',
  uint64: 'uint64',
  bool: 'bool',
}

const attributeTypes: Record<string, AttributeType> = {
  int: 'int',
  int32: 'int',
  int64: 'int',
  int32_t: 'int',
  int64_t: 'int',
  float: 'float',
  bool: 'bool',
  string: 'string',
  str: 'string',
  list: 'listInt',
  list_int: 'listInt',
  listInt: 'listInt',
  list_float: 'listFloat',
  listFloat: 'listFloat',
}

function argumentOf({ name, param_type, type }: z.output<typeof argument>): TaskInterface['inputs'][number] {
  const types = type.map((one) => {
    const dtype = dtypes[one.toLowerCase()]
    if (dtype === undefined) throw new PackError(`project_json_src: ${name} has the unknown type ${one}`)
    return dtype
  })
  return {
    name,
    kind: param_type === 'dynamic' ? 'tensorList' : 'tensor',
    required: param_type !== 'optional',
    dtypes: types,
  }
}

function attributeOf({ name, param_type, type }: z.output<typeof attribute>): TaskInterface['attrs'][number] {
  const known = attributeTypes[type]
  if (known === undefined) throw new PackError(`project_json_src: the attribute ${name} has the unknown type ${type}`)
  return { name, type: known, required: param_type === 'required' }
}

/** The JSON of the project: a list of one operator, or the operator itself. */
function projectOf(text: string): z.output<typeof project> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new PackError(`project_json_src is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  const parsed = project.safeParse(Array.isArray(json) ? json[0] : json)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new PackError(`project_json_src: ${issue?.path.join('.')}: ${issue?.message}`)
}

/**
 * Reads a pack. `name` is what its files are called (`softplus` gives `softplus_custom.cpp`), as the harness of
 * MultiKernelBench calls them. Throws {@link PackError} when a part is missing or cannot be read.
 */
export function readPack(text: string, name: string): Pack {
  const parts = readTexts(text)
  const of = (part: string): string => {
    const found = parts.get(part)
    if (found === undefined) throw new PackError(`the pack has no ${part}`)
    return found
  }
  const described = projectOf(of('project_json_src'))
  const host = of('host_operator_src')
  // harnesses call files by the task or by the operator (`pool_1d_custom`, `pool1d_custom`): the pack says what it expects
  const expected = /#include\s+"(\w+)_tiling\.h"/.exec(host)?.[1]
  const file = expected === snakeCase(described.op) ? expected : `${name}_custom`
  return {
    operator: described.op,
    interface: {
      kernel: /__global__\s+(?:__aicore__\s+)?void\s+(\w+)\s*\(/.exec(of('kernel_src'))?.[1] ?? snakeCase(described.op),
      inputs: described.input_desc.map(argumentOf),
      outputs: described.output_desc.map(argumentOf),
      attrs: described.attr.map(attributeOf),
    },
    files: new Map([
      [`op_host/${file}_tiling.h`, of('host_tiling_src')],
      [`op_host/${file}.cpp`, host],
      [`op_kernel/${file}.cpp`, of('kernel_src')],
    ]),
    model: parts.get('model_src') ?? null,
    extension: parts.get('python_bind_src') ?? null,
  }
}
