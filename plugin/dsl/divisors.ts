import { intervalOf } from './intervals.ts'
import type { Expression, Program } from './ir.ts'

// The host part divides by what shapes and attributes are. Where a divisor may be 0 it refuses the problem.

/** A divisor that may be 0, and what has to hold for the division to take place at all. */
export interface Divisor {
  readonly divisor: Expression
  readonly under: readonly Expression[]
}

/** What an expression divides by, but for what is at least 1. */
export function doubtfulDivisors(expression: Expression, program: Program): Divisor[] {
  return divisorsOf(expression, []).filter(({ divisor }) => intervalOf(divisor, program).least < 1)
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
    case 'list':
      return expression.arguments.flatMap((each) => inside(each))
    case 'fit':
      return inside(expression.limit)
    default:
      return []
  }
}

const negated = (operand: Expression): Expression => ({ op: 'not', operand, type: 'bool', span: operand.span })
