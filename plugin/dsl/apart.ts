import { sizesOf } from './beyond.ts'
import { definitionOf } from './intervals.ts'
import type { Expression, Statement, Transfer } from './ir.ts'
import { sameExpression } from './same.ts'
import { constantSum, isNeverNegative, leastOf, minus, plus, sumOf, times, unknownSum } from './sums.ts'
import type { Sizes, Sum } from './sums.ts'
import { blocksOf, operandsOf, partsOf, walkStatements } from './walk.ts'

// Whether two copies are known to touch different places of a tensor. What is not known to be apart may meet.

export type Loop = Extract<Statement, { op: 'for' }>

/** A name of the kernel: what declares it, what its own expressions name, and the loops that it is declared in. */
export interface Declared {
  readonly by: Extract<Statement, { op: 'const' | 'let' }> | Loop
  readonly names: Names
  readonly loops: readonly Statement[]
}

export type Names = ReadonlyMap<string, Declared>

export interface Copy {
  readonly transfer: Transfer
  /** what its own expressions name */
  readonly names: Names
}

/** The names of some expressions that the kernel declares. */
export function namesIn(expressions: readonly Expression[], known: Names): Names {
  const found = new Map<string, Declared>()
  for (const part of expressions.flatMap(partsOf)) {
    const declared = part.op === 'name' ? known.get(part.name) : undefined
    if (declared && part.op === 'name') found.set(part.name, declared)
  }
  return found
}

/** What names stand for while a copy is made. */
interface Turn {
  readonly sizes: Sizes
  /** the loop of which two turns are told apart: what is declared in it is the turn's own */
  readonly loop: Statement | null
  readonly own: Map<Statement, Sum | null>
  readonly shared: Map<Statement, Sum | null>
  /** what the variable of the loop comes to, where it is divided */
  readonly divided: Divided | null
}

interface Divided {
  readonly by: Expression
  readonly quotient: Sum
  readonly remainder: Sum
}

const isOwn = ({ by, loops }: Declared, loop: Statement | null): boolean =>
  loop !== null && (by === loop || loops.includes(loop))

const anyNumber = (): Sum => unknownSum(-Infinity)

function declaredSum(declared: Declared, turn: Turn): Sum | null {
  const known = isOwn(declared, turn.loop) ? turn.own : turn.shared
  const { by, names } = declared
  if (!known.has(by)) known.set(by, findSum(by, names, turn))
  return known.get(by)!
}

function findSum(by: Declared['by'], names: Names, turn: Turn): Sum | null {
  switch (by.op) {
    case 'const':
      // whatever it is, it is the same wherever it is named
      return sumIn(by.value, names, turn) ?? anyNumber()
    case 'for':
      return startedSum(by, names, turn)
    case 'let':
      return null
  }
}

/** The variable of a loop: what it begins with or more, and below its end. */
function startedSum({ from, to }: Loop, names: Names, turn: Turn): Sum {
  const [first, end] = [sumIn(from, names, turn) ?? anyNumber(), sumIn(to, names, turn)]
  return plus(first, unknownSum(0, end ? [minus(minus(end, first), constantSum(1))] : []))
}

/** An expression as a sum; of the smallest of numbers it is known that it is not above each of them. */
function sumIn(expression: Expression, names: Names, turn: Turn): Sum | null {
  const { loop, divided, sizes } = turn
  const known = new Map<string, Sum | null>()
  for (const [name, declared] of namesIn([expression], names)) known.set(name, declaredSum(declared, turn))
  if (divided) known.set('/', divided.quotient).set('%', divided.remainder)
  const sum = sumOf(divided ? withParts(expression, names, loop, divided) : expression, { ...sizes, names: known })
  if (expression.op !== 'call' || expression.name !== 'min') return sum
  const most = expression.arguments.flatMap((each) => sumIn(each, names, turn) ?? [])
  return unknownSum(sum ? leastOf(sum) : -Infinity, most)
}

/** The divisor, where an expression is the quotient or the remainder of the variable of a loop. */
const divisorIn = (expression: Expression, names: Names, loop: Statement | null): Expression | null =>
  expression.op === 'operate' &&
  ['/', '%'].includes(expression.operator) &&
  expression.left.op === 'name' &&
  names.get(expression.left.name)?.by === loop
    ? expression.right
    : null

/** An expression with names for the quotient and the remainder of the variable of a loop. */
function withParts(expression: Expression, names: Names, loop: Statement | null, divided: Divided): Expression {
  if (expression.op !== 'operate') return expression
  const divisor = divisorIn(expression, names, loop)
  const { operator, type, span } = expression
  if (divisor && sameExpression(divisor, divided.by)) return { op: 'name', name: operator, type, span }
  const [left, right] = [expression.left, expression.right].map((each) => withParts(each, names, loop, divided))
  return { ...expression, left: left!, right: right! }
}

/** By what a copy divides the variable of a loop, if that does not change in it. */
function divisorOf(names: Names, expressions: readonly Expression[], loop: Statement): Expression | null {
  for (const part of expressions.flatMap(partsOf)) {
    const divisor = divisorIn(part, names, loop)
    if (divisor && [...namesIn([divisor], names).values()].every((each) => !isOwn(each, loop) && each.by.op !== 'let'))
      return divisor
  }
  for (const each of namesIn(expressions, names).values()) {
    const found = each.by.op === 'const' && isOwn(each, loop) ? divisorOf(each.names, [each.by.value], loop) : null
    if (found) return found
  }
  return null
}

/** A copy in sums. */
interface Place {
  readonly item: Sum | null
  readonly offset: Sum | null
  /** from one row to the next; null: rows follow each other */
  readonly pitch: Sum | null
  /** elements of a row, and from the first to the last one */
  readonly columns: Sum | null
  readonly length: Sum | null
}

function placeOf({ transfer, names }: Copy, turn: Turn): Place {
  const { item, offset, extent, pitch: step } = transfer
  const sum = (expression: Expression | null): Sum | null => expression && sumIn(expression, names, turn)
  const [columns, rows, pitch] = [sum(extent.columns), extent.rows ? sum(extent.rows) : constantSum(1), sum(step)]
  const behind = step ? pitch && rows && times(minus(rows, constantSum(1)), pitch) : null
  const length = step ? behind && columns && plus(behind, columns) : rows && columns && times(rows, columns)
  return { item: sum(item), offset: sum(offset), pitch, columns, length }
}

/** Sizes where copies have elements: what their extents are not above is at least 1. */
function sizesOfCopies(copies: readonly Copy[], sizes: Sizes, loop: Declared | null = null): Sizes {
  const { program } = sizes
  const found = new Set<string>()
  const seen = new Set<Statement>()
  const add = (expression: Expression, names: Names): void => {
    if (expression.op === 'fit') add(expression.limit, names)
    if (expression.op === 'call' && expression.name === 'min') for (const each of expression.arguments) add(each, names)
    if (expression.op !== 'name') return
    const declared = names.get(expression.name)
    if (declared?.by.op === 'const' && !seen.has(declared.by)) {
      seen.add(declared.by)
      add(declared.by.value, declared.names)
    }
    if (declared || found.has(expression.name)) return
    found.add(expression.name)
    const constant = definitionOf(expression.name, program)
    if (constant) add(constant.value, new Map())
  }
  for (const { transfer, names } of copies) {
    const { rows, columns } = transfer.extent
    for (const each of rows ? [rows, columns] : [columns]) add(each, names)
  }
  const shares = loop?.by.op === 'for' ? sharesOf(loop.by, loop.names, found, sizes) : []
  return filledSizes(new Set([...found, ...shares]), sizes)
}

/** What a loop goes over, from one multiple of it to the next: there is no turn where that is not at least 1. */
function sharesOf({ from, to }: Loop, names: Names, filled: ReadonlySet<string>, known: Sizes): string[] {
  const named = partsOf(from).flatMap((each) => (each.op === 'name' && !names.has(each.name) ? [each.name] : []))
  return named.filter((name) => {
    const sizes = filledSizes(new Set([...filled, name]), known)
    const turn: Turn = { sizes, loop: null, own: new Map(), shared: new Map(), divided: null }
    const [share, first, end] = [sizes.ofHost(name), sumIn(from, names, turn), sumIn(to, names, turn)]
    if (!share || !first || !end) return false
    return endsOf(end).some((each) => minus(minus(each, first), share).size === 0)
  })
}

/** A sum, and what it is not above. */
function endsOf(sum: Sum): readonly Sum[] {
  const [term, ...more] = sum.values()
  const [unknown, ...others] = term?.of ?? []
  return unknown && term?.factor === 1 && more.length + others.length === 0 ? [sum, ...unknown.most] : [sum]
}

const knownSizes = new WeakMap<Sizes, Map<string, Sizes>>()

function filledSizes(filled: ReadonlySet<string>, sizes: Sizes): Sizes {
  const known = knownSizes.get(sizes) ?? new Map<string, Sizes>()
  knownSizes.set(sizes, known)
  const key = [...filled].toSorted().join()
  const found = known.get(key) ?? sizesOf(sizes.program, filled)
  known.set(key, found)
  return found
}

/** Is one copy known to touch other places than the other one, where both are in the same turn of the loops around both? */
export function apartInTurn(a: Copy, b: Copy, whole: Sizes): boolean {
  const sizes = sizesOfCopies([a, b], whole)
  const turn: Turn = { sizes, loop: null, own: new Map(), shared: new Map(), divided: null }
  return areApart(placeOf(a, turn), placeOf(b, turn))
}

type Known = ReadonlyMap<Statement, Sum | null>

/**
 * The same where `b` is in a later turn of a loop than `a`, and in the same one of the loops around that. `isClose`: it is worth
 * it to look at inner loops and remainders one way after the other, which takes long.
 */
export function apartInTurns(a: Copy, b: Copy, declared: Declared, whole: Sizes, isClose: boolean): boolean {
  const { by: loop, names } = declared
  if (loop.op !== 'for') return false
  const sizes = sizesOfCopies([a, b], whole, declared)
  const shared = new Map<Statement, Sum | null>()
  const outside: Turn = { sizes, loop, own: shared, shared, divided: null }
  const step = sumIn(loop.step, names, outside) ?? unknownSum(1)
  const earlier = startedSum(loop, names, outside)
  const later = plus(plus(earlier, step), unknownSum(0))
  const areIn = (first: Divided | null, second: Divided | null): boolean => {
    const areInLoops = (inner: readonly Declared[], one: Known, other: Known): boolean => {
      const [before, behind] = [
        { ...outside, own: new Map(one), divided: first },
        { ...outside, own: new Map(other), divided: second },
      ]
      if (areApart(placeOf(a, before), placeOf(b, behind))) return true
      const [next, ...rest] = inner
      if (!next || !isClose) return false
      const [left, right] = [declaredSum(next, before)!, declaredSum(next, behind)!]
      return (
        areInLoops(rest, new Map(one).set(next.by, left), new Map(other).set(next.by, left)) &&
        areInLoops(rest, new Map(one).set(next.by, left), new Map(other).set(next.by, above(left))) &&
        areInLoops(rest, new Map(one).set(next.by, above(right)), new Map(other).set(next.by, right))
      )
    }
    return areInLoops(innerLoops(a, b, loop), new Map([[loop, earlier]]), new Map([[loop, later]]))
  }
  if (areIn(null, null)) return true
  const by = divisorOf(a.names, [a.transfer.offset], loop)
  if (!by || leastOf(earlier) < 0) return false
  // a later turn has a larger quotient, or the same one and a larger remainder
  const divisor = sumIn(by, a.names, outside) ?? unknownSum(1)
  const any = (): Sum => unknownSum(0, [minus(divisor, constantSum(1))])
  const first: Divided = { by, quotient: unknownSum(0), remainder: any() }
  const behind = plus(plus(first.remainder, step), unknownSum(0))
  if (!areIn(first, { ...first, remainder: behind })) return false
  const next: Divided = { by, quotient: above(first.quotient), remainder: any() }
  if (areIn(first, next)) return true
  if (!isClose) return false
  const { remainder } = first
  return (
    areIn(first, { ...next, remainder }) &&
    areIn(first, { ...next, remainder: above(remainder) }) &&
    areIn({ ...first, remainder: above(remainder) }, { ...next, remainder })
  )
}

/** A larger number. */
const above = (sum: Sum): Sum => plus(plus(sum, constantSum(1)), unknownSum(0))

/** The loops in a loop whose variables say where both of two copies are. More than two are too many ways. */
function innerLoops(a: Copy, b: Copy, loop: Statement): Declared[] {
  const others = loopsIn(b.names, loop)
  return [...loopsIn(a.names, loop)]
    .flatMap(([by, declared]) => (by.op === 'for' && others.has(by) ? [declared] : []))
    .slice(0, 2)
}

function loopsIn(names: Names, loop: Statement, found = new Map<Statement, Declared>()): Map<Statement, Declared> {
  for (const declared of names.values()) {
    const { by } = declared
    if (by === loop || !isOwn(declared, loop) || found.has(by)) continue
    found.set(by, declared)
    loopsIn(declared.names, loop, found)
  }
  return found
}

function areApart(a: Place, b: Place): boolean {
  const one = constantSum(1)
  if (a.item && b.item && (isBehind(b.item, a.item, one) || isBehind(a.item, b.item, one))) return true
  if (!a.offset || !b.offset) return false
  if (isBehind(b.offset, a.offset, a.length) || isBehind(a.offset, b.offset, b.length)) return true
  // columns beside each other, of rows that are as far apart
  const { pitch } = a
  if (!pitch || !b.pitch || minus(pitch, b.pitch).size > 0) return false
  const isBeside = (left: Place, right: Place): boolean =>
    isBehind(right.offset!, left.offset!, left.columns) &&
    isBehind(plus(left.offset!, pitch), right.offset!, right.columns)
  return isBeside(a, b) || isBeside(b, a)
}

/** Is the first at least a length behind the second? */
const isBehind = (first: Sum, second: Sum, length: Sum | null): boolean =>
  length !== null && isNeverNegative(minus(minus(first, second), length))

interface Slopes {
  readonly copy: Copy
  readonly loop: Loop
  readonly turn: Turn
  readonly known: Map<Statement, Sum | null>
}

/**
 * By how much an expression is more where the variable of a loop is one more. Null: it may come to the same again, for all that is
 * known, as what is cut off, the smaller of two, an element of something and variables of other loops may.
 */
function slopeOf(expression: Expression, names: Names, slopes: Slopes): Sum | null {
  const of = (each: Expression): Sum | null => slopeOf(each, names, slopes)
  switch (expression.op) {
    case 'name': {
      const declared = names.get(expression.name)
      return declared ? declaredSlope(declared, slopes) : still
    }
    case 'get':
    case 'read':
      return null
    case 'operate': {
      const { left, right, operator } = expression
      const [a, b] = [of(left), of(right)]
      if (!a || !b) return null
      if (operator === '+') return plus(a, b)
      if (operator === '-') return minus(a, b)
      if (a.size === 0 && b.size === 0) return still
      if (operator !== '*' || (a.size > 0 && b.size > 0)) return null
      const factor = sumIn(a.size > 0 ? right : left, names, slopes.turn)
      return factor && times(a.size > 0 ? a : b, factor)
    }
    case 'negate': {
      const slope = of(expression.operand)
      return slope && minus(still, slope)
    }
    default:
      return operandsOf(expression).every((each) => of(each)?.size === 0) ? still : null
  }
}

const still: Sum = constantSum(0)

function declaredSlope(declared: Declared, slopes: Slopes): Sum | null {
  const { known } = slopes
  const { by } = declared
  if (!known.has(by)) known.set(by, findSlope(declared, slopes))
  return known.get(by)!
}

function findSlope(declared: Declared, slopes: Slopes): Sum | null {
  const { by, names } = declared
  if (by === slopes.loop) return constantSum(1)
  const isInside = isOwn(declared, slopes.loop)
  if (by.op === 'let') return isInside ? null : slopeOfVariable(by.name, slopes)
  if (!isInside) return still
  return by.op === 'const' ? slopeOf(by.value, names, slopes) : null
}

/** A variable goes on with a loop that adds something to it wherever it makes the copy, and does nothing else with it. */
function slopeOfVariable(name: string, { loop, copy }: Slopes): Sum | null {
  const found: Assignment[] = []
  walkStatements(loop.body, (each) => {
    if (each.op === 'assign' && each.name === name) found.push(each)
  })
  if (found.length === 0) return still
  const around = blocksTo(copy.transfer, loop.body) ?? []
  const goesOn = found.some((each) => around.some((block) => block.includes(each)))
  return goesOn && found.every((each) => isMore(each, copy)) ? unknownSum(1) : null
}

type Assignment = Extract<Statement, { op: 'assign' }>

/** Does it add a number of 1 or more to a variable, or as much as is copied? */
function isMore({ name, value }: Assignment, { transfer }: Copy): boolean {
  if (value.op !== 'operate' || value.operator !== '+' || value.left.op !== 'name' || value.left.name !== name)
    return false
  const { right } = value
  const { rows, columns } = transfer.extent
  return (right.op === 'number' && right.value >= 1) || sameExpression(right, rows ?? columns)
}

/** The blocks around a statement, itself among what the last one holds. */
function blocksTo(statement: Statement, block: readonly Statement[]): (readonly Statement[])[] | null {
  if (block.includes(statement)) return [block]
  for (const inner of block.flatMap(blocksOf)) {
    const found = blocksTo(statement, inner)
    if (found) return [block, ...found]
  }
  return null
}

/** Does a copy, for all that is seen, touch other places in each turn of a loop? */
export function movesIn(copy: Copy, { by: loop }: Declared, whole: Sizes): boolean {
  if (loop.op !== 'for') return false
  const { transfer, names } = copy
  const sizes = sizesOfCopies([copy], whole)
  const turn: Turn = { sizes, loop, own: new Map(), shared: new Map(), divided: null }
  const slopes: Slopes = { copy, loop, turn, known: new Map() }
  return [transfer.offset, transfer.item].some((each) => {
    const slope = each && slopeOf(each, names, slopes)
    return slope !== null && (leastOf(slope) >= 1 || leastOf(minus(still, slope)) >= 1)
  })
}
