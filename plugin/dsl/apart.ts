import type { Expression, Statement, Transfer } from './ir.ts'
import { sameExpression } from './same.ts'
import { constantSum, isNeverNegative, leastOf, minus, plus, sumOf, times, unknownSum } from './sums.ts'
import type { Sizes, Sum } from './sums.ts'
import { partsOf } from './walk.ts'

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
      return plus(sumIn(by.from, names, turn) ?? anyNumber(), unknownSum(0))
    case 'let':
      return null
  }
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

/** Is one copy known to touch other places than the other one, where both are in the same turn of the loops around both? */
export function apartInTurn(a: Copy, b: Copy, sizes: Sizes): boolean {
  const turn: Turn = { sizes, loop: null, own: new Map(), shared: new Map(), divided: null }
  return areApart(placeOf(a, turn), placeOf(b, turn))
}

/** The same where `b` is in a later turn of a loop than `a`, and in the same one of the loops around that. */
export function apartInTurns(a: Copy, b: Copy, { by: loop, names }: Declared, sizes: Sizes): boolean {
  if (loop.op !== 'for') return false
  const shared = new Map<Statement, Sum | null>()
  const outside: Turn = { sizes, loop, own: shared, shared, divided: null }
  const step = sumIn(loop.step, names, outside) ?? unknownSum(1)
  const earlier = plus(sumIn(loop.from, names, outside) ?? anyNumber(), unknownSum(0))
  const later = plus(plus(earlier, step), unknownSum(0))
  const areIn = (first: Divided | null, second: Divided | null): boolean =>
    areApart(
      placeOf(a, { ...outside, own: new Map([[loop, earlier]]), divided: first }),
      placeOf(b, { ...outside, own: new Map([[loop, later]]), divided: second }),
    )
  if (areIn(null, null)) return true
  const by = divisorOf(a.names, [a.transfer.offset], loop)
  if (!by || leastOf(earlier) < 0) return false
  // a later turn has a larger quotient, or the same one and a larger remainder
  const divisor = sumIn(by, a.names, outside) ?? unknownSum(1)
  const any = (): Sum => unknownSum(0, [minus(divisor, constantSum(1))])
  const first: Divided = { by, quotient: unknownSum(0), remainder: any() }
  const behind = plus(plus(first.remainder, step), unknownSum(0))
  const next = plus(plus(first.quotient, constantSum(1)), unknownSum(0))
  return areIn(first, { ...first, remainder: behind }) && areIn(first, { by, quotient: next, remainder: any() })
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

/** How an expression differs between turns of a loop. */
interface Change {
  readonly moves: boolean
  /** may come to the same again: the smaller of two, an element of something */
  readonly folds: boolean
  readonly divides: boolean
  readonly remains: boolean
}

const still: Change = { moves: false, folds: false, divides: false, remains: false }

const together = (all: readonly Change[]): Change => ({
  moves: all.some(({ moves }) => moves),
  folds: all.some(({ folds }) => folds),
  divides: all.some(({ divides }) => divides),
  remains: all.some(({ remains }) => remains),
})

/** Does a copy, for all that is seen, touch other places in each turn of a loop? A quotient does with its remainder. */
export function movesIn({ transfer: { item, offset }, names }: Copy, { by: loop }: Declared): boolean {
  const known = new Map<Statement, Change>()
  const { moves, folds, divides, remains } = together(
    [offset, ...(item ? [item] : [])].map((each) => changeOf(each, names, loop, known)),
  )
  return moves && !folds && divides === remains
}

function changeOf(expression: Expression, names: Names, loop: Statement, known: Map<Statement, Change>): Change {
  const of = (each: Expression): Change => changeOf(each, names, loop, known)
  switch (expression.op) {
    case 'name': {
      const declared = names.get(expression.name)
      return declared ? declaredChange(declared, loop, known) : still
    }
    case 'get':
    case 'read':
      return { ...still, moves: true, folds: true }
    case 'operate': {
      const [left, right] = [of(expression.left), of(expression.right)]
      const both = together([left, right])
      return {
        ...both,
        divides: both.divides || (left.moves && expression.operator === '/'),
        remains: both.remains || (left.moves && expression.operator === '%'),
      }
    }
    case 'call': {
      const all = together(expression.arguments.map(of))
      return { ...all, folds: all.folds || (all.moves && ['min', 'max'].includes(expression.name)) }
    }
    case 'choose': {
      const all = together([expression.test, expression.yes, expression.no].map(of))
      return { ...all, folds: all.folds || all.moves }
    }
    case 'negate':
    case 'not':
      return of(expression.operand)
    case 'list':
      return together(expression.arguments.map(of))
    default:
      return still
  }
}

function declaredChange(declared: Declared, loop: Statement, known: Map<Statement, Change>): Change {
  const { by, names } = declared
  if (by === loop) return { ...still, moves: true }
  if (!isOwn(declared, loop)) return by.op === 'let' ? { ...still, moves: true } : still
  const found = known.get(by) ?? changeIn(by, names, loop, known)
  known.set(by, found)
  return found
}

function changeIn(by: Declared['by'], names: Names, loop: Statement, known: Map<Statement, Change>): Change {
  if (by.op === 'let') return { ...still, moves: true }
  return changeOf(by.op === 'for' ? by.from : by.value, names, loop, known)
}
