import type { Buffer, Expression, Statement } from './ir.ts'

/** Visits statements in the order of the program, blocks before what they hold. */
export function walkStatements(statements: readonly Statement[], visit: (statement: Statement) => void): void {
  for (const statement of statements) {
    visit(statement)
    for (const block of blocksOf(statement)) walkStatements(block, visit)
  }
}

/** The blocks of a statement. */
export function blocksOf(statement: Statement): readonly (readonly Statement[])[] {
  switch (statement.op) {
    case 'for':
    case 'stage':
      return [statement.body]
    case 'if':
    case 'static-if':
      return [statement.yes, statement.no]
    default:
      return []
  }
}

/** The scalar expressions that a statement itself evaluates. */
export function expressionsOf(statement: Statement): Expression[] {
  switch (statement.op) {
    case 'const':
    case 'let':
    case 'assign':
      return [statement.value]
    case 'for':
      return [statement.from, statement.to, statement.step]
    case 'if':
      return [statement.test]
    case 'static-if':
    case 'stage':
    case 'declare':
      return []
    case 'matmul':
      return [...statement.extents]
    case 'set':
      return [statement.index, statement.value]
    case 'call':
      return [
        ...statement.scalars.flatMap((each) => (each.kind === 'value' ? [each.value] : [])),
        ...(statement.extent.rows ? [statement.extent.rows] : []),
        statement.extent.columns,
      ]
    case 'load':
    case 'store':
      return [
        ...(statement.item ? [statement.item] : []),
        statement.offset,
        ...(statement.extent.rows ? [statement.extent.rows] : []),
        statement.extent.columns,
        ...(statement.pitch ? [statement.pitch] : []),
      ]
  }
}

/** What has been found of expressions and statements: every check and every lowering asks for it, and none changes them. */
const knownParts = new WeakMap<Expression, readonly Expression[]>()
const knownPartsIn = new WeakMap<Statement, readonly Expression[]>()
const knownUses = new WeakMap<Statement, readonly Use[]>()

/** The expressions inside of one, itself among them. */
export function partsOf(expression: Expression): readonly Expression[] {
  const known = knownParts.get(expression)
  if (known) return known
  const operands = operandsOf(expression)
  const parts = operands.length === 0 ? [expression] : [expression, ...operands.flatMap(partsOf)]
  knownParts.set(expression, parts)
  return parts
}

/** The expressions inside of those that a statement itself evaluates. */
export function partsIn(statement: Statement): readonly Expression[] {
  const known = knownPartsIn.get(statement)
  if (known) return known
  const parts = expressionsOf(statement).flatMap(partsOf)
  knownPartsIn.set(statement, parts)
  return parts
}

/** The expressions that one is made of. */
export function operandsOf(expression: Expression): readonly Expression[] {
  switch (expression.op) {
    case 'operate':
      return [expression.left, expression.right]
    case 'call':
    case 'list':
      return expression.arguments
    case 'choose':
      return [expression.test, expression.yes, expression.no]
    case 'not':
    case 'negate':
      return [expression.operand]
    case 'extent':
      return [expression.axis]
    case 'product':
      return [expression.from, ...(expression.to ? [expression.to] : [])]
    case 'item':
    case 'get':
    case 'read':
      return [expression.index]
    case 'fit':
      return [expression.limit]
    default:
      return []
  }
}

/** One buffer that a statement touches. */
export interface Use {
  readonly buffer: Buffer
  readonly access: 'read' | 'write' | 'update'
}

/** The buffers of which its expressions read elements. */
const readsOf = (statement: Statement): Use[] =>
  partsIn(statement).flatMap((each): Use[] => (each.op === 'get' ? [{ buffer: each.buffer, access: 'read' }] : []))

/** The buffers that a statement itself touches: what it reads first. */
export function usesOf(statement: Statement): readonly Use[] {
  const known = knownUses.get(statement)
  if (known) return known
  const uses = findUses(statement)
  knownUses.set(statement, uses)
  return uses
}

function findUses(statement: Statement): Use[] {
  const read = readsOf(statement)
  switch (statement.op) {
    case 'call': {
      const uses = statement.primitive.operands.map(({ access }, i): Use => ({ buffer: statement.buffers[i]!, access }))
      const [written, others] = [
        uses.filter(({ access }) => access === 'write'),
        uses.filter(({ access }) => access !== 'write'),
      ]
      return [...read, ...others, ...written]
    }
    case 'load':
      return [...read, { buffer: statement.buffer, access: 'write' }]
    case 'store':
      return [...read, { buffer: statement.buffer, access: 'read' }]
    case 'set':
      return [...read, { buffer: statement.buffer, access: 'write' }]
    default:
      return read
  }
}

/** The same without what copies move: its buffer is in the hands of a queue. */
export function computedIn(statement: Statement): readonly Use[] {
  if (statement.op !== 'load' && statement.op !== 'store') return usesOf(statement)
  return readsOf(statement)
}

/** Everything that a statement and what it holds touches. */
export function allUsesOf(statement: Statement): Use[] {
  const found: Use[] = []
  walkStatements([statement], (each) => found.push(...usesOf(each)))
  return found
}
