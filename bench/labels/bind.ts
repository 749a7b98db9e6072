import type { AttributeValue, DType } from '../../plugin/model/index.ts'

/** What an extension passes to its operator: a tensor by its position, or a value. */
export type Passed = { input: number } | { output: number } | PassedValue

/** A number, or the name of a parameter whose value the model gives; and its C++ type. */
export interface PassedValue {
  type: string
  value: AttributeValue | { name: string }
}

/** The shape that a bind gives a result: that of an input, extents, or what it computes in ways that are not read. */
export type Allocated = { like: number } | { shape: readonly Extent[] } | 'computed' | 'never'

/** An extent as a bind states it: a number, or one of an input. */
export type Extent = number | { input: number; axis: number }

/** What of the PyTorch extension of a pack matters to a launch; the extension is read as text, and never run. */
export interface Bind {
  /** arguments of the operator in the order in which they are passed */
  passed: Passed[]
  outputs: { shape: Allocated; dtype: DType | null }[]
  /** dimensions of extent 1 are removed before the result is compared */
  squeezed: boolean
  /** the arguments that the model passes are those that the extension takes */
  callable: boolean
}

interface Parameter {
  type: string
  name: string
}

const withoutComments = (text: string): string => text.replace(/\/\*[^]*?\*\/|\/\/.*|#(?!include).*/g, '')

/** Splits at commas that are in no brackets. */
function split(text: string): string[] {
  const parts: string[] = ['']
  let depth = 0
  for (const letter of text) {
    if ('([{'.includes(letter)) depth++
    if (')]}'.includes(letter)) depth--
    if (letter === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += letter
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** What is in the brackets that open at `start`. */
function bracketed(text: string, start: number): string {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    if ('([{'.includes(text[at]!)) depth++
    if (')]}'.includes(text[at]!) && --depth === 0) return text.slice(start + 1, at)
  }
  return text.slice(start + 1)
}

function parametersOf(code: string): Parameter[] {
  const start = /\b(?:at::Tensor|tuple<[^>]*>)\s+\w+\s*\(/.exec(code)
  if (!start) return []
  return split(bracketed(code, start.index + start[0].length - 1)).map((one) => {
    const [, type = '', name = ''] = /^(.*?)(\w+)$/.exec(one.replace(/=.*/, '').trim()) ?? []
    return { type: type.trim(), name }
  })
}

const isTensor = ({ type }: Parameter): boolean => type.includes('Tensor')

/** How many of the arguments have a default that the extension knows of: the one of the C++ function is not. */
const defaultsOf = (code: string): number => [...code.matchAll(/py::arg\("\w+"\)\s*=/g)].length

/** What a parameter is where the model passes none. */
function defaultOf(code: string, name: string): AttributeValue | null {
  const text = new RegExp(`py::arg\\("${name}"\\)\\s*=\\s*([-+.\\w]+)`).exec(code)?.[1]
  return text === undefined ? null : literalOf(text)
}

/** Arguments of the call in `forward`; `*inputs` stands for all inputs of the operator. */
function argumentsOfCall(model: string, inputs: number): number | null {
  const call = /(?:\bfn|getattr\(custom_ops_lib, _FN\)|custom_ops_lib\.\w+)\(/g
  const forward = withoutComments(model.slice(model.indexOf('def forward')))
  const found = [...forward.matchAll(call)].at(-1)
  if (!found) return null
  const given = split(bracketed(forward, found.index + found[0].length - 1))
  return given.reduce((sum, argument) => sum + (argument.startsWith('*') ? inputs : 1), 0)
}

/** Reads the extension and model of a pack for an operator of so many inputs; null where it calls no operator. */
export function readBind(extension: string, model: string, inputs: number): Bind | null {
  const code = withoutComments(extension)
  const call = /EXEC_NPU_CMD\(\s*\w+\s*,/.exec(code)
  if (!call) return null
  const [, ...names] = split(bracketed(code, call.index + 'EXEC_NPU_CMD'.length))
  const parameters = parametersOf(code)
  const tensors = parameters.filter(isTensor).map(({ name }) => name)
  const results = names.filter((name) => new RegExp(`at::Tensor\\s+${name}\\s*[=;]`).test(code))
  const given = argumentsOfCall(model, inputs)
  return {
    passed: names.map((name) => {
      if (results.includes(name)) return { output: results.indexOf(name) }
      if (tensors.includes(name)) return { input: tensors.indexOf(name) }
      const parameter = parameters.find((one) => one.name === name)
      if (parameter) return { type: parameter.type, value: defaultOf(code, name) ?? { name } }
      return constantOf(code, name) ?? { type: '', value: { name } }
    }),
    outputs: results.map((name) => allocationOf(code, name, tensors)),
    squeezed: /return\s+\w+\.squeeze\(\)/.test(code) || /return\s+\w+\.squeeze\(\)/.test(model),
    callable: given === null || (given <= parameters.length && given >= parameters.length - defaultsOf(code)),
  }
}

/** `float beta = 1.0f;`, or a literal in the call itself. */
function constantOf(code: string, name: string): PassedValue | null {
  const [, type, text] = new RegExp(`\\b(float|double|int64_t|int|bool)\\s+${name}\\s*=\\s*([^;]+);`).exec(code) ?? []
  if (type !== undefined && text !== undefined) return { type, value: literalOf(text.trim()) ?? { name } }
  const value = literalOf(name)
  if (value === null) return null
  return { type: typeof value === 'boolean' ? 'bool' : /[.ef]/.test(name) ? 'double' : 'int64_t', value }
}

function literalOf(text: string): AttributeValue | null {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\.?\d[\d.]*(?:e[-+]?\d+)?[fFlL]*$/.test(text) ? Number.parseFloat(text) : null
}

const dtypes: Record<string, DType> = { kFloat: 'float32', kLong: 'int64', kInt: 'int32', kHalf: 'float16' }

function allocationOf(code: string, name: string, tensors: readonly string[]): Bind['outputs'][number] {
  const made = new RegExp(`at::Tensor\\s+${name}\\s*(=\\s*at::(empty|zeros)(_like)?\\s*\\(|;)`).exec(code)
  if (made?.[1] === ';') return { shape: 'never', dtype: null }
  if (!made) return { shape: 'computed', dtype: null }
  const [first = '', ...rest] = split(bracketed(code, made.index + made[0].length - 1))
  const dtype = dtypes[/\b(k[A-Z]\w+)/.exec(rest.join())?.[1] ?? ''] ?? null
  if (made[3] !== undefined) return { shape: { like: Math.max(tensors.indexOf(first), 0) }, dtype }
  if (!first.startsWith('{')) return { shape: 'computed', dtype }
  const extents = split(first.slice(1, -1)).map((one) => extentOf(code, one, tensors))
  return {
    shape: extents.some((one) => one === null) ? 'computed' : { shape: extents.filter((one) => one !== null) },
    dtype,
  }
}

/** A number, `x.size(0)`, or the name of one of these. */
function extentOf(code: string, text: string, tensors: readonly string[]): Extent | null {
  if (/^\d+$/.test(text)) return Number(text)
  const size = /^(\w+)\.size\((\d+)\)$/.exec(text)
  if (size) return { input: Math.max(tensors.indexOf(size[1]!), 0), axis: Number(size[2]) }
  const named = new RegExp(`\\b(?:auto|int64_t)\\s+${text.replaceAll(/\W/g, '')}\\s*=\\s*([^;]+);`).exec(code)?.[1]
  return named === undefined || named.includes(text) ? null : extentOf(code, named.trim(), tensors)
}
