import { evaluate } from './evaluate.ts'
import type { Buffer, Expression, Program, Way } from './ir.ts'
import { bytesIn, type Area, type Memory, type Size } from './memory.ts'
import { partsOf, walkStatements } from './walk.ts'

// Buffers that are declared in a test at run time are there on one of its sides alone. Where the test asks for fields of the
// tiling struct the host part knows which; otherwise each core decides, and the larger side counts.

/** Tests at run time that the host part can answer, by their place. */
export function knownTests(program: Program): ReadonlyMap<number, Expression> {
  const fields = new Set(program.fields.map(({ name }) => name))
  const found = new Map<number, Expression>()
  walkStatements(program.kernel, (statement) => {
    if (statement.op !== 'if') return
    const isKnown = partsOf(statement.test).every(
      (part) => part.op !== 'get' && (part.op !== 'name' || fields.has(part.name)),
    )
    if (isKnown) found.set(statement.span.start, statement.test)
  })
  return found
}

/** Are these on two sides of one test? */
export const excludes = (a: Pick<Buffer, 'ways'>, b: Pick<Buffer, 'ways'>): boolean =>
  a.ways.some((way) => b.ways.some((other) => other.test === way.test && other.taken !== way.taken))

/** What an area takes: how, is the business of those who write it as text, or as a number. */
export interface Terms<T> {
  /** of one size, where it is there */
  readonly size: (size: Size, area: Area) => T
  /** a term where tests that the host part knows come out so; nothing where they do not */
  readonly where: (known: readonly Way[], term: T) => T
  readonly sum: (terms: readonly T[]) => T
  readonly largest: (terms: readonly T[]) => T
}

/** The most that areas take together on any way through the kernel: null where there are none. */
export function mostOf<T>(areas: readonly Area[], tests: ReadonlyMap<number, unknown>, terms: Terms<T>): T | null {
  const known = (ways: readonly Way[]): Way[] => ways.filter(({ test }) => tests.has(test))
  const placed = areas.map((area) => {
    // what calls work in is there whichever side is taken, as large as the sides that the host part knows of ask for
    const sizes = area.sizes.map((size) => terms.where(known(size.ways), terms.size(size, area)))
    const ways = area.buffer ? area.buffer.ways.filter(({ test }) => !tests.has(test)) : []
    return { ways, term: sizes.length === 1 ? sizes[0]! : terms.largest(sizes) }
  })
  return totalOf(placed, terms)
}

interface Placed<T> {
  readonly ways: readonly Way[]
  readonly term: T
}

function totalOf<T>(placed: readonly Placed<T>[], terms: Terms<T>): T | null {
  const [always, sometimes] = [
    placed.filter(({ ways }) => ways.length === 0),
    placed.filter(({ ways }) => ways.length > 0),
  ]
  const tests = [...new Set(sometimes.map(({ ways }) => ways[0]!.test))]
  const sides = tests.map((test) => {
    const side = (taken: boolean): T | null =>
      totalOf(
        sometimes
          .filter(({ ways: [first] }) => first!.test === test && first!.taken === taken)
          .map(({ ways, term }) => ({ ways: ways.slice(1), term })),
        terms,
      )
    const both = [side(true), side(false)].filter((each) => each !== null)
    return both.length === 1 ? both[0]! : terms.largest(both)
  })
  const all = [...always.map(({ term }) => term), ...sides]
  return all.length === 0 ? null : all.length === 1 ? all[0]! : terms.sum(all)
}

/** The bytes that buffers take where the tiling struct has these values. */
export function bytesWith(
  program: Program,
  memory: Memory,
  column: number,
  fields: ReadonlyMap<string, number>,
): number {
  const tests = knownTests(program)
  const isTaken = ({ test, taken }: Way): boolean => (evaluate(tests.get(test)!, { names: fields }) !== 0) === taken
  const total = mostOf<number>(memory.areas, tests, {
    size: (size) => bytesIn(size, column, fields),
    where: (known, bytes) => (known.every(isTaken) ? bytes : 0),
    sum: (all) => all.reduce((sum, each) => sum + each, 0),
    largest: (all) => Math.max(...all),
  })
  return total ?? 0
}

/** Whether a buffer may be there where the tiling struct has these values. */
export function mayBeThere(
  { ways }: Pick<Buffer, 'ways'>,
  tests: ReadonlyMap<number, Expression>,
  fields: ReadonlyMap<string, number>,
): boolean {
  return ways.every(({ test, taken }) => {
    const known = tests.get(test)
    return known === undefined || (evaluate(known, { names: fields }) !== 0) === taken
  })
}
