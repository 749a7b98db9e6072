import {
  readBuffer,
  readDType,
  readExpression,
  readStaticTest,
  asFloat,
  dtypeMember,
  listReader,
  wanted,
  type Binding,
  type Scope,
} from './expression.ts'
import type {
  Argument,
  Branch,
  Buffer,
  Call,
  ElementType,
  Expression,
  Extent,
  HostConstant,
  Operator,
  Product,
  Program,
  Scalar,
  Stage,
  Statement,
  Transfer,
  Way,
} from './ir.ts'
import { readPlace, splitLoop, splitNames } from './lists.ts'
import { allowedName } from './names.ts'
import { primitives, type Primitive } from './primitives.ts'
import { fail, nearest, type Span } from './problem.ts'
import { productForm } from './product.ts'
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
  type Statement as Node,
} from './syntax.ts'

/** What the kernel is given. */
export interface KernelSurroundings {
  readonly tensors: readonly Argument[]
  readonly fields: readonly HostConstant[]
  readonly constants: ReadonlyMap<string, Binding>
}

interface Reading {
  readonly names: Map<string, Binding>
  readonly buffers: Buffer[]
  readonly branch: readonly Branch[]
  readonly ways: readonly Way[]
  readonly isLoop: boolean
  /** null between stages */
  readonly stage: Stage | null
}

/** Reads the kernel. */
export function readKernel(
  value: Syntax,
  { tensors, fields, constants }: KernelSurroundings,
): Pick<Program, 'buffers' | 'core' | 'kernel'> {
  const node = functionOf(value, 'kernel')
  const [known, tiling, core, ...more] = parametersOf(node)
  if (more.length > 0) fail(more[0]!, 'kernel has three parameters', 'write kernel({ x, y }, { tile }, core)')
  const names = new Map(constants)
  for (const { name, local, span } of destructured(known, 'the first parameter', true)) {
    const argument = tensors.find((each) => each.name === name)
    if (!argument)
      return fail(
        span,
        `no tensor is called ${name}`,
        nearest(
          name,
          tensors.map((each) => each.name),
        ),
      )
    names.set(local, { kind: 'tensor', argument })
  }
  for (const { name, span } of destructured(tiling, 'the second parameter')) {
    const field = fields.find((each) => each.name === name)
    if (!field)
      return fail(
        span,
        `host returns no ${name}`,
        nearest(
          name,
          fields.map((each) => each.name),
        ),
      )
    if (names.has(name)) fail(span, `${name} is declared already`)
    names.set(name, { kind: 'scalar', type: field.value.type, mutable: false })
  }
  if (core && core.type !== 'Identifier') return fail(core, 'the third parameter is the number of the core')
  if (core) names.set(allowedName(core.name, core, names), { kind: 'scalar', type: 'int', mutable: false })
  const buffers: Buffer[] = []
  const reading: Reading = {
    names,
    buffers,
    branch: [],
    ways: [],
    isLoop: false,
    stage: null,
  }
  const kernel = readBlock(bodyOf(node, 'kernel'), reading)
  return { buffers, core: core ? core.name : null, kernel }
}

const inner = (reading: Reading, more: Partial<Reading> = {}): Reading => ({
  ...reading,
  names: new Map(reading.names),
  ...more,
})

const scopeOf = ({ names, branch }: Reading): Scope => ({ part: 'kernel', names, branch })

const spanOf = ({ start, end }: Span): Span => ({ start, end })

function readBlock(nodes: readonly Node[], reading: Reading): Statement[] {
  return nodes.flatMap((node) => readStatement(node, reading))
}

const blockOf = (node: Node): readonly Node[] => (node.type === 'BlockStatement' ? node.body : [node])

function readStatement(node: Node, reading: Reading): Statement[] {
  switch (node.type) {
    case 'VariableDeclaration':
      if (node.kind === 'var') return fail(node, 'var is not used here', 'write const or let')
      return node.declarations.flatMap((each) => readDeclaration(each, node.kind === 'let', reading))
    case 'ExpressionStatement':
      return [readAction(plain(node.expression), reading)]
    case 'ForOfStatement':
      return [readFor(node, reading)]
    case 'IfStatement':
      return [readIf(node, reading)]
    case 'BlockStatement':
      return fail({ start: node.start, end: node.start + 1 }, 'a block stands alone', 'leave its braces out')
    case 'EmptyStatement':
      return []
    default:
      return fail(
        node.type === 'ForStatement' || node.type === 'WhileStatement'
          ? { start: node.start, end: node.start + 5 }
          : node,
        'this statement has no place in a kernel',
        'there are const, let, assignments, for (const i of range(…)), if, copyIn, compute, copyOut and calls',
      )
  }
}

type Declarator = Extract<Node, { type: 'VariableDeclaration' }>['declarations'][number]

function readDeclaration({ id, init }: Declarator, mutable: boolean, reading: Reading): Statement[] {
  if (id.type !== 'Identifier') return fail(id, 'one name is declared at a time')
  if (!init) return fail(id, `${id.name} has no value`, 'give it one')
  const name = allowedName(id.name, id, reading.names)
  const value = plain(init)
  const call = callOf(value)
  if (call?.name === 'buffer' || call?.name === 'mask') {
    if (mutable) fail(id, 'a buffer is declared with const')
    if (reading.stage || reading.isLoop)
      fail(id, 'a buffer is declared outside of stages and loops', 'declare it above them')
    const buffer = readBufferDeclaration(name, call, spanOf(id), reading)
    reading.buffers.push(buffer)
    reading.names.set(name, { kind: 'buffer', buffer })
    return [{ op: 'declare', buffer, span: spanOf(id) }]
  }
  const expression = readExpression(value, scopeOf(reading))
  reading.names.set(name, { kind: 'scalar', type: expression.type, mutable })
  return [{ op: mutable ? 'let' : 'const', name, value: expression, span: spanOf(id) }]
}

function readBufferDeclaration(
  name: string,
  { name: kind, given, span }: { name: string; given: Syntax[]; span: Span },
  at: Span,
  reading: Reading,
): Buffer {
  const isMask = kind === 'mask'
  const [type, size, options] = isMask ? [null, ...given] : given
  if (!size || (!isMask && !type))
    return fail(
      span,
      `${kind} says how large it is`,
      isMask ? 'write mask(tile)' : "write buffer('float32', tile) or buffer(x.dtype, [rows, D])",
    )
  const extent = readExtent(size, reading)
  return {
    name,
    type: isMask ? { dtype: 'mask' } : readElementType(type!, reading),
    rows: extent.rows,
    columns: extent.columns,
    depth: options ? readDepth(options) : 2,
    branch: reading.branch,
    ways: reading.ways,
    span: at,
  }
}

function readElementType(node: Syntax, reading: Reading): ElementType {
  const tensor = dtypeMember(node, scopeOf(reading))
  return tensor === null ? { dtype: readDType(node) } : { of: tensor }
}

function readDepth(node: Syntax): 1 | 2 {
  for (const { name, span, value } of membersOf(node, 'the options of a buffer')) {
    if (name !== 'depth') return fail(span, `a buffer has no option ${name}`, 'there is depth')
    const depth = numberOf(value)
    if (depth === 1 || depth === 2) return depth
    return fail(value, 'a buffer is held once or twice', 'write { depth: 1 } to save memory')
  }
  return 2
}

/** `n` or `[rows, columns]`. */
function readExtent(node: Syntax, reading: Reading): Extent {
  const scope = scopeOf(reading)
  const whole = (each: Syntax): Expression => wanted(readExpression(each, scope), 'int')
  if (node.type !== 'ArrayExpression') return { rows: null, columns: whole(node), span: spanOf(node) }
  const [rows, columns, ...more] = elementsOf(node, 'an extent')
  if (!rows || !columns || more.length > 0) return fail(node, 'an extent is a number, or [rows, columns]')
  return { rows: whole(rows), columns: whole(columns), span: spanOf(node) }
}

function readFor(node: Extract<Node, { type: 'ForOfStatement' }>, reading: Reading): Statement {
  const { left, right, body } = node
  const called = callOf(plain(right))
  if (called?.name === 'split') return readSplit(node, called.given, reading)
  const name =
    left.type === 'VariableDeclaration' && left.kind === 'const' && left.declarations[0]?.id.type === 'Identifier'
      ? left.declarations[0].id
      : fail(left, 'a loop declares its variable', 'write for (const i of range(…))')
  if (called?.name !== 'range' || called.given.length < 1 || called.given.length > 3)
    return fail(right, 'a loop goes over a range', 'write range(to), range(from, to) or range(from, to, step)')
  const whole = called.given.map((each) => wanted(readExpression(each, scopeOf(reading)), 'int'))
  const span = spanOf(right)
  const number = (value: number): Expression => ({ op: 'number', value, type: 'int', span })
  const [from, to, step] =
    whole.length === 1 ? [number(0), whole[0]!, number(1)] : [whole[0]!, whole[1]!, whole[2] ?? number(1)]
  if (step.op === 'number' && step.value < 1) fail(step.span, 'a step is at least 1')
  const within = inner(reading, { isLoop: true })
  allowedName(name.name, name, reading.names)
  within.names.set(name.name, { kind: 'scalar', type: 'int', mutable: false })
  return {
    op: 'for',
    name: name.name,
    from,
    to,
    step,
    body: readBlock(blockOf(body), within),
    span: { start: node.start, end: right.end },
  }
}

/** A loop over the part of a list that a core works on. */
function readSplit(
  { start, left, right, body }: Extract<Node, { type: 'ForOfStatement' }>,
  given: readonly Syntax[],
  reading: Reading,
): Statement {
  if (left.type !== 'VariableDeclaration' || left.kind !== 'const' || left.declarations.length !== 1)
    return fail(left, 'a loop declares its variables', 'write for (const { i, from, to } of split(x, core, share))')
  const { first, ...loop } = splitLoop(given, spanOf(right), listReader(scopeOf(reading)))
  const within = inner(reading, { isLoop: true })
  for (const { name, span } of splitNames(left.declarations[0]!.id)) {
    allowedName(name, span, reading.names)
    within.names.set(name, { kind: 'scalar', type: 'int', mutable: false })
  }
  return { ...loop, body: [...first, ...readBlock(blockOf(body), within)], span: { start, end: right.end } }
}

function readIf(node: Extract<Node, { type: 'IfStatement' }>, reading: Reading): Statement {
  const span = { start: node.start, end: node.test.end }
  const side = (taken: Node | null, more: Partial<Reading>): Statement[] =>
    taken ? readBlock(blockOf(taken), inner(reading, more)) : []
  const way = (taken: boolean): Partial<Reading> => ({ ways: [...reading.ways, { test: node.start, taken }] })
  const fixed = readStaticTest(node.test, scopeOf(reading))
  if (fixed)
    return {
      op: 'static-if',
      test: fixed,
      yes: side(node.consequent, { branch: [...reading.branch, { test: fixed, taken: true }] }),
      no: side(node.alternate, { branch: [...reading.branch, { test: fixed, taken: false }] }),
      span,
    }
  const test = wanted(readExpression(node.test, scopeOf(reading)), 'bool')
  return { op: 'if', test, yes: side(node.consequent, way(true)), no: side(node.alternate, way(false)), span }
}

const stages: readonly Stage[] = ['copyIn', 'compute', 'copyOut']
const isStage = (name: string): name is Stage => (stages as readonly string[]).includes(name)

function readAction(node: Syntax, reading: Reading): Statement {
  if (node.type === 'AssignmentExpression') return readAssignment(node, reading)
  const call = callOf(node)
  if (!call) return fail(node, 'this does nothing', 'there are assignments and calls')
  const span = spanOf(node)
  const { name, given } = call
  if (isStage(name)) {
    if (reading.stage) return fail(call.span, `${name} stands in ${reading.stage}`, 'stages follow each other')
    const { body } = functionOf(given[0] ?? fail(span, `${name} takes a function`), name)
    if (body === null) return fail(span, `${name} takes a function`)
    const within = inner(reading, { stage: name })
    const statements = body.type === 'BlockStatement' ? readBlock(body.body, within) : [readAction(plain(body), within)]
    return { op: 'stage', stage: name, body: statements, span: spanOf(call.span) }
  }
  if (name === 'matmul') return readProduct(given, span, call.span, reading)
  if (name === 'load' || name === 'store') return readTransfer(name, given, { ...span }, call.span, reading)
  if (name === 'set') {
    if (given.length !== 3) return fail(span, 'set takes a buffer, an index and a value')
    const buffer = readBuffer(given[0]!, scopeOf(reading))
    if (reading.stage !== 'compute') return fail(call.span, 'set belongs into compute')
    const value = readExpression(given[2]!, scopeOf(reading))
    return { op: 'set', buffer, index: wanted(readExpression(given[1]!, scopeOf(reading)), 'int'), value, span }
  }
  const primitive = primitives.get(name)
  if (!primitive)
    return fail(
      call.span,
      `no primitive is called ${name}`,
      nearest(name, [...primitives.keys(), 'load', 'store', 'set', 'matmul', ...stages]),
    )
  if (reading.stage !== 'compute')
    return fail(
      call.span,
      `${name} belongs into compute`,
      reading.stage
        ? `${reading.stage} holds ${reading.stage === 'copyIn' ? 'loads' : 'stores'}`
        : 'write compute(() => { … })',
    )
  return readPrimitive(primitive, given, span, reading)
}

/** Assignments that compute, and what they compute. */
const assignments: Readonly<Record<string, Operator>> = { '+=': '+', '-=': '-', '*=': '*', '/=': '/', '%=': '%' }

type Assignment = Extract<Syntax, { type: 'AssignmentExpression' }>

/** What writes an element of a buffer. */
function elementHint(node: Assignment['left'], { names }: Reading): string | undefined {
  const name = node.type === 'MemberExpression' ? nameOf(plain(node.object)) : null
  return name !== null && names.get(name)?.kind === 'buffer' ? `set(${name}, i, value) writes one element` : undefined
}

function readAssignment(node: Assignment, reading: Reading): Statement {
  if (node.left.type !== 'Identifier')
    return fail(node.left, 'this cannot be assigned to', elementHint(node.left, reading))
  const { name } = node.left
  const binding = reading.names.get(name)
  if (binding?.kind === 'buffer')
    return fail(node.left, `${name} is a buffer: primitives write to it`, `e.g. adds(${name}, ${name}, 1, n)`)
  if (binding?.kind !== 'scalar') return fail(node.left, `no variable is called ${name}`)
  if (!binding.mutable) return fail(node.left, `${name} is constant`, 'declare it with let')
  const written = readExpression(node.right, scopeOf(reading))
  const span = spanOf(node)
  if (node.operator === '=') return { op: 'assign', name, value: wanted(written, binding.type), span }
  const operator = assignments[node.operator]
  if (!operator) return fail(node, `${node.operator} is no assignment here`, 'there are = += -= *= /= %=')
  const left: Expression = { op: 'name', name, type: binding.type, span: spanOf(node.left) }
  return {
    op: 'assign',
    name,
    value: {
      op: 'operate',
      operator,
      left,
      right: wanted(written, binding.type),
      type: binding.type,
      span,
    },
    span,
  }
}

function readTransfer(
  op: 'load' | 'store',
  given: readonly Syntax[],
  span: Span,
  at: Span,
  reading: Reading,
): Transfer {
  const form =
    op === 'load' ? 'load(buffer, tensor, offset, extent, pitch?)' : 'store(tensor, offset, buffer, extent, pitch?)'
  const stage: Stage = op === 'load' ? 'copyIn' : 'copyOut'
  if (reading.stage !== stage) return fail(at, `${op} belongs into ${stage}`, `write ${stage}(() => { … })`)
  if (given.length < 4 || given.length > 5) return fail(span, `${op} takes four or five values`, `write ${form}`)
  const [bufferNode, tensorNode, offsetNode] =
    op === 'load' ? [given[0]!, given[1]!, given[2]!] : [given[2]!, given[0]!, given[1]!]
  const scope = scopeOf(reading)
  const place = readPlace(tensorNode, listReader(scope))
  if (!place) return fail(tensorNode, 'a tensor is named here', `write ${form}`)
  return {
    op,
    buffer: readBuffer(bufferNode, scope),
    ...place,
    offset: wanted(readExpression(offsetNode, scope), 'int'),
    extent: readExtent(given[3]!, reading),
    pitch: given[4] ? wanted(readExpression(given[4], scope), 'int') : null,
    span,
  }
}

function readProduct(given: readonly Syntax[], span: Span, at: Span, reading: Reading): Product {
  if (reading.stage)
    return fail(at, `matmul stands in ${reading.stage}`, 'it is no part of a stage: cube cores carry it out')
  const [target, left, right, size, bias, ...more] = given
  if (!target || !left || !right || !size || more.length > 0)
    return fail(span, 'matmul takes three tensors and three extents', `write ${productForm}`)
  const scope = scopeOf(reading)
  const [m, k, n, ...others] = elementsOf(size, 'what matmul works on')
  if (!m || !k || !n || others.length > 0) return fail(size, 'a product has three extents', `write ${productForm}`)
  const whole = (each: Syntax): Expression => wanted(readExpression(each, scope), 'int')
  const named = (each: Syntax): string => {
    const place = readPlace(each, listReader(scope))
    if (!place || place.item) return fail(each, 'a tensor is named here', `write ${productForm}`)
    return place.tensor
  }
  return {
    op: 'matmul',
    target: named(target),
    left: named(left),
    right: named(right),
    bias: bias ? named(bias) : null,
    extents: [whole(m), whole(k), whole(n)],
    span,
  }
}

/** `add(dst, a, b, n)` as people write it. */
export const formOf = ({ name, operands, scalars }: Primitive): string =>
  `${name}(${[...operands.map((each) => each.name), ...requiredScalars(scalars), 'extent', ...optionalScalars(scalars).map((each) => `${each}?`)].join(', ')})`

const requiredScalars = (all: Primitive['scalars']): string[] =>
  all.filter(({ initial }) => initial === undefined).map(({ name }) => name)
const optionalScalars = (all: Primitive['scalars']): string[] =>
  all.filter(({ initial }) => initial !== undefined).map(({ name }) => name)

/** Buffers, then scalars, then the extent, then what may be left out. */
function readPrimitive(primitive: Primitive, given: readonly Syntax[], span: Span, reading: Reading): Call {
  const { name, operands, scalars } = primitive
  const required = scalars.filter(({ initial }) => initial === undefined)
  const optional = scalars.filter(({ initial }) => initial !== undefined)
  const least = operands.length + required.length + 1
  if (given.length < least || given.length > least + optional.length)
    return fail(span, `${name} takes ${least} values, and is given ${given.length}`, `write ${formOf(primitive)}`)
  const scope = scopeOf(reading)
  const buffers = operands.map((_, i) => {
    const node = given[i]!
    const withNumber = `${name}s`
    if (numberOf(node) !== null && primitives.has(withNumber))
      return fail(node, `a number is no buffer`, `${withNumber} takes a number: ${formOf(primitives.get(withNumber)!)}`)
    return readBuffer(node, scope)
  })
  const values = required.map((each, i) => readScalar(each, given[operands.length + i]!, scope))
  const extent = readExtent(given[least - 1]!, reading)
  const rest = optional.map((each, i) => {
    const node = given[least + i]
    return node ? readScalar(each, node, scope) : { kind: 'word' as const, word: each.initial! }
  })
  return { op: 'call', primitive, buffers, scalars: [...values, ...rest], extent, span }
}

function readScalar({ name, kind, words }: Primitive['scalars'][number], node: Syntax, scope: Scope): Scalar {
  if (kind !== 'word') {
    const value = readExpression(node, scope)
    return {
      kind: 'value',
      value: kind === 'int' ? wanted(value, 'int') : value.type === 'bool' ? asFloat(value) : value,
    }
  }
  const word = textOf(node)
  if (word === null || !words?.includes(word))
    return fail(node, `${name} is one of ${words?.join(', ')}`, word === null ? undefined : nearest(word, words ?? []))
  return { kind: 'word', word }
}
