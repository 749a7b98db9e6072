import type { DType } from '../model/index.ts'
import { dtypeNames, dtypes } from '../model/index.ts'
import { holds } from './columns.ts'
import type { Argument, Attribute, Branch, Buffer, Expression, Operator, ScalarType, StaticTest } from './ir.ts'
import { readListMember, type ListReader } from './lists.ts'
import { primitives } from './primitives.ts'
import { fail, nearest, type Span } from './problem.ts'
import { scalarFunctionNames, scalarFunctions } from './scalar-functions.ts'
import { callOf, nameOf, numberOf, plain, textOf, type Expression as Syntax } from './syntax.ts'

/** What a name stands for. */
export type Binding =
  | { kind: 'scalar'; type: ScalarType; mutable: boolean }
  | { kind: 'tensor'; argument: Argument }
  | { kind: 'attribute'; attribute: Attribute }
  | { kind: 'buffer'; buffer: Buffer }
  | { kind: 'number'; value: number; type: ScalarType }

/** Where an expression stands. */
export interface Scope {
  readonly part: 'host' | 'kernel'
  readonly names: ReadonlyMap<string, Binding>
  /** the tests of dtypes that this stands behind */
  readonly branch?: readonly Branch[]
}

/** How lists of tensors are read here. */
export const listReader = (scope: Scope): ListReader => ({
  argumentOf(name) {
    const binding = scope.names.get(name)
    return binding?.kind === 'tensor' ? binding.argument : undefined
  },
  whole: (node) => wanted(readExpression(node, scope), 'int'),
})

const operators: Readonly<Record<string, Operator>> = {
  '+': '+',
  '-': '-',
  '*': '*',
  '/': '/',
  '%': '%',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  '===': '==',
  '!==': '!=',
  '&&': '&&',
  '||': '||',
}

const isLogic = (operator: Operator): boolean => operator === '&&' || operator === '||'
const isRelation = (operator: Operator): boolean => ['<', '<=', '>', '>=', '==', '!='].includes(operator)

/** Reads a scalar expression. */
export function readExpression(syntax: Syntax, scope: Scope): Expression {
  const node = plain(syntax)
  const span = { start: node.start, end: node.end }
  const value = numberOf(node)
  if (value !== null) return numberAt(value, span, node)
  switch (node.type) {
    case 'Literal':
      if (typeof node.value === 'boolean') return { op: 'number', value: node.value ? 1 : 0, type: 'bool', span }
      return fail(span, 'this is no number', 'scalars are numbers; types are compared by x.dtype === …')
    case 'Identifier':
      return readName(node.name, span, scope)
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const operator = operators[node.operator]
      if (!operator)
        return fail(span, `${node.operator} is no operator here`, `there are ${Object.keys(operators).join(' ')}`)
      const { left, right } = node
      if (left.type === 'PrivateIdentifier') return fail(span, 'this is no number')
      const asked = readWordTest(plain(left), plain(right), span, scope)
      if (asked) return operator === '!=' ? { op: 'not', operand: asked, type: 'bool', span } : asked
      return readOperation(operator, left, right, span, scope)
    }
    case 'UnaryExpression': {
      const operand = readExpression(node.argument, scope)
      if (node.operator === '!') return { op: 'not', operand: wanted(operand, 'bool'), type: 'bool', span }
      if (node.operator === '-') return { op: 'negate', operand: numeric(operand), type: operand.type, span }
      return fail(span, `${node.operator} is no operator here`, 'there are - and !')
    }
    case 'ConditionalExpression': {
      const test = wanted(readExpression(node.test, scope), 'bool')
      const [yes, no] = unified(readExpression(node.consequent, scope), readExpression(node.alternate, scope))
      return { op: 'choose', test, yes, no, type: yes.type, span }
    }
    case 'CallExpression':
    case 'MemberExpression':
      return readCall(node, span, scope)
    default:
      return fail(span, 'this is no scalar expression', 'there are numbers, names, operators, ? : and calls')
  }
}

/** A word of letters, as attributes have it. */
export function readWord(node: Syntax): string {
  const word = textOf(node)
  return word !== null && /^[\w.-]*$/.test(word) ? word : fail(node, 'a word is asked for', "e.g. 'mean'")
}

/** Whether an attribute is a word; null where none is compared. */
function readWordTest(left: Syntax, right: Syntax, span: Span, { names }: Scope): Expression | null {
  const name = nameOf(left)
  const binding = name === null ? undefined : names.get(name)
  if (binding?.kind !== 'attribute' || binding.attribute.type !== 'string') return null
  return { op: 'is-word', attribute: binding.attribute.name, word: readWord(right), type: 'bool', span }
}

/** A number as the program has it, without its sign. */
function writtenOf(node: Syntax): string {
  if (node.type === 'UnaryExpression') return writtenOf(plain(node.argument))
  return node.type === 'Literal' ? (node.raw ?? '') : ''
}

/** A number as it is written: `1.0` is a fraction. */
export function numberAt(value: number, span: Span, node: Syntax): Extract<Expression, { op: 'number' }> {
  const written = writtenOf(node)
  const isFraction = !Number.isInteger(value) || /[.e]/i.test(written.replace(/^0x.*/, ''))
  if (!isFraction && !Number.isSafeInteger(value)) fail(span, 'the number is too large')
  return { op: 'number', value, type: isFraction ? 'float' : 'int', span }
}

function readName(name: string, span: Span, { names, part }: Scope): Expression {
  if (name === 'Infinity') return { op: 'number', value: Infinity, type: 'float', span }
  if (name === 'NaN') return { op: 'number', value: NaN, type: 'float', span }
  const binding = names.get(name)
  if (!binding) return fail(span, `no name is called ${name}`, nearest(name, [...names.keys(), ...scalarFunctionNames]))
  switch (binding.kind) {
    case 'scalar':
      return { op: 'name', name, type: binding.type, span }
    case 'number':
      return { op: 'number', value: binding.value, type: binding.type, span }
    case 'attribute': {
      const { type } = binding.attribute
      if (type === 'string') return fail(span, `${name} is a word`, `compare it: ${name} === 'mean'`)
      if (type !== 'int' && type !== 'float' && type !== 'bool')
        return fail(span, `${name} is a list`, `write ${name}[0] or ${name}.length`)
      return { op: 'name', name, type, span }
    }
    case 'tensor':
      return fail(
        span,
        `${name} is a tensor, and no number`,
        part === 'host'
          ? `write ${name}.size, ${name}.shape(-1) or ${name}.rank`
          : 'the kernel works on what it has loaded; sizes come from the host part',
      )
    case 'buffer':
      return fail(span, `${name} is a buffer, and no number`, `get(${name}, i) reads one element`)
  }
}

/** Both of one type: a whole number beside a fraction is one too. */
function unified(left: Expression, right: Expression): [Expression, Expression] {
  if (left.type === right.type) return [left, right]
  if (left.type === 'int' && right.type === 'float') return [asFloat(left), right]
  if (left.type === 'float' && right.type === 'int') return [left, asFloat(right)]
  return fail(right.span, `${named[left.type]} and ${named[right.type]} do not go together`)
}

export function asFloat(value: Expression): Expression {
  if (value.type === 'float') return value
  if (value.op === 'number' && value.type === 'int') return { ...value, type: 'float' }
  return { op: 'call', name: 'float', arguments: [numeric(value)], type: 'float', span: value.span }
}

const named: Readonly<Record<ScalarType, string>> = {
  int: 'a whole number',
  float: 'a fraction',
  bool: 'a truth value',
}

/** The expression, which has to be of this type. */
export function wanted(value: Expression, type: ScalarType): Expression {
  if (value.type === type) return value
  if (type === 'float' && value.type === 'int') return asFloat(value)
  const hints: Partial<Record<ScalarType, string>> = {
    int: 'int(…) cuts the fraction off',
    bool: 'compare it, e.g. with > 0',
  }
  return fail(value.span, `this is ${named[value.type]}, and ${named[type]} is asked for`, hints[type])
}

const numeric = (value: Expression): Expression =>
  value.type === 'bool' ? fail(value.span, 'this is a truth value, and no number') : value

function readOperation(operator: Operator, left: Syntax, right: Syntax, span: Span, scope: Scope): Expression {
  const [a, b] = [readExpression(left, scope), readExpression(right, scope)]
  if (isLogic(operator))
    return { op: 'operate', operator, left: wanted(a, 'bool'), right: wanted(b, 'bool'), type: 'bool', span }
  const [x, y] = unified(a.type === 'bool' && isRelation(operator) ? a : numeric(a), b)
  numeric(isRelation(operator) ? { ...y, type: 'int' } : y)
  if (operator === '%' && x.type !== 'int') return fail(span, '% is for whole numbers')
  if ((operator === '/' || operator === '%') && y.op === 'number' && y.value === 0 && y.type === 'int')
    return fail(y.span, 'division by zero')
  if (operator === '/' && x.type === 'int' && x.op === 'number' && y.op === 'number' && x.value % y.value !== 0)
    return fail(
      span,
      `in whole numbers this is ${Math.trunc(x.value / y.value)}`,
      `write ${x.value}.0 / ${y.value}.0 for a fraction`,
    )
  return { op: 'operate', operator, left: x, right: y, type: isRelation(operator) ? 'bool' : x.type, span }
}

const constantAxis = (axis: Expression): Expression => wanted(axis, 'int')

function readCall(node: Syntax, span: Span, scope: Scope): Expression {
  if (node.type === 'MemberExpression') return readMember(node, null, span, scope)
  if (node.type !== 'CallExpression') return fail(span, 'this is no scalar expression')
  if (node.callee.type === 'MemberExpression') return readMember(node.callee, node.arguments.map(plain), span, scope)
  const call = callOf(node)
  if (!call) return fail(span, 'this is no call of a function')
  const { name, given } = call
  if (name === 'get') return readGet(given, span, scope)
  if (name === 'fit') {
    if (scope.part !== 'host') return fail(span, 'fit belongs into the host part')
    if (given.length !== 1) return fail(span, 'fit takes the largest value that is of use')
    return { op: 'fit', limit: wanted(readExpression(given[0]!, scope), 'int'), type: 'int', span }
  }
  const found = Object.hasOwn(scalarFunctions, name) ? scalarFunctions[name] : undefined
  if (!found)
    return fail(
      call.span,
      `no function of numbers is called ${name}`,
      primitives.has(name)
        ? `it works on buffers, as a statement in compute: ${name}(dst, …)`
        : nearest(name, [...scalarFunctionNames, 'fit', 'get']),
    )
  const values = given.map((each) => readExpression(each, scope))
  if (
    values.length < found.takes ||
    (found.takes === 1 && values.length > 1) ||
    (found.of === 'int' && values.length > 2)
  )
    return fail(span, `${name} takes ${found.takes === 1 ? 'one number' : 'two numbers'}`)
  if (found.of === 'int')
    return { op: 'call', name, arguments: values.map((each) => wanted(each, 'int')), type: 'int', span }
  if (found.of === 'any') {
    const value = numeric(values[0]!)
    return value.type === found.gives
      ? value
      : { op: 'call', name, arguments: [value], type: found.gives === 'same' ? value.type : found.gives, span }
  }
  return values.slice(1).reduce((left, right): Expression => {
    const [a, b] = unified(numeric(left), numeric(right))
    return { op: 'call', name, arguments: [a, b], type: a.type, span }
  }, values[0]!)
}

function readGet(given: readonly Syntax[], span: Span, scope: Scope): Expression {
  if (scope.part !== 'kernel') return fail(span, 'get reads a buffer, and the host part has none')
  if (given.length !== 2) return fail(span, 'get takes a buffer and an index')
  const name = nameOf(plain(given[0]!))
  const binding = name === null ? undefined : scope.names.get(name)
  if (binding?.kind === 'tensor') return readElement(binding.argument, given, span, scope)
  const buffer = readBuffer(given[0]!, scope)
  const index = wanted(readExpression(given[1]!, scope), 'int')
  const isWhole = typesOf(buffer, scope).every((dtype) => dtypes[dtype].kind === 'int')
  return { op: 'get', buffer, index, type: isWhole ? 'int' : 'float', span }
}

/** An element in global memory: a whole number where it is one in every column that comes here. */
function readElement(argument: Argument, given: readonly Syntax[], span: Span, scope: Scope): Expression {
  const { name, isList } = argument
  if (isList) return fail(given[0]!, `${name} is a list of tensors`, 'get reads an element of a buffer or of a tensor')
  const columns = [...scope.names.values()].flatMap((each) =>
    each.kind === 'tensor' ? [each.argument.dtypes.length] : [],
  )
  const dtypeIn = (tensor: string, column: number): DType => {
    const named = [...scope.names.values()].find((each) => each.kind === 'tensor' && each.argument.name === tensor)
    const all = named?.kind === 'tensor' ? named.argument.dtypes : argument.dtypes
    return all[column] ?? all[0]!
  }
  const isWhole = Array.from({ length: Math.max(...columns) }, (_, column) => column)
    .filter((column) =>
      (scope.branch ?? []).every(({ test, taken }) => holds(test, (tensor) => dtypeIn(tensor, column)) === taken),
    )
    .every((column) => dtypes[dtypeIn(name, column)].kind !== 'float')
  return {
    op: 'read',
    tensor: name,
    index: wanted(readExpression(given[1]!, scope), 'int'),
    type: isWhole ? 'int' : 'float',
    span,
  }
}

/** The dtypes of a buffer, in all columns. */
function typesOf({ type }: Buffer, { names }: Scope): readonly DType[] {
  if ('dtype' in type) return type.dtype === 'mask' ? ['bool'] : [type.dtype]
  const binding = names.get(type.of)
  return binding?.kind === 'tensor' ? binding.argument.dtypes : []
}

/** The buffer that a name stands for. */
export function readBuffer(node: Syntax, { names }: Scope): Buffer {
  const name = nameOf(plain(node))
  const binding = name === null ? undefined : names.get(name)
  if (binding?.kind === 'buffer') return binding.buffer
  const buffers = [...names].filter(([, { kind }]) => kind === 'buffer').map(([each]) => each)
  if (name === null) return fail(node, 'a buffer is named here', `there are ${buffers.join(', ')}`)
  if (!binding)
    return fail(node, `no buffer is called ${name}`, buffers.length > 0 ? nearest(name, buffers) : undefined)
  const hint =
    binding.kind === 'tensor'
      ? `${name} is a tensor in global memory: load it into a buffer, or compute into one and store that`
      : `there are ${buffers.join(', ')}`
  return fail(node, `${name} is no buffer`, hint)
}

const facts = ['size', 'rank', 'bytes', 'given', 'shape', 'product', 'dtype', 'length']

function readMember(
  node: Extract<Syntax, { type: 'MemberExpression' }>,
  given: Syntax[] | null,
  span: Span,
  scope: Scope,
): Expression {
  const ofList = readListMember(node, span, listReader(scope))
  if (ofList) return ofList
  const object = nameOf(plain(node.object))
  const binding = object === null ? undefined : scope.names.get(object)
  if (object === null || !binding)
    return fail(node.object, `no name is called ${object ?? 'so'}`, nearest(object ?? '', [...scope.names.keys()]))
  if (node.computed) {
    if (binding.kind !== 'attribute' || given) return fail(span, `${object} is no list`, 'lists are attributes')
    const index = wanted(readExpression(node.property, scope), 'int')
    const type = binding.attribute.type === 'listFloat' ? 'float' : 'int'
    return { op: 'item', attribute: object, index, type, span }
  }
  const member = node.property.name
  if (binding.kind === 'attribute' && member === 'length') return { op: 'length', attribute: object, type: 'int', span }
  if (binding.kind !== 'tensor') return fail(span, `${object} has no ${member}`)
  if (scope.part === 'kernel')
    return fail(span, `the kernel does not know the shape of ${object}`, 'return what it needs from the host part')
  const values = (given ?? []).map((each) => constantAxis(readExpression(each, scope)))
  const tensor = binding.argument.name
  if (member === 'size' && !given) return { op: 'product', tensor, from: zero(span), to: null, type: 'int', span }
  if (member === 'given' && !given) return { op: 'given', tensor, type: 'bool', span }
  if ((member === 'rank' || member === 'bytes') && !given) return { op: member, tensor, type: 'int', span }
  if (member === 'shape' && values.length === 1) return { op: 'extent', tensor, axis: values[0]!, type: 'int', span }
  if (member === 'product' && values.length > 0 && values.length < 3)
    return { op: 'product', tensor, from: values[0]!, to: values[1] ?? null, type: 'int', span }
  if (member === 'shape' || member === 'product')
    return fail(span, `${member} is called`, 'write x.shape(-1), or x.product(0, -1) for all but the last')
  return fail(span, `a tensor has no ${member}`, nearest(member, facts))
}

const zero = (span: Span): Expression => ({ op: 'number', value: 0, type: 'int', span })

/** A question about dtypes, `x.dtype === 'float32'`; null where it is none. */
export function readStaticTest(syntax: Syntax, scope: Scope): StaticTest | null {
  const node = plain(syntax)
  if (node.type === 'UnaryExpression' && node.operator === '!') {
    const operand = readStaticTest(node.argument, scope)
    return operand && { op: 'not', operand }
  }
  if (node.type === 'LogicalExpression' && (node.operator === '&&' || node.operator === '||')) {
    const [left, right] = [readStaticTest(node.left, scope), readStaticTest(node.right, scope)]
    return left && right ? { op: node.operator === '&&' ? 'and' : 'or', left, right } : null
  }
  if (node.type !== 'BinaryExpression' || (node.operator !== '===' && node.operator !== '!==')) return null
  const tensor = dtypeMember(plain(node.left), scope)
  if (tensor === null) return null
  const dtype = readDType(plain(node.right))
  const test: StaticTest = { op: 'is', tensor, dtypes: [dtype] }
  return node.operator === '===' ? test : { op: 'not', operand: test }
}

/** `x.dtype` as `x`. */
export function dtypeMember(node: Syntax, { names }: Scope): string | null {
  if (node.type !== 'MemberExpression' || node.computed || node.property.name !== 'dtype') return null
  const name = nameOf(plain(node.object))
  const binding = name === null ? undefined : names.get(name)
  return binding?.kind === 'tensor' ? binding.argument.name : null
}

const isDType = (name: string): name is DType => (dtypeNames as readonly string[]).includes(name)

/** The name of a dtype. */
export function readDType(node: Syntax): DType {
  const name = textOf(node)
  if (name === null) return fail(node, 'the name of a dtype is asked for', `there are ${dtypeNames.join(', ')}`)
  if (!isDType(name)) return fail(node, `no dtype is called ${name}`, nearest(name, dtypeNames))
  return name
}
