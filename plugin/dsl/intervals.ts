import { fitIsNeeded } from './fitted.ts'
import type { Expression, HostConstant, Program } from './ir.ts'

// Between which numbers a whole number lies, whatever the problem is. Shapes are those of tensors that are not empty: the host
// part refuses others.

/** Both ends belong to it. */
export interface Interval {
  readonly least: number
  readonly most: number
}

const any: Interval = { least: -Infinity, most: Infinity }
const from = (least: number): Interval => ({ least, most: Infinity })

/** What is known of names that are declared in the kernel. */
export type KnownNames = ReadonlyMap<string, Interval>

/** Between which numbers an expression of the host part or of the kernel lies. */
export function intervalOf(expression: Expression, program: Program, names: KnownNames = new Map()): Interval {
  const of = (each: Expression): Interval => intervalOf(each, program, names)
  if (expression.type !== 'int') return any
  switch (expression.op) {
    case 'number':
      return { least: expression.value, most: expression.value }
    case 'name':
      return names.get(expression.name) ?? ofName(expression.name, program)
    case 'extent':
    case 'product':
    case 'bytes':
      return from(1)
    case 'list':
      // of a list that is not empty
      return from(expression.fact === 'count' || expression.fact === 'total' ? 1 : 0)
    case 'rank':
    case 'length':
      return from(0)
    case 'choose': {
      const [yes, no] = [of(expression.yes), of(expression.no)]
      return { least: Math.min(yes.least, no.least), most: Math.max(yes.most, no.most) }
    }
    case 'negate': {
      const { least, most } = of(expression.operand)
      return { least: -most, most: -least }
    }
    case 'fit':
      return { least: 0, most: Math.max(0, of(expression.limit).most) }
    case 'call':
      return ofCall(expression.name, expression.arguments, of)
    case 'operate':
      return ofOperation(expression, of, program)
    default:
      return any
  }
}

/** What has been found of constants: chains of them are asked for at every use. */
const knownIntervals = new WeakMap<HostConstant, Interval>()

/** What says a name of the host part. */
export const definitionOf = (name: string, { host, fields }: Program): HostConstant | undefined =>
  [...host, ...fields].find((each) => each.name === name && !(each.value.op === 'name' && each.value.name === name))

/** What is known of names of the host part: every extent of the kernel asks. */
const knownOfHost = new WeakMap<Program, Map<string, Interval>>()

function ofName(name: string, program: Program): Interval {
  const known = knownOfHost.get(program) ?? new Map<string, Interval>()
  knownOfHost.set(program, known)
  const found = known.get(name) ?? ofHostName(name, program)
  known.set(name, found)
  return found
}

function ofHostName(name: string, program: Program): Interval {
  if (name === 'cores') return from(1)
  if (name === program.core) return from(0)
  const constant = definitionOf(name, program)
  if (!constant) return any
  const known = knownIntervals.get(constant)
  if (known) return known
  const found = intervalOf(constant.value, program)
  const interval = constant.value.op === 'fit' && fitIsNeeded(constant.name, program) ? { ...found, least: 1 } : found
  knownIntervals.set(constant, interval)
  return interval
}

function ofCall(name: string, given: readonly Expression[], of: (each: Expression) => Interval): Interval {
  const [a, b] = given.map(of)
  if (!a || !b) return any
  switch (name) {
    case 'min':
      return { least: Math.min(a.least, b.least), most: Math.min(a.most, b.most) }
    case 'max':
      return { least: Math.max(a.least, b.least), most: Math.max(a.most, b.most) }
    case 'ceilDiv':
      return a.least >= 0 && b.least >= 1 ? { least: Math.min(a.least, 1), most: Math.ceil(a.most / b.least) } : any
    case 'alignUp':
      return a.least >= 0 && b.least >= 1 ? { least: a.least, most: a.most + b.most } : any
    default:
      return any
  }
}

function ofOperation(
  { left, right, operator }: Extract<Expression, { op: 'operate' }>,
  of: (each: Expression) => Interval,
  program: Program,
): Interval {
  const [a, b] = [of(left), of(right)]
  const isPositive = a.least >= 0 && b.least >= 1
  switch (operator) {
    case '+':
      return { least: a.least + b.least, most: a.most + b.most }
    case '-':
      return { least: a.least - b.most, most: a.most - b.least }
    case '*':
      return a.least >= 0 && b.least >= 0 ? { least: a.least * b.least, most: times(a.most, b.most) } : any
    case '/':
      // a part of all extents divides their product
      if (isPartOf(resolved(right, program), resolved(left, program))) return from(1)
      return isPositive ? { least: 0, most: Math.floor(a.most / b.least) } : any
    case '%':
      return isPositive ? { least: 0, most: Math.min(a.most, b.most - 1) } : any
    default:
      return any
  }
}

const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b)

/** The expression that a name stands for. */
function resolved(expression: Expression, program: Program): Expression {
  const constant = expression.op === 'name' ? definitionOf(expression.name, program) : undefined
  return constant ? resolved(constant.value, program) : expression
}

const isPartOf = (part: Expression, whole: Expression): boolean =>
  whole.op === 'product' &&
  whole.to === null &&
  whole.from.op === 'number' &&
  whole.from.value === 0 &&
  (part.op === 'extent' || part.op === 'product') &&
  part.tensor === whole.tensor
