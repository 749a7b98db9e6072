import type { DType, TaskInterface } from '../model/index.ts'

/** Types that parameters of an aclnn call have, and what the runner is told to make of an argument for them. */
const parameterTypes = {
  aclTensor: 'tensor',
  aclTensorList: 'tensorList',
  aclScalar: 'scalar',
  aclScalarList: 'scalarList',
  aclIntArray: 'intArray',
  aclFloatArray: 'floatArray',
  aclBoolArray: 'boolArray',
  aclDataType: 'dataType',
  int64_t: 'int',
  uint64_t: 'int',
  int32_t: 'int',
  int8_t: 'int',
  double: 'float',
  float: 'float',
  bool: 'bool',
  char: 'string',
} as const

export type ParameterKind = (typeof parameterTypes)[keyof typeof parameterTypes]

/** How the runner asks for an argument of a kind. */
const accessors: Record<ParameterKind, string> = {
  tensor: 'tensor',
  tensorList: 'tensorList',
  scalar: 'scalar',
  scalarList: 'scalarList',
  dataType: 'dataType',
  intArray: 'intArray',
  floatArray: 'floatArray',
  boolArray: 'boolArray',
  int: 'integer',
  float: 'number',
  bool: 'boolean',
  string: 'string',
}

interface Parameter {
  name: string
  kind: ParameterKind
}

/** The first phase of an operator's call, as its header declares it. */
export interface AclnnCall {
  /** e.g. `aclnnAddCustom` */
  name: string
  /** without the size of the workspace and the executor */
  parameters: Parameter[]
}

const declaration = /\baclnnStatus\s+(aclnn\w+)GetWorkspaceSize\s*\(([^)]*)\)/g

const isTypeName = (name: string): name is keyof typeof parameterTypes => name in parameterTypes

function parameterOf(text: string): Parameter | undefined {
  const words = text.replaceAll('*', ' ').trim().split(/\s+/)
  const name = words.at(-1)
  const type = words.slice(0, -1).find(isTypeName)
  return name === undefined || type === undefined ? undefined : { name, kind: parameterTypes[type] }
}

/** The calls that a header declares: the first phase of each, without its workspace and executor. One with a parameter of a type that is unknown is left out. */
export function readCalls(header: string): AclnnCall[] {
  const text = header.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '')
  return [...text.matchAll(declaration)].flatMap(([, name = '', list = '']) => {
    const parts = list.split(',').map((part) => part.trim())
    const parameters = parts.slice(0, -2).map(parameterOf)
    return parameters.every((each) => each !== undefined) ? [{ name, parameters }] : []
  })
}

/** Where an argument of a call is from. */
export type ArgumentSource =
  | { from: 'input' | 'output'; index: number; transposed?: boolean }
  /** `codes`: numbers that stand for the texts of the attribute */
  | { from: 'attribute'; index: number; codes?: Readonly<Record<string, number>> }
  | { from: 'constant'; value: number | boolean | string | readonly number[] | null }
  /** a tensor from one call to the next, of the shape of an argument and of its dtype or another */
  | { from: 'between'; name: string; like: TensorArgument; dtype?: DType }
  /** the extents of an argument, or its dtype */
  | { from: 'shape' | 'dtype'; of: TensorArgument }

/** An input or an output of a task, by its position. */
export interface TensorArgument {
  side: 'inputs' | 'outputs'
  index: number
}

export type CallArgument = { kind: ParameterKind } & ArgumentSource

const tensorKinds: ReadonlySet<ParameterKind> = new Set([
  'tensor',
  'tensorList',
  'scalar',
  'intArray',
  'floatArray',
  'boolArray',
])

/** `scaleOptional` and `scale` are the same attribute; generators of headers join words in their own way. */
const plain = (name: string): string =>
  name
    .replace(/(?:Optional|Ref|Out)$/, '')
    .replaceAll('_', '')
    .toLowerCase()

/**
 * What of a task goes where in the call of an operator: inputs come first, then attributes, then outputs. An output that has the
 * name of an input is that input, and no parameter of its own. Returns what does not fit, as a sentence.
 */
export function argumentsOf(call: AclnnCall, task: TaskInterface): CallArgument[] | string {
  const { inputs, outputs, attrs } = task
  const { parameters } = call
  const own = outputs.flatMap((output, index) => (inputs.some(({ name }) => name === output.name) ? [] : [index]))
  const wanted = inputs.length + attrs.length + own.length
  if (parameters.length !== wanted)
    return `${call.name} takes ${parameters.length} arguments, and ${task.name} has ${wanted}: ${inputs.length} inputs, ${attrs.length} attributes, ${own.length} outputs`
  const found: CallArgument[] = []
  for (const [position, { name, kind }] of parameters.entries()) {
    const isAttribute = position >= inputs.length && position < inputs.length + attrs.length
    if (!isAttribute) {
      if (!tensorKinds.has(kind))
        return `${call.name} takes a value for ${name}, and ${task.name} has a tensor there: attributes stand between inputs and outputs`
      const index = position < inputs.length ? position : own[position - inputs.length - attrs.length]!
      found.push({ kind, from: position < inputs.length ? 'input' : 'output', index })
      continue
    }
    const index = attrs.findIndex((attr) => plain(attr.name) === plain(name))
    if (index < 0) return `op_host declares an attribute ${name}, which ${task.name} does not have`
    found.push({ kind, from: 'attribute', index })
  }
  return found
}

/** A call, and the header that declares it. */
export interface DeclaredCall {
  call: AclnnCall
  /** as `#include` names it */
  header: string
}

/** The part of the runner that is made for the calls of an operator: the compiler checks it against the headers that it includes. */
export function operatorSource(declared: readonly DeclaredCall[]): string {
  let given = 0
  const next = ({ kind }: Parameter): string => `given.${accessors[kind]}(${given++}), `
  const calls = declared.map(
    ({ call: { name, parameters } }) => `    {"${name}GetWorkspaceSize", "${name}",
     [](void* symbol, const Arguments& given, uint64_t* bytes, aclOpExecutor** executor) {
       (void)given;
       return reinterpret_cast<decltype(&${name}GetWorkspaceSize)>(symbol)(${parameters.map(next).join('')}bytes, executor);
     },
     [](void* symbol, void* workspace, uint64_t bytes, aclOpExecutor* executor, aclrtStream stream) {
       return reinterpret_cast<decltype(&${name})>(symbol)(workspace, bytes, executor, stream);
     }},
`,
  )
  const headers = [...new Set(declared.map(({ header }) => header))]
  return `// Made for ${declared.map(({ call }) => call.name).join(', ')}.
#include "operator.h"

${headers.map((header) => `#include "${header}"\n`).join('')}
namespace npu_ascend {

const std::vector<Call> calls = {
${calls.join('')}};

}  // namespace npu_ascend
`
}
