import { intervalOf } from './intervals.ts'
import type { Expression, Program } from './ir.ts'

// Whole numbers as sums of products of what no problem says: extents, loop variables, and what is no such sum. What two of them
// have in common cancels, so that a place can be held against the size of a tensor that nobody knows.

/** A number that is not known: the least that it can be, and sums that it is not above. */
interface Unknown {
  readonly least: number
  readonly most: readonly Sum[]
}

/** A product of unknown numbers, how often it is there, and what it is made of. */
interface Term {
  readonly factor: number
  readonly of: readonly Unknown[]
}

/** Terms by the numbers of what they are made of; the term without any is the number 1. */
export type Sum = ReadonlyMap<string, Term>

/** What names stand for; null: nothing is known of it, not even its sign. */
export type KnownSums = ReadonlyMap<string, Sum | null>

const numbers = new WeakMap<Unknown, number>()
let count = 0

function numberOf(unknown: Unknown): number {
  const number = numbers.get(unknown) ?? count++
  numbers.set(unknown, number)
  return number
}

const product = (factor: number, of: readonly Unknown[]): [string, Term] => {
  const ordered = of.toSorted((a, b) => numberOf(a) - numberOf(b))
  return [ordered.map(numberOf).join('*'), { factor, of: ordered }]
}

/** A number. */
export const constantSum = (value: number): Sum => (value === 0 ? new Map() : new Map([product(value, [])]))

/** A number that is not known. */
export const unknownSum = (least: number, most: readonly Sum[] = []): Sum => new Map([product(1, [{ least, most }])])

function summed(terms: Iterable<readonly [string, Term]>): Sum {
  const found = new Map<string, Term>()
  for (const [key, { factor, of }] of terms) {
    const whole = (found.get(key)?.factor ?? 0) + factor
    if (whole === 0) found.delete(key)
    else found.set(key, { factor: whole, of })
  }
  return found
}

export const plus = (a: Sum, b: Sum): Sum => summed([...a, ...b])

export const minus = (a: Sum, b: Sum): Sum => plus(a, times(b, constantSum(-1)))

export const times = (a: Sum, b: Sum): Sum =>
  summed(
    [...a.values()].flatMap((left) =>
      [...b.values()].map((right) => product(left.factor * right.factor, [...left.of, ...right.of])),
    ),
  )

/** `a / b` where every term of it is a multiple of `b`, which is one term; null: it is no such sum. */
function divided(a: Sum, b: Sum): Sum | null {
  const [by, more] = b.values()
  if (!by || more) return null
  const terms: [string, Term][] = []
  for (const { factor, of } of a.values()) {
    const rest = [...of]
    for (const each of by.of) {
      const at = rest.indexOf(each)
      if (at < 0) return null
      rest.splice(at, 1)
    }
    if (factor % by.factor !== 0) return null
    terms.push(product(factor / by.factor, rest))
  }
  return summed(terms)
}

/** The least that a sum can be. */
export function leastOf(sum: Sum): number {
  let least = 0
  for (const { factor, of } of sum.values()) {
    // what is at least 0 or 1 has no end above
    if (of.length > 0 && (factor < 0 || of.some((each) => each.least < 0))) return -Infinity
    least += factor * of.reduce((all, each) => all * each.least, 1)
  }
  return least
}

/** How many sums are looked at before the answer is no. */
const mostTries = 24

/** For looking */
export const showSum = (s: Sum | null): string =>
  s === null
    ? 'null'
    : Array.from(
        s.values(),
        ({ factor, of }) =>
          factor +
          of.map((u) => '*u' + numberOf(u) + '>=' + u.least + (u.most.length ? '<' + u.most.length : '')).join(''),
      ).join(' + ')

/** Is a sum known to be 0 or more? What is taken off counts as what it is not above. */
export function isNeverNegative(sum: Sum): boolean {
  const seen = new Set<string>()
  const holds = (each: Sum): boolean => {
    if (leastOf(each) >= 0) return true
    if (seen.size >= mostTries) return false
    seen.add(keyOf(each))
    // where less is taken off, the end is nearer
    return smallerSums(each)
      .toSorted((a, b) => takenOff(a) - takenOff(b))
      .some((smaller) => !seen.has(keyOf(smaller)) && holds(smaller))
  }
  return holds(sum)
}

const keyOf = (sum: Sum): string =>
  Array.from(sum, ([key, { factor }]) => `${factor}*${key}`)
    .toSorted()
    .join('+')

/** How many terms are taken off. */
const takenOff = (sum: Sum): number => [...sum.values()].filter(({ factor }) => factor < 0).length

/** Sums that one is not below. */
function smallerSums(sum: Sum): Sum[] {
  const found: Sum[] = []
  for (const [key, { factor, of }] of sum)
    for (const [i, { most }] of (factor < 0 ? of : []).entries()) {
      const others = of.toSpliced(i, 1)
      if (most.length === 0 || others.some(({ least }) => least < 0)) continue
      const rest = summed([...sum].filter(([other]) => other !== key))
      const taken = new Map([product(factor, others)])
      found.push(...most.map((limit) => plus(rest, times(limit, taken))))
    }
  return found
}

/** A number of the host part of which its interval alone is known. */
function unknownOf(expression: Expression, program: Program): Sum | null {
  const { least } = intervalOf(expression, program)
  return least >= 0 ? unknownSum(least) : null
}

/** What an expression is, of names of the kernel and sizes of tensors. */
export interface Sizes {
  readonly program: Program
  readonly names: KnownSums
  /** the elements of a tensor from one axis to another one */
  readonly ofAxes: (tensor: string, from: number, to: number | null) => Sum | null
  /** of a name of the host part */
  readonly ofHost: (name: string) => Sum | null
}

/** An expression as a sum; null: it may be negative for all that is known. */
export function sumOf(expression: Expression, sizes: Sizes): Sum | null {
  const { program } = sizes
  if (expression.type !== 'int') return null
  switch (expression.op) {
    case 'number':
      return constantSum(expression.value)
    case 'name':
      return sizes.names.has(expression.name) ? sizes.names.get(expression.name)! : sizes.ofHost(expression.name)
    case 'extent': {
      const { axis, tensor } = expression
      const at = axis.op === 'number' ? axis.value : null
      const own = at === null ? null : sizes.ofAxes(tensor, at, at === -1 ? null : at + 1)
      return own ?? unknownOf(expression, program)
    }
    case 'product': {
      const { from, to, tensor } = expression
      const isKnown = from.op === 'number' && (to === null || to.op === 'number')
      return (
        (isKnown ? sizes.ofAxes(tensor, from.value, to && to.op === 'number' ? to.value : null) : null) ??
        unknownOf(expression, program)
      )
    }
    case 'operate':
      return operated(expression, sizes)
    case 'call':
      return calledOf(expression, sizes)
    case 'choose': {
      const sides = [expression.yes, expression.no].map((each) => sumOf(each, sizes))
      const least = Math.min(...sides.map((each) => (each ? leastOf(each) : -Infinity)))
      return least >= 0 ? unknownSum(least) : null
    }
    case 'bytes':
    case 'rank':
    case 'length':
    case 'fit':
      return unknownOf(expression, program)
    default:
      return null
  }
}

function operated(expression: Extract<Expression, { op: 'operate' }>, sizes: Sizes): Sum | null {
  const [a, b] = [sumOf(expression.left, sizes), sumOf(expression.right, sizes)]
  // nothing is divided by 0, and a remainder has the sign of what is divided
  if (expression.operator === '%') return a && leastOf(a) >= 0 ? unknownSum(0) : null
  if (!a || !b) return null
  switch (expression.operator) {
    case '+':
      return plus(a, b)
    case '-':
      return minus(a, b)
    case '*':
      return times(a, b)
    case '/':
      return divided(a, b) ?? (leastOf(a) >= 0 && leastOf(b) >= 0 ? unknownSum(0) : null)
    default:
      return null
  }
}

/** What a function of whole numbers comes to at least; nothing is divided by 0. */
function calledOf({ name, arguments: given }: Extract<Expression, { op: 'call' }>, sizes: Sizes): Sum | null {
  const all = given.map((each) => sumOf(each, sizes))
  const least = all.map((each) => (each ? leastOf(each) : -Infinity))
  const [a = -Infinity, b = -Infinity] = least
  const bounds: Readonly<Record<string, number>> = {
    min: Math.min(...least),
    max: Math.max(...least),
    ceilDiv: a >= 0 && b >= 0 ? Math.min(a, 1) : -Infinity,
    alignUp: a >= 0 && b >= 0 ? a : -Infinity,
  }
  const found = bounds[name] ?? -Infinity
  const most = name === 'min' ? all.flatMap((each) => each ?? []) : []
  return found >= 0 ? unknownSum(found, most) : null
}
