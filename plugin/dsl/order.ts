import { apartInTurn, apartInTurns, movesIn, namesIn, type Copy, type Declared, type Names } from './apart.ts'
import { sizesOf } from './beyond.ts'
import type { Buffer, Expression, Program, StaticTest, Statement, Transfer } from './ir.ts'
import type { Memory } from './memory.ts'
import { keyOf, sameExpression } from './same.ts'
import type { Sizes } from './sums.ts'
import { computedIn, expressionsOf, partsOf } from './walk.ts'

// Order between copies of a tensor that is stored more than once, or stored and loaded. Queues order what is done to buffers; in
// global memory a copy may overtake the one before it. What other cores do is not looked at.

/** What waits for what came before: loads for stores, stores for loads, stores for stores; or all for all. */
export type Order = 'MTE3_MTE2' | 'MTE2_MTE3' | 'MTE3' | 'ALL'

interface Site extends Copy {
  /** the blocks around it from the outside in, and which of their statements it is in */
  readonly path: readonly Spot[]
  /** the loops around it from the outside in */
  readonly loops: readonly Declared[]
  /** sides of tests around it that come out alike throughout a launch */
  readonly sides: ReadonlyMap<string, boolean>
  /** its place in the order of the program */
  readonly at: number
}

interface Spot {
  readonly block: readonly Statement[]
  readonly index: number
}

const statementAt = ({ block, index }: Spot): Statement => block[index]!

/** Where a buffer is computed, loaded and stored; what a stage computes counts from where the stage begins. */
type Uses = Readonly<Record<'compute' | 'load' | 'store', number[]>>

interface Found {
  /** by tensor, in the order of the program */
  readonly sites: Map<string, Site[]>
  readonly uses: Map<Buffer, Uses>
  count: number
}

interface Within {
  readonly path: readonly Spot[]
  readonly names: Names
  readonly loops: readonly Declared[]
  readonly sides: Site['sides']
  /** where the stage around it begins */
  readonly stage: number | null
}

/** Of more copies of one tensor it is not asked which of them may meet. */
const mostAsked = 16

/** Tensors that are loaded and stored as they are keep these flags to themselves until they are loaded anew. */
const flags = 8

/** What a statement waits for, and the tensor for whose sake. */
export type Waits = ReadonlyMap<Order, string>

/** What statements have to wait for. */
export function ordersOf(program: Program, { roleOf, depthOf }: Memory): Map<Statement, Waits> {
  const found: Found = { sites: new Map(), uses: new Map(), count: 0 }
  findSites(program.kernel, { path: [], names: new Map(), loops: [], sides: new Map(), stage: null }, found)
  const sizes = sizesOf(program)
  const orders = new Map<Statement, Map<Order, string>>()
  const taken = [...roleOf].reduce((sum, [buffer, role]) => sum + (role === 'through' ? depthOf.get(buffer)! : 0), 0)
  for (const [tensor, sites] of found.sites) {
    const add = (statement: Statement, order: Order): void => {
      const known = orders.get(statement) ?? new Map<Order, string>()
      orders.set(statement, known.set(order === 'MTE3' || taken < flags ? order : 'ALL', tensor))
    }
    const [load, store] = ['load', 'store'].map((op) => sites.find(({ transfer }) => transfer.op === op)?.transfer)
    if (!store) continue
    const isAsked = sites.length <= mostAsked
    for (const second of sites) {
      for (const kind of isAsked ? [] : [store, load]) {
        const order = kind ? orderBetween(kind, second.transfer) : null
        if (order !== null) add(second.transfer, order)
      }
      for (const first of isAsked ? sites : []) {
        const order = orderBetween(first.transfer, second.transfer)
        if (order === null || (order === 'MTE2_MTE3' && isThere(first, second, found.uses, roleOf))) continue
        for (const statement of meetings(first, second, sizes)) add(statement, order)
      }
    }
  }
  return orders
}

function findSites(block: readonly Statement[], within: Within, found: Found): void {
  const names = new Map(within.names)
  for (const [index, statement] of block.entries()) {
    const at = found.count++
    const inside: Within = { ...within, path: [...within.path, { block, index }], names }
    for (const { buffer } of computedIn(statement)) usesAt(buffer, found).compute.push(within.stage ?? at)
    switch (statement.op) {
      case 'const':
      case 'let':
        names.set(statement.name, declared(statement, inside))
        break
      case 'for': {
        const loop = declared(statement, inside)
        const inLoop = new Map(names).set(statement.name, loop)
        findSites(statement.body, { ...inside, names: inLoop, loops: [...within.loops, loop] }, found)
        break
      }
      case 'load':
      case 'store': {
        const { tensor, buffer, op } = statement
        const sites = found.sites.get(tensor) ?? []
        found.sites.set(tensor, sites)
        sites.push({ ...inside, transfer: statement, names: namesIn(expressionsOf(statement), names), at })
        usesAt(buffer, found)[op].push(at)
        break
      }
      case 'if':
      case 'static-if':
        for (const isTaken of [true, false])
          findSites(
            isTaken ? statement.yes : statement.no,
            { ...inside, sides: sidesOf(statement, isTaken, inside) },
            found,
          )
        break
      case 'stage':
        findSites(statement.body, { ...inside, stage: at }, found)
        break
      default:
    }
  }
}

/** The side of a test, where it asks for dtypes or for what the host part has said. */
function sidesOf(
  { test }: { readonly test: Expression | StaticTest },
  isTaken: boolean,
  { sides, names }: Pick<Within, 'sides' | 'names'>,
): Site['sides'] {
  if (!('type' in test)) return new Map(sides).set(JSON.stringify(test), isTaken)
  if (test.op === 'not') return sidesOf({ test: test.operand }, !isTaken, { sides, names })
  const isFixed =
    partsOf(test).every((part) => part.op !== 'get' && part.op !== 'read') && namesIn([test], names).size === 0
  return isFixed ? new Map(sides).set(keyOf(test), isTaken) : sides
}

const declared = (by: Declared['by'], { names, loops }: Within): Declared => ({
  by,
  names: namesIn(expressionsOf(by), names),
  loops: loops.map((each) => each.by),
})

function usesAt(buffer: Buffer, { uses }: Found): Uses {
  const known = uses.get(buffer) ?? { compute: [], load: [], store: [] }
  uses.set(buffer, known)
  return known
}

/** What orders two copies of one tensor. */
function orderBetween(first: Transfer, second: Transfer): Order | null {
  if (first.op === 'store') return second.op === 'store' ? 'MTE3' : 'MTE3_MTE2'
  return second.op === 'store' ? 'MTE2_MTE3' : null
}

/** Is what is stored made behind a load, so that queues order the two? Then so it is in later turns of loops. */
function isThere(first: Site, second: Site, uses: Found['uses'], roleOf: Memory['roleOf']): boolean {
  const [loaded, stored] = [first.transfer.buffer, second.transfer.buffer]
  if (roleOf.get(stored) === 'through') return lastBefore(second.at, uses.get(stored)!.load) >= first.at
  if (roleOf.get(loaded) === 'through') return firstBehind(first.at, uses.get(loaded)!.store) <= second.at
  return firstBehind(first.at, uses.get(loaded)!.compute) <= lastBefore(second.at, uses.get(stored)!.compute)
}

/** How many of ascending numbers are below one. */
function countBelow(limit: number, numbers: readonly number[]): number {
  let [begin, end] = [0, numbers.length]
  while (begin < end) {
    const middle = Math.floor((begin + end) / 2)
    if (numbers[middle]! < limit) begin = middle + 1
    else end = middle
  }
  return begin
}

const firstBehind = (at: number, numbers: readonly number[]): number => numbers[countBelow(at + 1, numbers)] ?? Infinity
const lastBefore = (at: number, numbers: readonly number[]): number => numbers[countBelow(at, numbers) - 1] ?? -1

/** The statements before which the second copy has to wait, as the first one may be at the same place. */
function meetings(first: Site, second: Site, sizes: Sizes): Statement[] {
  if ([...first.sides].some(([test, isTaken]) => second.sides.get(test) === !isTaken)) return []
  const found: Statement[] = []
  let depth = 0
  let loop = 0
  for (; first.path[depth + 1] && first.path[depth + 1]?.block === second.path[depth + 1]?.block; depth++) {
    if (statementAt(first.path[depth]!).op !== 'for') continue
    const around = first.loops[loop++]!
    // queues order a load and what is stored in later turns
    if (first.transfer.op === 'store' && mayMeetAgain(first, second, around, sizes))
      found.push(statementAt(second.path[depth + 1]!))
  }
  const [one, other] = [first.path[depth]!, second.path[depth]!]
  if (one.index < other.index && !apartInTurn(first, second, sizes)) found.push(statementAt(other))
  return found
}

/**
 * May the second copy, in a later turn of a loop, be at a place of the first one? Where both are at one place in each turn, and
 * that moves with the loop, the author is believed that tiles are not larger than steps.
 */
function mayMeetAgain(first: Site, second: Site, loop: Declared, sizes: Sizes): boolean {
  const isSame = isSamePlace(first, second)
  return !(isSame && movesIn(first, loop, sizes)) && !apartInTurns(first, second, loop, sizes, isSame)
}

function isSamePlace(first: Site, second: Site): boolean {
  const [a, b] = [first.transfer, second.transfer]
  const isSameItem = a.item === null || b.item === null ? a.item === b.item : sameExpression(a.item, b.item)
  if (!isSameItem || !sameExpression(a.offset, b.offset)) return false
  const names = namesIn([a.offset, ...(a.item ? [a.item] : [])], first.names)
  return [...names].every(([name, { by }]) => second.names.get(name)?.by === by)
}
