import type { Expression, HostConstant, Program } from './ir.ts'
import { fitIsNeeded } from './fitted.ts'

// The host part divides by what shapes and attributes are. Where a divisor may be 0 it refuses the problem.

/** A divisor that may be 0, and what has to hold for the division to take place at all. */
export interface Divisor {
  readonly divisor: Expression
  readonly under: readonly Expression[]
}

/** What an expression divides by, but for what is at least 1. */
export function doubtfulDivisors(expression: Expression, program: Program): Divisor[] {
  return divisorsOf(expression, []).filter(({ divisor }) => leastOf(divisor, program) < 1)
}

const isDivision = (expression: Expression): boolean =>
  expression.op === 'operate'
    ? expression.type === 'int' && (expression.operator === '/' || expression.operator === '%')
    : expression.op === 'call' && (expression.name === 'ceilDiv' || expression.name === 'alignUp')

function divisorsOf(expression: Expression, under: readonly Expression[]): Divisor[] {
  const inside = (each: Expression, more: readonly Expression[] = []): Divisor[] =>
    divisorsOf(each, [...under, ...more])
  switch (expression.op) {
    case 'operate': {
      const { left, right, operator } = expression
      const behind = operator === '&&' ? [left] : operator === '||' ? [negated(left)] : []
      const own = isDivision(expression) ? [{ divisor: right, under }] : []
      return [...inside(left), ...inside(right, behind), ...own]
    }
    case 'call': {
      const own = isDivision(expression) ? [{ divisor: expression.arguments[1]!, under }] : []
      return [...expression.arguments.flatMap((each) => inside(each)), ...own]
    }
    case 'choose':
      return [
        ...inside(expression.test),
        ...inside(expression.yes, [expression.test]),
        ...inside(expression.no, [negated(expression.test)]),
      ]
    case 'not':
    case 'negate':
      return inside(expression.operand)
    case 'extent':
      return inside(expression.axis)
    case 'product':
      return [...inside(expression.from), ...(expression.to ? inside(expression.to) : [])]
    case 'item':
      return inside(expression.index)
    case 'fit':
      return inside(expression.limit)
    default:
      return []
  }
}

const negated = (operand: Expression): Expression => ({ op: 'not', operand, type: 'bool', span: operand.span })

/** A number that a whole number of the host part is never below. Shapes are of tensors that are not empty. */
export function leastOf(expression: Expression, program: Program): number {
  const of = (each: Expression): number => leastOf(each, program)
  switch (expression.op) {
    case 'number':
      return expression.value
    case 'name':
      return leastOfName(expression.name, program)
    case 'extent':
    case 'product':
    case 'bytes':
      return 1
    case 'rank':
    case 'length':
      return 0
    case 'choose':
      return Math.min(of(expression.yes), of(expression.no))
    case 'fit':
      return 0
    case 'call':
      return leastOfCall(expression.name, expression.arguments, of)
    case 'operate':
      return leastOfOperation(expression, program)
    default:
      return -Infinity
  }
}

function leastOfName(name: string, program: Program): number {
  if (name === 'cores') return 1
  const constant = definitionOf(name, program)
  if (!constant) return -Infinity
  if (constant.value.op === 'fit' && fitIsNeeded(constant.name, program)) return 1
  return constant.value.op === 'name' && constant.value.name === name ? -Infinity : leastOf(constant.value, program)
}

const definitionOf = (name: string, { host, fields }: Program): HostConstant | undefined =>
  [...host, ...fields].find((each) => each.name === name)

function leastOfCall(name: string, given: readonly Expression[], of: (each: Expression) => number): number {
  const [a, b] = given.map(of)
  switch (name) {
    case 'min':
      return Math.min(a!, b!)
    case 'max':
      return Math.max(a!, b!)
    case 'ceilDiv':
      return a! >= 0 && b! >= 1 ? Math.min(a!, 1) : -Infinity
    case 'alignUp':
      return a! >= 0 && b! >= 1 ? a! : -Infinity
    default:
      return -Infinity
  }
}

function leastOfOperation(expression: Extract<Expression, { op: 'operate' }>, program: Program): number {
  const { left, right, operator } = expression
  const [a, b] = [leastOf(left, program), leastOf(right, program)]
  switch (operator) {
    case '+':
      return a + b
    case '*':
      return a >= 0 && b >= 0 ? a * b : -Infinity
    case '/':
      // a part of all extents divides their product
      if (isPartOf(resolved(right, program), resolved(left, program))) return 1
      return a >= 0 && b >= 1 ? 0 : -Infinity
    case '%':
      return a >= 0 && b >= 1 ? 0 : -Infinity
    default:
      return -Infinity
  }
}

/** The expression that a name stands for. */
function resolved(expression: Expression, program: Program): Expression {
  if (expression.op !== 'name') return expression
  const constant = definitionOf(expression.name, program)
  if (!constant || (constant.value.op === 'name' && constant.value.name === expression.name)) return expression
  return resolved(constant.value, program)
}

const isPartOf = (part: Expression, whole: Expression): boolean =>
  whole.op === 'product' &&
  whole.to === null &&
  whole.from.op === 'number' &&
  whole.from.value === 0 &&
  (part.op === 'extent' || part.op === 'product') &&
  part.tensor === whole.tensor
