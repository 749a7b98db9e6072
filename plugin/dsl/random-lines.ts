import * as fc from 'fast-check'
import type { DType } from '../model/index.ts'
import { primitives, roundModes, roundProblem, typeProblem } from './primitives.ts'

// Lines of random programs, for tests: calls of all kinds on scratch buffers, and branches and loops around them.

/** Scratch buffers of a type: two or three of each, whose contents are outputs in the end. */
export const kinds = {
  f: { dtype: 'float32', names: ['f0', 'f1', 'f2'] },
  h: { dtype: 'float16', names: ['h0', 'h1'] },
  w: { dtype: 'int32', names: ['w0', 'w1'] },
  s: { dtype: 'int16', names: ['s0', 's1'] },
  b: { dtype: 'bfloat16', names: ['b0', 'b1'] },
  u: { dtype: 'uint8', names: ['u0', 'u1'] },
  i: { dtype: 'int8', names: ['i0', 'i1'] },
  l: { dtype: 'int64', names: ['l0', 'l1'] },
} as const satisfies Record<string, { dtype: DType; names: readonly string[] }>

export type Kind = keyof typeof kinds

export const xTypes = ['float32', 'float16', 'bfloat16', 'int32', 'int16', 'int8', 'uint8', 'bool'] as const

/** Names and types of the buffers of some kinds. */
export const namesOf = (drawn: readonly Kind[]): [name: string, dtype: DType][] =>
  drawn.flatMap((kind) => kinds[kind].names.map((name): [string, DType] => [name, kinds[kind].dtype]))

const number = fc.constantFrom('0.5', '-1.5', '2.0', '0.0', '-0.125', '3.25', 'e')
const whole = fc.constantFrom('1', '-2', '3', '7', '100', 'k')
const relation = fc.constantFrom('lt', 'gt', 'le', 'ge', 'eq', 'ne')

/** How much of a buffer a line works on, or all of it. */
export interface Extents {
  readonly every: string
  readonly parts: readonly string[]
  /** without a part of the columns, which masks know nothing of */
  readonly rows: readonly string[]
  readonly count: string
  readonly columns: string
  readonly isRows: boolean
}

export const flatExtents: Extents = {
  every: 'n',
  parts: ['n', 'n', 'min(n, 5)', 'min(n, 37)', 'min(n, 129)'],
  rows: ['n', 'min(n, 21)'],
  count: 'n',
  columns: 'n',
  isRows: false,
}
export const rowExtents: Extents = {
  every: '[n, D]',
  parts: ['[n, D]', '[n, D]', '[n, min(D, 7)]', '[n, min(D, 70)]', '[min(n, 2), D]', '[min(n, 2), min(D, 33)]'],
  rows: ['[n, D]', '[min(n, 2), D]'],
  count: 'n',
  columns: 'D',
  isRows: true,
}

/** One or more lines of a stage, of the number that makes their names their own. */
export type Line = (id: number) => string

const names = (...given: Kind[]): string[] => namesOf(given).map(([name]) => name)
const oneOf = (list: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...list)

/** Element-wise calls on one type. */
function arithmetic(kind: Kind, part: fc.Arbitrary<string>): fc.Arbitrary<Line>[] {
  const register = oneOf(kinds[kind].names)
  const isFraction = kind === 'f' || kind === 'h'
  const scalar = isFraction ? number : whole
  const binaries = isFraction ? ['add', 'sub', 'mul', 'div', 'max', 'min'] : ['add', 'sub', 'mul', 'max', 'min']
  return [
    fc.tuple(oneOf(binaries), register, register, register, part).map(
      ([name, dst, a, b, n]): Line =>
        () =>
          `${name}(${dst}, ${a}, ${b}, ${n})`,
    ),
    fc
      .tuple(
        oneOf(['adds', 'muls', 'maxs', 'mins', ...(isFraction ? ['leakyRelu'] : [])]),
        register,
        register,
        scalar,
        part,
      )
      .map(
        ([name, dst, src, value, n]): Line =>
          () =>
            `${name}(${dst}, ${src}, ${value}, ${n})`,
      ),
    fc.tuple(register, scalar, part).map(
      ([dst, value, n]): Line =>
        () =>
          `duplicate(${dst}, ${value}, ${n})`,
    ),
    ...(kind === 's'
      ? [
          fc.tuple(oneOf(['and', 'or']), register, register, register, part).map(
            ([name, dst, a, b, n]): Line =>
              () =>
                `${name}(${dst}, ${a}, ${b}, ${n})`,
          ),
          fc.tuple(register, register, part).map(
            ([dst, a, n]): Line =>
              () =>
                `not(${dst}, ${a}, ${n})`,
          ),
        ]
      : []),
    ...(kind === 'w' || kind === 's'
      ? [
          fc.tuple(register, whole, part).map(
            ([dst, value, n]): Line =>
              () =>
                `arange(${dst}, ${value}, ${n})`,
          ),
        ]
      : []),
  ]
}

/** Calls on fractions that are rounded once. */
function fractions(kind: 'f' | 'h', part: fc.Arbitrary<string>): fc.Arbitrary<Line>[] {
  const register = oneOf(kinds[kind].names)
  const pair = fc.tuple(register, register, part)
  return [
    fc.tuple(oneOf(['abs', 'sqrt', 'relu']), pair).map(
      ([name, [dst, src, n]]): Line =>
        () =>
          `${name}(${dst}, ${src}, ${n})`,
    ),
    fc.tuple(oneOf(['floor', 'ceil', 'trunc', 'round', 'sign', 'reciprocal']), pair).map(
      ([name, [dst, src, n]]): Line =>
        () =>
          dst === src ? `abs(${dst}, ${src}, ${n})` : `${name}(${dst}, ${src}, ${n})`,
    ),
    fc.tuple(pair, number).map(
      ([[dst, src, n], value]): Line =>
        () =>
          `axpy(${dst}, ${src}, ${value}, ${n})`,
    ),
    fc.tuple(pair, register).map(
      ([[dst, a, n], b]): Line =>
        () =>
          `mulAddDst(${dst}, ${a}, ${b}, ${n})`,
    ),
  ]
}

const cast = primitives.get('cast')!

/** Casts between the kinds, with every round mode that they know. */
function casts(drawn: readonly Kind[], part: fc.Arbitrary<string>): fc.Arbitrary<Line>[] {
  const pairs = drawn.flatMap((from) =>
    drawn.flatMap((to) => {
      const [source, target] = [kinds[from].dtype, kinds[to].dtype]
      if (typeProblem(cast, [target, source])) return []
      const rounds = from === to ? [] : Object.keys(roundModes).filter((each) => !roundProblem(source, target, each))
      return [{ from, to, rounds: ['', ...rounds] }]
    }),
  )
  return pairs.map(({ from, to, rounds }) =>
    fc.tuple(oneOf(kinds[from].names), oneOf(kinds[to].names), oneOf(rounds), part).map(
      ([src, dst, round, n]): Line =>
        () =>
          src === dst ? '' : `cast(${dst}, ${src}, ${n}${round === '' ? '' : `, '${round}'`})`,
    ),
  )
}

/** Comparisons, what is chosen by them, and what masks become. */
function masks(drawn: readonly Kind[], { rows }: Extents): fc.Arbitrary<Line>[] {
  const f = oneOf(kinds.f.names)
  const bytes = names(...drawn.filter((each) => each === 'u' || each === 'i'))
  return [
    fc.tuple(f, f, f, relation, number, oneOf(rows)).map(
      ([dst, a, b, is, value, n]): Line =>
        () =>
          `compares(bits, ${a}, ${value}, '${is}', ${n})\nselect(${dst}, bits, ${a}, ${b}, ${n})`,
    ),
    fc.tuple(f, f, f, relation, number, oneOf(rows)).map(
      ([dst, a, b, is, value, n]): Line =>
        () =>
          `compare(bits, ${a}, ${b}, '${is}', ${n})\ncompares(more, ${a}, ${value}, 'gt', ${n})\nmaskNot(more, more, ${n})\nmaskAnd(bits, bits, more, ${n})\nselects(${dst}, bits, ${a}, ${value}, ${n})`,
    ),
    ...(bytes.length > 0
      ? [
          fc.tuple(oneOf(bytes), f, number, oneOf(rows)).map(
            ([dst, a, value, n]): Line =>
              () =>
                `compares(bits, ${a}, ${value}, 'lt', ${n})\nfromMask(${dst}, bits, ${n})`,
          ),
          fc.tuple(oneOf(bytes), f, f, oneOf(rows)).map(
            ([src, dst, a, n]): Line =>
              () =>
                `toMask(bits, ${src}, ${n})\nselect(${dst}, bits, ${a}, ${dst}, ${n})`,
          ),
        ]
      : []),
    ...(drawn.includes('w')
      ? [
          fc.tuple(oneOf(kinds.w.names), oneOf(kinds.w.names), f, f, oneOf(rows)).map(
            ([a, b, dst, c, n]): Line =>
              () =>
                `compare(bits, ${a}, ${b}, 'eq', ${n})\nselect(${dst}, bits, ${c}, ${dst}, ${n})`,
          ),
        ]
      : []),
  ]
}

/** Reductions, and what reads their results. */
function reductions({ parts, every, isRows }: Extents): fc.Arbitrary<Line>[] {
  const f = oneOf(kinds.f.names)
  const way = oneOf(['Sum', 'Max', 'Min'])
  const total = fc.tuple(way, f, f, oneOf(parts)).map(
    ([name, dst, src, n]): Line =>
      (id) =>
        `reduce${name}(single, ${src}, ${n})\nconst g${id} = get(single, 0)\nadds(${dst}, ${dst}, g${id}, ${every})`,
  )
  if (!isRows) return [total]
  return [
    total,
    fc.tuple(way, oneOf(['add', 'sub', 'mul', 'div']), f, f, oneOf(parts)).map(
      ([name, operation, dst, src, n]): Line =>
        () =>
          `row${name}(sums, ${src}, ${n})\n${operation}Rows(${dst}, ${src}, sums, ${n})`,
    ),
    fc.tuple(oneOf(['add', 'sub', 'mul']), f, f, oneOf(parts)).map(
      ([operation, dst, src, n]): Line =>
        () =>
          `${operation}Columns(${dst}, ${src}, weights, ${n})`,
    ),
  ]
}

/** Single elements, by their number. */
const elements = ({ isRows }: Extents): fc.Arbitrary<Line>[] => [
  fc.tuple(oneOf(kinds.f.names), number).map(
    ([name, value]): Line =>
      (id) =>
        `set(single, 1, get(${name}, 0))\nconst g${id} = get(single, 1)\nset(${name}, 0, g${id} * 0.5 + ${value})`,
  ),
  fc.tuple(oneOf(kinds.f.names), number).map(
    ([name, value]): Line =>
      () =>
        `set(${name}, ${isRows ? 'n * D - 1' : 'n - 1'}, ${value})`,
  ),
]

/** Lines in blocks. */
function nested(x: readonly DType[], lines: fc.Arbitrary<Line>): fc.Arbitrary<Line>[] {
  const test = fc.constantFrom('core === 0', 'n > 3', 'k > 2', 'e < 1.0', 'there && k !== 3')
  const fixed = fc
    .tuple(oneOf(xTypes), oneOf(xTypes), oneOf(['A', '!(A)', 'A || B', '!(A) && !(B)']))
    .map(([a, b, form]) => form.replace('A', `x.dtype === '${a}'`).replace('B', `x.dtype === '${b}'`))
  const isKnown = fc.constantFrom(...x).map((type) => `x.dtype === '${type}'`)
  return [
    fc.tuple(fc.oneof(test, fixed, isKnown), lines, lines).map(
      ([condition, yes, no]): Line =>
        (id) =>
          `if (${condition}) {\n${yes(id * 2 + 1000)}\n} else {\n${no(id * 2 + 1001)}\n}`,
    ),
    fc.tuple(oneOf(['range(3)', 'range(1, k)', 'range(0, 5, 2)']), lines, oneOf(kinds.f.names)).map(
      ([range, line, name]): Line =>
        (id) =>
          `let c${id} = 0.5\nfor (const j${id} of ${range}) {\n${line(id * 2 + 1000)}\nc${id} = c${id} * 2.0 + float(j${id})\n}\nset(${name}, 0, c${id})`,
    ),
  ]
}

/** Any line of a program whose x has these types, and that has these kinds of buffers. */
export function linesOf(
  { x, kinds: drawn }: { readonly x: readonly DType[]; readonly kinds: readonly Kind[] },
  extents: Extents,
): fc.Arbitrary<Line> {
  const part = oneOf(extents.parts)
  const flat = fc.oneof(
    {
      arbitrary: fc.oneof(
        ...drawn.flatMap((kind) => (['f', 'h', 'w', 's'].includes(kind) ? arithmetic(kind, part) : [])),
      ),
      weight: 3,
    },
    { arbitrary: fc.oneof(...fractions('f', part), ...(drawn.includes('h') ? fractions('h', part) : [])), weight: 3 },
    { arbitrary: fc.oneof(...casts(drawn, part)), weight: 4 },
    { arbitrary: fc.oneof(...masks(drawn, extents)), weight: 2 },
    { arbitrary: fc.oneof(...reductions(extents)), weight: 2 },
    { arbitrary: fc.oneof(...elements(extents)), weight: 1 },
    ...(!extents.isRows && drawn.includes('w')
      ? [
          {
            arbitrary: fc.constant<Line>(() => 'arange(w0, 0, n)\nmins(w0, w0, 5, n)\ngather(f1, f0, w0, n)'),
            weight: 1,
          },
        ]
      : []),
  )
  return fc.oneof({ arbitrary: flat, weight: 6 }, { arbitrary: fc.oneof(...nested(x, flat)), weight: 1 })
}
