import * as fc from 'fast-check'
import type { DType } from '../model/index.ts'

// Programs drawn at random, for tests: well-typed ones of three float32 buffers and a mask, and texts that are hardly ever right.

export interface DrawnProgram {
  text: string
  dtype: Extract<DType, 'float32'>
  shape: number[]
  /** repeated to fill the input */
  values: number[]
  /** the shape of the result, where it is not three times that of the input */
  resultShape?: number[]
}

const buffers = ['f0', 'f1', 'f2'] as const
const buffer = fc.constantFrom(...buffers)
const number = fc.constantFrom('0.5', '-1.5', '2', '0', '-0.125', '3.25')
const relation = fc.constantFrom('lt', 'gt', 'le', 'ge', 'eq', 'ne')

type Line = (extent: string, isRows: boolean) => string

const line = <T extends unknown[]>(
  arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
  of: (given: T, extent: string) => string,
): fc.Arbitrary<Line> => fc.tuple<T>(...arbitraries).map((given) => (extent: string) => of(given, extent))

const binary = line<[string, string, string, string]>(
  [fc.constantFrom('add', 'sub', 'mul', 'div', 'max', 'min'), buffer, buffer, buffer],
  ([name, dst, a, b], extent) => `${name}(${dst}, ${a}, ${b}, ${extent})`,
)
const unary = line<[string, string, string]>(
  [fc.constantFrom('abs', 'sqrt', 'relu'), buffer, buffer],
  ([name, dst, src], extent) => `${name}(${dst}, ${src}, ${extent})`,
)
const scalar = line<[string, string, string, string]>(
  [fc.constantFrom('adds', 'muls', 'maxs', 'mins', 'leakyRelu'), buffer, buffer, number],
  ([name, dst, src, value], extent) => `${name}(${dst}, ${src}, ${value}, ${extent})`,
)
const filled = line<[string, string]>(
  [buffer, number],
  ([dst, value], extent) => `duplicate(${dst}, ${value}, ${extent})`,
)
const chosen = line<[string, string, string, string, string]>(
  [buffer, buffer, buffer, relation, number],
  ([dst, a, b, is, value], extent) =>
    `compares(bits, ${a}, ${value}, '${is}', ${extent})\n        select(${dst}, bits, ${a}, ${b}, ${extent})`,
)
const inverted = line<[string, string]>([buffer, fc.constantFrom(...buffers)], ([dst, src], extent) =>
  dst === src ? `abs(${dst}, ${src}, ${extent})` : `reciprocal(${dst}, ${src}, ${extent})`,
)
const whole = line<[string, string]>(
  [buffer, buffer],
  ([dst, src], extent) => `cast(whole, ${src}, ${extent})\n        cast(${dst}, whole, ${extent})`,
)
const spread = (name: string): fc.Arbitrary<Line> =>
  line<[string, string, string]>(
    [fc.constantFrom('add', 'sub', 'mul', 'div'), buffer, buffer],
    ([operation, dst, src], extent) =>
      `${name}(sums, ${src}, ${extent})\n        ${operation}Rows(${dst}, ${src}, sums, ${extent})`,
  )
const columns = line<[string, string, string]>(
  [fc.constantFrom('add', 'sub', 'mul'), buffer, buffer],
  ([operation, dst, src], extent) => `${operation}Columns(${dst}, ${src}, weights, ${extent})`,
)

const anyLine = fc.oneof(binary, unary, scalar, filled, chosen, inverted, whole)
const rowLine = fc.oneof(anyLine, spread('rowSum'), spread('rowMax'), spread('rowMin'), columns)

const values = fc.array(fc.constantFrom(0, -0, 1, -1, 0.1, -2.5, 3, 1e-3, 7.75, -12, 100.5, 1e4), {
  minLength: 5,
  maxLength: 40,
})

const flat = fc.record({
  lines: fc.array(anyLine, { minLength: 3, maxLength: 9 }),
  size: fc.integer({ min: 1, max: 3000 }),
  values,
})
const rowed = fc.record({
  lines: fc.array(rowLine, { minLength: 3, maxLength: 9 }),
  rows: fc.integer({ min: 1, max: 30 }),
  // one lane, around one and two repeats, and rows too wide for strides of a repeat
  width: fc.constantFrom(1, 8, 63, 64, 65, 100, 130, 257, 1000, 2100),
  values,
})

/** A program of one input and one output of float32, with a problem for it. */
export const drawnProgram: fc.Arbitrary<DrawnProgram> = fc.oneof(
  flat.map(({ lines, size, values: drawn }) => ({
    text: flatText(lines),
    dtype: 'float32' as const,
    shape: [size],
    values: drawn,
  })),
  rowed.map(({ lines, rows, width, values: drawn }) => ({
    text: rowText(lines),
    dtype: 'float32' as const,
    shape: [rows, width],
    values: drawn,
  })),
)

const head = `import { operator } from 'vitest-npu/dsl'
export default operator({
  name: 'Drawn',
  inputs: { x: tensor('float32', ['...rows', 'D']) },
  outputs: { y: tensor('float32', [3, '...rows', 'D']) },
`

function flatText(lines: readonly Line[]): string {
  return `${head}  host({ x }, { cores }) {
    const share = ceilDiv(x.size, min(cores, 3))
    const tile = min(fit0, share)
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile }
  },
  kernel({ x, y }, { size, share, tile }, core) {
    const xs = buffer('float32', tile)
    const y0 = buffer('float32', tile)
    const y1 = buffer('float32', tile)
    const y2 = buffer('float32', tile)
    const whole = buffer('int32', tile)
    const bits = mask(tile)
    const f0 = buffer('float32', tile)
    const f1 = buffer('float32', tile)
    const f2 = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xs, x, at, n))
      compute(() => {
        cast(f0, xs, n)
        muls(f1, f0, 0.75, n)
        duplicate(f2, 2, n)
        ${lines.map((each) => each('n', false)).join('\n        ')}
        ${results('n')}
      })
      copyOut(() => {
        store(y, at, y0, n)
        store(y, size + at, y1, n)
        store(y, 2 * size + at, y2, n)
      })
    }
  },
})
`.replace('min(fit0, share)', 'fit(min(share, 700))')
}

/** All buffers are results; nothing is unused, whatever was drawn. */
const results = (extent: string): string =>
  [
    `cast(whole, f1, ${extent})`,
    `compare(bits, f1, f2, 'lt', ${extent})`,
    ...buffers.map((name, i) => `cast(y${i}, ${name}, ${extent})`),
  ].join('\n        ')

function rowText(lines: readonly Line[]): string {
  return `${head}  host({ x }, { cores }) {
    const D = x.shape(-1)
    const rows = x.size / D
    const share = ceilDiv(rows, min(cores, 3))
    const tile = fit(min(share, 7))
    return { blockDim: ceilDiv(rows, share), rows, share, tile, D }
  },
  kernel({ x, y }, { rows, share, tile, D }, core) {
    const xs = buffer('float32', [tile, D])
    const y0 = buffer('float32', [tile, D])
    const y1 = buffer('float32', [tile, D])
    const y2 = buffer('float32', [tile, D])
    const whole = buffer('int32', [tile, D])
    const bits = mask([tile, D])
    const f0 = buffer('float32', [tile, D])
    const f1 = buffer('float32', [tile, D])
    const f2 = buffer('float32', [tile, D])
    const sums = buffer('float32', tile)
    const weights = buffer('float32', D)
    compute(() => duplicate(weights, 1.25, D))
    const end = min((core + 1) * share, rows)
    for (const row of range(core * share, end, tile)) {
      const n = min(tile, end - row)
      copyIn(() => load(xs, x, row * D, [n, D]))
      compute(() => {
        cast(f0, xs, [n, D])
        muls(f1, f0, 0.75, [n, D])
        rowSum(sums, f1, [n, D])
        addRows(f2, f0, sums, [n, D])
        ${lines.map((each) => each('[n, D]', true)).join('\n        ')}
        rowSum(sums, f0, [n, D])
        addColumns(f1, f1, weights, [n, D])
        ${results('[n, D]')}
      })
      copyOut(() => {
        store(y, row * D, y0, [n, D])
        store(y, (rows + row) * D, y1, [n, D])
        store(y, (2 * rows + row) * D, y2, [n, D])
      })
    }
  },
})
`
}

/** A right program with a word taken out, doubled or exchanged, or with a stretch of it gone. */
export const illTyped: fc.Arbitrary<string> = fc
  .tuple(
    drawnProgram,
    fc.nat(),
    fc.nat(),
    fc.constantFrom('gone', 'doubled', 'exchanged', 'cut', 'number', 'noise'),
    fc.string(),
  )
  .map(([{ text }, first, second, edit, noise]) => {
    const words = text.split(/\b/)
    const [a, b] = [first % words.length, second % words.length]
    if (edit === 'gone') words.splice(a, 1)
    else if (edit === 'doubled') words.splice(a, 0, words[a]!)
    else if (edit === 'exchanged') [words[a], words[b]] = [words[b]!, words[a]!]
    else if (edit === 'cut') words.splice(Math.min(a, b), Math.abs(a - b) % 40)
    else if (edit === 'number') words[a] = '1e400'
    else words.splice(a, 0, noise)
    return words.join('')
  })
