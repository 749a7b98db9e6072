import * as fc from 'fast-check'
import type { DType } from '../model/index.ts'

// Programs drawn at random, for tests, of what looks beyond one element: down columns, along rows, under windows, at other cores.

export interface DrawnWideProgram {
  readonly text: (name: string) => string
  readonly dtype: Extract<DType, 'float32'>
  readonly shape: number[]
  readonly resultShape: number[]
  /** repeated to fill the input */
  readonly values: number[]
}

const buffers = ['f0', 'f1', 'f2'] as const
const fold = fc.constantFrom('Sum', 'Max')
const anyFold = fc.constantFrom('Sum', 'Product', 'Max', 'Min')

/** A destination, and a source that is another buffer. */
const apart = fc.shuffledSubarray([...buffers], { minLength: 2, maxLength: 2 }).map(([dst, src]) => ({ dst, src }))

const window = fc.record({ size: fc.integer({ min: 1, max: 9 }), first: fc.integer({ min: -3, max: 1 }) })

const columns = fc
  .tuple(anyFold, apart)
  .map(([name, { dst, src }]) => [
    `column${name}(columns, ${src}, [n, D])`,
    `mulColumns(${dst}, ${src}, columns, [n, D])`,
  ])

const running = fc
  .tuple(fc.constantFrom('Sum', 'Product'), apart, fc.constantFrom('forward', 'backward'))
  .map(([name, { dst, src }, direction]) => [`running${name}(${dst}, ${src}, [n, D], '${direction}')`])

const picked = fc
  .tuple(apart, fc.constantFrom('0', 'D - 1', 'D / 2'))
  .map(([{ dst, src }, column]) => [`pick(sums, ${src}, ${column}, [n, D])`, `addRows(${dst}, ${src}, sums, [n, D])`])

const windows = fc
  .tuple(fold, apart, window, fc.constantFrom<[string, string]>(['1', 'D'], ['2', 'places']))
  .map(([name, { dst, src }, { size, first }, [step, width]]) => [
    `window${name}(${dst}, ${src}, ${size}, ${step}, ${first}, D, [n, ${width}])`,
  ])

const windowRows = fc
  .tuple(fold, apart, window, fc.constantFrom<[string, string]>(['1', 'n'], ['2', '(n + 1) / 2']))
  .map(([name, { dst, src }, { size, first }, [step, height]]) => [
    `windowRows${name}(${dst}, ${src}, ${size}, ${step}, ${first}, n, [${height}, D])`,
  ])

const plain = fc
  .tuple(fc.constantFrom('add', 'sub', 'max'), fc.constantFrom(...buffers), apart)
  .map(([name, dst, { dst: a, src: b }]) => [`${name}(${dst}, ${a}, ${b}, [n, D])`])

const line = fc.oneof(columns, running, picked, windows, windowRows, plain)

const values = fc.array(fc.constantFrom(0, -0, 1, -1, 0.1, -2.5, 0.75, 1e-3, 1.25, -0.5), {
  minLength: 5,
  maxLength: 40,
})

/** A program of rows of float32, each with a row of results, and one more that all cores have made; with a problem for it. */
export const drawnWideProgram: fc.Arbitrary<DrawnWideProgram> = fc
  .record({
    lines: fc.array(line, { minLength: 2, maxLength: 6 }),
    across: fc.constantFrom('Sum', 'Max', 'Min'),
    rows: fc.integer({ min: 1, max: 24 }),
    // around one piece of a running sum, one block, one repeat
    width: fc.constantFrom(1, 2, 7, 8, 9, 16, 17, 63, 64, 65, 129, 200, 700),
    values,
  })
  .map(({ lines, across, rows, width, values: drawn }) => programOf(lines.flat(), across, [rows, width], drawn))

const programOf = (
  lines: string[],
  across: string,
  [rows, width]: [number, number],
  drawn: number[],
): DrawnWideProgram => ({
  text: (name) => textOf(name, lines, across),
  dtype: 'float32',
  shape: [rows, width],
  resultShape: [rows + 1, width],
  values: drawn,
})

const textOf = (
  name: string,
  lines: readonly string[],
  across: string,
): string => `import { operator } from 'vitest-npu/dsl'
export default operator({
  name: '${name}',
  inputs: { x: tensor('float32', ['R', 'D']) },
  outputs: { y: tensor('float32', ['S', 'D']) },
  host({ x }, { cores }) {
    const D = x.shape(-1)
    const places = (D + 1) / 2
    const rows = x.size / D
    const share = ceilDiv(rows, min(cores, 3))
    const tile = fit(min(share, 6))
    return { blockDim: ceilDiv(rows, share), rows, share, tile, D, places }
  },
  kernel({ x, y }, { rows, share, tile, D, places }, core) {
    const xs = buffer('float32', [tile, D])
    const ys = buffer('float32', [tile, D])
    const f0 = buffer('float32', [tile, D])
    const f1 = buffer('float32', [tile, D])
    const f2 = buffer('float32', [tile, D])
    const sums = buffer('float32', tile)
    const columns = buffer('float32', D)
    const total = buffer('float32', D)
    const last = buffer('float32', D)
    compute(() => duplicate(total, 0.5, D))
    const end = min((core + 1) * share, rows)
    for (const row of range(core * share, end, tile)) {
      const n = min(tile, end - row)
      copyIn(() => load(xs, x, row * D, [n, D]))
      compute(() => {
        cast(f0, xs, [n, D])
        muls(f1, f0, 0.75, [n, D])
        adds(f2, f0, 1, [n, D])
        pick(sums, f2, places - 1, [n, D])
        subRows(f2, f2, sums, [n, D])
        ${lines.join('\n        ')}
        add(ys, f0, f1, [n, D])
        sub(ys, ys, f2, [n, D])
        columnSum(columns, ys, [n, D])
        add(total, total, columns, D)
      })
      copyOut(() => store(y, row * D, ys, [n, D]))
    }
    for (const i of range(3)) {
      compute(() => allReduce${across}(total, total, D + 0 * i))
    }
    if (core === 0) {
      compute(() => cast(last, total, D))
      copyOut(() => store(y, rows * D, last, D))
    }
  },
})
`

const tightHead = (name: string): string => `import { operator } from 'vitest-npu/dsl'
export default operator({
  name: '${name}',
  inputs: { x: tensor('float32', ['R', 'D']) },
  outputs: { y: tensor('float32', ['S', 'D']) },
`

/** One call on rows, and nothing else that works in memory. */
const tightRows = (call: string, shape: [number, number]): DrawnWideProgram => ({
  text: (name) => `${tightHead(name)}  host({ x }) {
    return { blockDim: 1, n: x.shape(0), D: x.shape(1) }
  },
  kernel({ x, y }, { n, D }) {
    const xs = buffer('float32', [n, D], { depth: 1 })
    const ys = buffer('float32', [n, D], { depth: 1 })
    copyIn(() => load(xs, x, 0, [n, D]))
    compute(() => ${call})
    copyOut(() => store(y, 0, ys, [n, D]))
  },
})
`,
  dtype: 'float32',
  shape,
  resultShape: shape,
  values: [1, -0.5, 3],
})

/** A row of each core, and what they come to. */
const tightCores = (shape: [number, number]): DrawnWideProgram => ({
  text: (name) => `${tightHead(name)}  host({ x }) {
    return { blockDim: x.shape(0), D: x.shape(1) }
  },
  kernel({ x, y }, { D }, core) {
    const xs = buffer('float32', D, { depth: 1 })
    const total = buffer('float32', D)
    const ys = buffer('float32', D, { depth: 1 })
    copyIn(() => load(xs, x, core * D, D))
    compute(() => allReduceSum(total, xs, D))
    if (core === 0) {
      compute(() => cast(ys, total, D))
      copyOut(() => store(y, 0, ys, D))
    }
  },
})
`,
  dtype: 'float32',
  shape,
  resultShape: [1, shape[1]],
  values: [1, -0.5, 3],
})

/** Programs of one core whose calls need all of the memory that they are given to work in, or leave a part of each row as it is. */
export const tightPrograms: readonly DrawnWideProgram[] = [
  tightRows('runningSum(ys, xs, [n, D])', [2, 1153]),
  tightRows('windowSum(ys, xs, 7, 1, -3, D, [n, D])', [7, 700]),
  tightRows('{\ncast(ys, xs, [n, D])\nwindowSum(ys, xs, 3, 2, -1, D, [n, 4])\n}', [3, 20]),
  tightRows('{\ncast(ys, xs, [n, D])\nwindowRowsSum(ys, xs, 3, 1, -1, n, [n, 5])\n}', [4, 20]),
]

/** The same of all cores. */
export const tightProgramOfCores = tightCores([48, 160])
