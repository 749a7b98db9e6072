import type { Expression, Operator } from './ir.ts'
import { listValue } from './lists.ts'
import { scalarFunctions } from './scalar-functions.ts'

/** What the names of an expression are, and what it asks of tensors, attributes and buffers. */
export interface Values {
  readonly names: ReadonlyMap<string, number>
  readonly shapeOf?: (tensor: string) => readonly number[] | null
  readonly bytesOf?: (tensor: string) => number
  readonly wordOf?: (attribute: string) => string
  readonly listOf?: (attribute: string) => readonly number[]
  /** where the tensors of a list begin, and where the last one ends */
  readonly startsOf?: (list: string) => readonly number[]
  readonly fit?: (limit: number) => number
  readonly element?: (expression: Extract<Expression, { op: 'get' }>, index: number) => number
  readonly inGlobal?: (tensor: string, index: number) => number
  /** float32 is the type of fractions in kernels, float64 in the host part */
  readonly isHost?: boolean
}

const truth = (value: boolean): number => (value ? 1 : 0)

const operations: Readonly<Record<Operator, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '<': (a, b) => truth(a < b),
  '<=': (a, b) => truth(a <= b),
  '>': (a, b) => truth(a > b),
  '>=': (a, b) => truth(a >= b),
  '==': (a, b) => truth(a === b),
  '!=': (a, b) => truth(a !== b),
  '&&': (a, b) => truth(a !== 0 && b !== 0),
  '||': (a, b) => truth(a !== 0 || b !== 0),
}

const resolved = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis)

/** The value of a scalar expression, as the project computes it. */
export function evaluate(expression: Expression, values: Values): number {
  const value = valueOf(expression, values)
  if (expression.type === 'int') return Math.trunc(value)
  return expression.type === 'float' && values.isHost !== true ? Math.fround(value) : value
}

function valueOf(expression: Expression, values: Values): number {
  const of = (each: Expression): number => evaluate(each, values)
  switch (expression.op) {
    case 'number':
      return expression.value
    case 'name': {
      const value = values.names.get(expression.name)
      if (value === undefined) throw new Error(`nothing says what ${expression.name} is`)
      return value
    }
    case 'operate':
      return operations[expression.operator](of(expression.left), of(expression.right))
    case 'call':
      return scalarFunctions[expression.name]!.value(
        of(expression.arguments[0]!),
        expression.arguments[1] ? of(expression.arguments[1]) : 0,
      )
    case 'choose':
      return of(expression.test) !== 0 ? of(expression.yes) : of(expression.no)
    case 'not':
      return truth(of(expression.operand) === 0)
    case 'negate':
      return -of(expression.operand)
    case 'extent': {
      const shape = shapeIn(values, expression.tensor)
      return shape[resolved(of(expression.axis), shape.length)] ?? 1
    }
    case 'product': {
      const shape = shapeIn(values, expression.tensor)
      const from = resolved(of(expression.from), shape.length)
      const to = expression.to ? resolved(of(expression.to), shape.length) : shape.length
      return shape.slice(Math.max(0, from), Math.max(0, to)).reduce((product, extent) => product * extent, 1)
    }
    case 'rank':
      return shapeIn(values, expression.tensor).length
    case 'bytes':
      return values.bytesOf!(expression.tensor)
    case 'given':
      return truth(values.shapeOf!(expression.tensor) !== null)
    case 'is-word':
      return truth(values.wordOf!(expression.attribute) === expression.word)
    case 'length':
      return values.listOf!(expression.attribute).length
    case 'item':
      return values.listOf!(expression.attribute)[of(expression.index)]!
    case 'fit':
      return values.fit!(of(expression.limit))
    case 'get':
      return values.element!(expression, of(expression.index))
    case 'read':
      return values.inGlobal!(expression.tensor, of(expression.index))
    case 'list':
      return listValue(expression.fact, values.startsOf!(expression.tensor), expression.arguments.map(of))
  }
}

const shapeIn = (values: Values, tensor: string): readonly number[] => values.shapeOf!(tensor) ?? []
