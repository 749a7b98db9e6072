import type { ExportDefaultDeclarationKind } from 'oxc-parser'
import type { AttributeType, DType } from '../model/index.ts'
import { snakeCase } from '../model/snake-case.ts'
import { numberAt, readExpression, readDType, readWord, wanted, type Binding, type Scope } from './expression.ts'
import type { Argument, Attribute, Expression, HostConstant, Program } from './ir.ts'
import { readKernel } from './kernel.ts'
import { allowedName, isReserved, whyReserved } from './names.ts'
import { fail, nearest, type Span } from './problem.ts'
import {
  bodyOf,
  callOf,
  destructured,
  elementsOf,
  functionOf,
  membersOf,
  nameOf,
  numberOf,
  parametersOf,
  plain,
  textOf,
  type Expression as Syntax,
  type Member,
  type Program as File,
  type Statement,
} from './syntax.ts'

const module = 'vitest-npu/dsl'

/** Whether what a file exports is a value, and no function, class or interface. */
const isExpression = (node: ExportDefaultDeclarationKind): node is Syntax =>
  !['FunctionDeclaration', 'ClassDeclaration', 'TSInterfaceDeclaration', 'TSDeclareFunction'].includes(node.type)

/** Reads a file that is free of errors of syntax. */
export function readProgram(file: File): Program {
  const constants = new Map<string, Binding>()
  let exported: Syntax | undefined
  for (const node of file.body) {
    if (node.type === 'ImportDeclaration') {
      if (node.source.value !== module)
        fail(node.source, 'a program imports nothing else', `it imports from '${module}'`)
    } else if (node.type === 'VariableDeclaration') readFileConstants(node, constants)
    else if (node.type === 'ExportDefaultDeclaration') {
      const { declaration } = node
      exported = isExpression(declaration)
        ? plain(declaration)
        : fail(node, 'an operator is exported', 'write export default operator({ … })')
    } else if (node.type !== 'EmptyStatement' && node.type !== 'TSTypeAliasDeclaration')
      fail(
        node,
        'this has no place in a program',
        'there are imports, numbers with const, and export default operator({ … })',
      )
  }
  const call = exported && callOf(exported)
  if (!exported || call?.name !== 'operator' || call.given.length !== 1)
    return fail(
      exported ?? { start: 0, end: 1 },
      'a program exports an operator',
      'write export default operator({ … })',
    )
  return readOperator(call.given[0]!, exported, constants)
}

function readFileConstants(
  node: Extract<Statement, { type: 'VariableDeclaration' }>,
  names: Map<string, Binding>,
): void {
  if (node.kind !== 'const') fail(node, 'a file has constants only', 'write const')
  for (const { id, init } of node.declarations) {
    if (id.type !== 'Identifier') return fail(id, 'one name is declared at a time')
    const written = init === null ? null : plain(init)
    const number = written && numberOf(written)
    if (written === null || number === null)
      return fail(init ?? id, 'a constant of a file is a number', 'compute in the host part or in the kernel')
    const { value, type } = numberAt(number, written, written)
    names.set(allowedName(id.name, id, names), { kind: 'number', value, type })
  }
}

const members = ['name', 'entry', 'inputs', 'outputs', 'attrs', 'host', 'kernel']

function readOperator(node: Syntax, span: Span, constants: ReadonlyMap<string, Binding>): Program {
  const given = membersOf(node, 'an operator')
  for (const member of given)
    if (!members.includes(member.name))
      fail(member.span, `an operator has no ${member.name}`, nearest(member.name, members))
  const find = (name: string): Member | undefined => given.find((member) => member.name === name)
  const need = (name: string): Member => find(name) ?? fail(span, `the operator has no ${name}`)
  const name = operatorName(need('name'))
  const inputs = readArguments(membersOf(need('inputs').value, 'inputs'), null, constants)
  const outputs = readArguments(membersOf(need('outputs').value, 'outputs'), inputs, constants)
  if (outputs.length === 0) fail(need('outputs').span, 'the operator has no output')
  const columns = columnsOf([...inputs, ...outputs])
  const attributes = readAttributes(find('attrs'), constants)
  const host = readHost(need('host'), { inputs, outputs, attributes, constants })
  const kernel = readKernel(need('kernel').value, {
    tensors: [...inputs, ...outputs],
    fields: host.fields,
    constants,
  })
  return {
    name,
    entry: entryName(find('entry'), name),
    inputs: inputs.map((each) => widened(each, columns)),
    outputs: outputs.map((each) => widened(each, columns)),
    attributes,
    columns,
    ...host,
    ...kernel,
    span: { start: span.start, end: span.end },
  }
}

function operatorName({ value }: Member): string {
  const name = textOf(value)
  if (name === null || !/^[A-Z]\w*$/.test(name))
    return fail(value, 'the name of an operator is a word with a capital', "e.g. 'RmsNorm'")
  // files are called after it
  if (name.length > 128) return fail(value, 'the name of an operator has 128 characters at most')
  return name
}

function entryName(member: Member | undefined, name: string): string {
  if (!member) return snakeCase(name)
  const entry = textOf(member.value)
  if (entry === null || !/^[a-z]\w*$/.test(entry))
    return fail(member.value, 'the entry point is a word of small letters', "e.g. 'rms_norm'")
  return entry
}

/** A kernel is compiled for each of them. */
export const mostColumns = 64

/** How many dtype columns there are: lists of one go with any number. */
function columnsOf(all: readonly Argument[]): number {
  const widest = Math.max(...all.map(({ dtypes }) => dtypes.length))
  for (const { dtypes, name, span } of all)
    if (dtypes.length > mostColumns) fail(span, `${name} has ${dtypes.length} dtypes, the most are ${mostColumns}`)
    else if (dtypes.length !== 1 && dtypes.length !== widest)
      fail(
        span,
        `${name} has ${dtypes.length} dtypes, another argument has ${widest}`,
        'the lists are columns that belong together',
      )
  return widest
}

const widened = (argument: Argument, columns: number): Argument => ({
  ...argument,
  dtypes:
    argument.dtypes.length === columns ? argument.dtypes : Array.from({ length: columns }, () => argument.dtypes[0]!),
})

function readArguments(
  given: readonly Member[],
  inputs: readonly Argument[] | null,
  names: ReadonlyMap<string, Binding>,
): Argument[] {
  const read: Argument[] = []
  for (const { name, span, value } of given) {
    if (isReserved(name)) fail(span, `${name} cannot be the name of an argument here`, whyReserved(name))
    if (names.has(name)) fail(span, `${name} is a constant of the file`)
    const call = callOf(value)
    const earlier = inputs ?? read
    if (call?.name !== 'optional' || inputs || call.given.length !== 1)
      read.push(readTensor(name, span, value, earlier))
    else {
      const argument = readTensor(name, span, call.given[0]!, earlier)
      if (argument.isList) fail(span, 'a list of tensors is always there', 'leave optional out')
      read.push({ ...argument, required: false })
    }
    const last = read.at(-1)!
    if (last.isList && inputs && last.like === null)
      fail(span, `the tensors of ${name} are like those of an input`, "write tensorList.like('x')")
  }
  return read
}

function readTensor(name: string, span: Span, value: Syntax, inputs: readonly Argument[]): Argument {
  const like = likeOf(value)
  if (like) {
    const source = inputs.find((each) => each.name === like.name)
    if (!source)
      return fail(
        like.span,
        `no input is called ${like.name}`,
        nearest(
          like.name,
          inputs.map((each) => each.name),
        ),
      )
    if (source.isList !== like.isList)
      fail(
        like.span,
        `${source.name} is ${source.isList ? 'a list' : 'no list'}`,
        `write ${source.isList ? 'tensorList' : 'tensor'}.like('${source.name}')`,
      )
    return { ...source, name, like: source.like ?? source.name, required: true, span }
  }
  const call = callOf(value)
  if (call?.name === 'tensorList') return readList(name, span, call)
  if (call?.name !== 'tensor')
    return fail(value, `${name} is no tensor`, "write tensor(['float16', 'float32'], ['...rows', 'D'])")
  const [types, shape] = call.given
  if (!types || call.given.length > 2) return fail(value, 'a tensor has dtypes and a shape')
  const dtypes = readDTypes(types)
  return {
    name,
    span,
    dtypes,
    shape: shape ? readShape(shape) : ['...shape'],
    like: null,
    required: true,
    isList: false,
  }
}

/** Any number of tensors, of any shapes. */
function readList(name: string, span: Span, { given, span: at }: { given: Syntax[]; span: Span }): Argument {
  const [types] = given
  if (!types || given.length > 1)
    return fail(at, 'a list of tensors has dtypes', "write tensorList(['float16', 'float32'])")
  return { name, span, dtypes: readDTypes(types), shape: ['...shape'], like: null, required: true, isList: true }
}

function readDTypes(node: Syntax): DType[] {
  const dtypes = node.type === 'ArrayExpression' ? elementsOf(node, 'dtypes').map(readDType) : [readDType(node)]
  return dtypes.length === 0 ? fail(node, 'the list of dtypes is empty') : dtypes
}

/** `tensor.like('x')` as `x`, and `tensorList.like('x')` likewise. */
function likeOf(node: Syntax): { name: string; span: Span; isList: boolean } | null {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return null
  const { object, property } = node.callee
  const kind = nameOf(plain(object))
  if ((kind !== 'tensor' && kind !== 'tensorList') || property.type !== 'Identifier' || property.name !== 'like')
    return null
  const given = node.arguments[0] && plain(node.arguments[0])
  const name = given ? textOf(given) : null
  return name === null
    ? fail(node, 'the name of an input is asked for', `write ${kind}.like('x')`)
    : { name, span: given!, isList: kind === 'tensorList' }
}

const readShape = (node: Syntax): (string | number)[] =>
  elementsOf(node, 'a shape').map((each) => {
    const extent = textOf(each) ?? numberOf(each)
    if (typeof extent === 'string' && !/^(?:\.\.\.)?[A-Za-z]\w*$/.test(extent))
      return fail(each, 'a dimension is a word', "e.g. 'D', or '...rows' for any number of dimensions")
    if (typeof extent === 'number' && !(Number.isSafeInteger(extent) && extent > 0))
      return fail(each, 'a dimension that is a number is a whole one, 1 or more')
    return extent ?? fail(each, 'a dimension is a name or a number')
  })

const attributeTypes: Readonly<Record<string, AttributeType>> = {
  int: 'int',
  float: 'float',
  bool: 'bool',
  string: 'string',
  listInt: 'listInt',
  listFloat: 'listFloat',
}

function readAttributes(member: Member | undefined, names: ReadonlyMap<string, Binding>): Attribute[] {
  if (!member) return []
  return membersOf(member.value, 'attrs').map(({ name, span, value }): Attribute => {
    if (isReserved(name)) fail(span, `${name} cannot be the name of an attribute here`, whyReserved(name))
    if (names.has(name)) fail(span, `${name} is a constant of the file`)
    const hint =
      'write attr.float(1e-5), attr.int(-1), attr.bool(false), attr.string("mean"), attr.listInt() or attr.listFloat()'
    if (value.type !== 'CallExpression' || value.callee.type !== 'MemberExpression')
      return fail(value, `${name} is no attribute`, hint)
    const { object, property } = value.callee
    const isKnown = property.type === 'Identifier' && Object.hasOwn(attributeTypes, property.name)
    const type = isKnown ? attributeTypes[property.name] : undefined
    if (nameOf(plain(object)) !== 'attr' || !type) return fail(value.callee, 'no attribute is called so', hint)
    const [given] = value.arguments.map(plain)
    return { name, type, initial: given && initialOf(given, type), span }
  })
}

function initialOf(node: Syntax, type: AttributeType): number | boolean | string | readonly number[] {
  if (type === 'string') return readWord(node)
  if (type === 'listInt' || type === 'listFloat')
    return elementsOf(node, 'the value').map((each) => readInitial(each, type === 'listInt'))
  if (type === 'bool')
    return node.type === 'Literal' && typeof node.value === 'boolean'
      ? node.value
      : fail(node, 'true or false is asked for')
  return readInitial(node, type === 'int')
}

/** A number of an attribute, which C++ and the host part hold as it is written. */
function readInitial(node: Syntax, isWhole: boolean): number {
  const value = numberOf(node)
  if (value === null) return fail(node, 'a number is asked for')
  if (isWhole && !Number.isInteger(value)) return fail(node, 'a whole number is asked for')
  const isHeld = isWhole ? Number.isSafeInteger(value) : Number.isFinite(Math.fround(value))
  return isHeld ? value : fail(node, 'the number is too large')
}

interface HostArguments {
  inputs: readonly Argument[]
  outputs: readonly Argument[]
  attributes: readonly Attribute[]
  constants: ReadonlyMap<string, Binding>
}

type Host = Pick<Program, 'host' | 'blockDim' | 'fields'>

function readHost({ value }: Member, { inputs, outputs, attributes, constants }: HostArguments): Host {
  const node = functionOf(value, 'host')
  const [known, device, ...more] = parametersOf(node)
  if (more.length > 0) fail(more[0]!, 'host has two parameters', 'write host({ x }, { cores })')
  const names = new Map(constants)
  for (const { name, local, span } of destructured(known, 'the first parameter', true)) {
    const argument = inputs.find((each) => each.name === name)
    const attribute = attributes.find((each) => each.name === name)
    if (attribute && local !== name) fail(span, 'an attribute keeps its name', `write ${name}`)
    if (argument) names.set(local, { kind: 'tensor', argument })
    else if (attribute) names.set(name, { kind: 'attribute', attribute })
    else {
      const all = [...inputs, ...attributes].map((each) => each.name)
      const isOutput = outputs.some((each) => each.name === name)
      fail(
        span,
        isOutput ? `${name} is an output: the host part sees inputs` : `no input or attribute is called ${name}`,
        nearest(name, all),
      )
    }
  }
  for (const { name, span } of destructured(device, 'the second parameter')) {
    if (name !== 'cores') fail(span, `the device has no ${name}`, 'there is cores')
    names.set(name, { kind: 'scalar', type: 'int', mutable: false })
  }
  const host: HostConstant[] = []
  const scope: Scope = { part: 'host', names }
  for (const statement of bodyOf(node, 'host')) {
    if (statement.type === 'ReturnStatement') return { host, ...readReturn(statement, scope) }
    if (statement.type !== 'VariableDeclaration' || statement.kind !== 'const')
      return fail(
        statement,
        'the host part has constants and a return',
        'write const name = …; choices are written test ? a : b',
      )
    for (const { id, init } of statement.declarations) {
      if (id.type !== 'Identifier' || init === null) return fail(id, 'a constant has a name and a value')
      const constant = { name: allowedName(id.name, id, names), value: readExpression(init, scope), span: spanOf(id) }
      host.push(constant)
      names.set(constant.name, { kind: 'scalar', type: constant.value.type, mutable: false })
    }
  }
  return fail(node, 'host returns nothing', 'return { blockDim: …, and what the kernel needs }')
}

const spanOf = ({ start, end }: Span): Span => ({ start, end })

function readReturn(
  statement: Extract<Statement, { type: 'ReturnStatement' }>,
  scope: Scope,
): Pick<Program, 'blockDim' | 'fields'> {
  if (!statement.argument) return fail(statement, 'host returns nothing')
  const fields: HostConstant[] = []
  let blockDim: Expression | undefined
  for (const { name, span, value } of membersOf(plain(statement.argument), 'what host returns')) {
    const expression = readExpression(value, scope)
    if (name === 'blockDim') blockDim = wanted(expression, 'int')
    else {
      if (isReserved(name)) fail(span, `${name} cannot be a name here`, whyReserved(name))
      const isItself = expression.op === 'name' && expression.name === name
      if (scope.names.has(name) && !isItself)
        fail(span, `${name} is declared already, with another value`, 'return it as it is, or by another name')
      fields.push({ name, value: expression, span: spanOf(span) })
    }
  }
  return { fields, blockDim: blockDim ?? fail(statement, 'the number of cores is missing', 'return { blockDim: … }') }
}
