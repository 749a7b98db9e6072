import type { TaskInterface } from '../model/index.ts'

/** Types that parameters of an aclnn call have, and what the runner is told to make of an argument for them. */
const parameterTypes = {
  aclTensor: 'tensor',
  aclTensorList: 'tensorList',
  aclScalar: 'scalar',
  aclIntArray: 'intArray',
  aclFloatArray: 'floatArray',
  aclBoolArray: 'boolArray',
  int64_t: 'int',
  double: 'float',
  bool: 'bool',
  char: 'string',
} as const

export type ParameterKind = (typeof parameterTypes)[keyof typeof parameterTypes]

/** How the runner asks for an argument of a kind. */
const accessors: Record<ParameterKind, string> = {
  tensor: 'tensor',
  tensorList: 'tensorList',
  scalar: 'scalar',
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

/** The calls that a header declares; one with a parameter of a type that is unknown is left out. */
export function readCalls(header: string): AclnnCall[] {
  const text = header.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '')
  return [...text.matchAll(declaration)].flatMap(([, name = '', list = '']) => {
    const parts = list.split(',').map((part) => part.trim())
    const parameters = parts.slice(0, -2).map(parameterOf)
    return parameters.every((each) => each !== undefined) ? [{ name, parameters }] : []
  })
}

/** Where an argument of a call is from. */
export type CallArgument =
  | { kind: ParameterKind; from: 'input' | 'output'; index: number }
  | { kind: ParameterKind; from: 'attribute'; index: number }

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

/** The part of the runner that is made for one call: the compiler checks it against the header that it includes. */
export function operatorSource({ name, parameters }: AclnnCall, header: string): string {
  const given = parameters.map(({ kind }, index) => `given.${accessors[kind]}(${index}), `).join('')
  return `// Made for ${name}.
#include "operator.h"

#include "${header}"

namespace npu_ascend {

const char* const workspaceSymbol = "${name}GetWorkspaceSize";
const char* const runSymbol = "${name}";

aclnnStatus askWorkspace(void* symbol, const Arguments& given, uint64_t* bytes, aclOpExecutor** executor) {
  return reinterpret_cast<decltype(&${name}GetWorkspaceSize)>(symbol)(${given}bytes, executor);
}

aclnnStatus run(void* symbol, void* workspace, uint64_t bytes, aclOpExecutor* executor, aclrtStream stream) {
  return reinterpret_cast<decltype(&${name})>(symbol)(workspace, bytes, executor, stream);
}

}  // namespace npu_ascend
`
}
