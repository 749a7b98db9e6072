import * as fc from 'fast-check'
import type { DType } from '../model/index.ts'
import {
  flatExtents,
  linesOf,
  namesOf,
  rowExtents,
  xTypes,
  type Extents,
  type Kind,
  type Line,
} from './random-lines.ts'

// Programs drawn at random, for tests: well-typed ones, some of one interface together, and texts that are hardly ever right.

const more: readonly Kind[] = ['h', 'w', 's', 'b', 'u', 'i', 'l']

/** What a cast of float32 makes. */
const qTypes = ['float16', 'bfloat16', 'float32', 'int32', 'int16', 'int64'] as const

/** What the programs of one batch have in common. */
export interface DrawnInterface {
  /** types of x and of what is copied from it, in each dtype column */
  readonly x: readonly DType[]
  /** types of an output that is cast from float32 */
  readonly q: readonly DType[]
  /** does the optional input stand before the other one? */
  readonly isOptionalFirst: boolean
  /** kinds of scratch buffers, each of which is an output */
  readonly kinds: readonly Kind[]
}

/** Outputs of a batch by name, with their types in each column. */
export const outputsOf = ({ x, q, kinds: drawn }: DrawnInterface): [name: string, dtypes: readonly DType[]][] => [
  ['v', x],
  ['q', q],
  ...namesOf(drawn).map(([name, dtype]): [string, readonly DType[]] => [`${name}o`, [dtype]]),
]

/** A program of an interface, with a problem for it. */
export interface DrawnProgram {
  readonly text: (name: string) => string
  readonly shape: number[]
  /** repeated to fill the inputs */
  readonly values: number[]
  /** is the optional input there? */
  readonly isGiven: boolean
  readonly k: number
  readonly e: number
  readonly cores: number
  /** a share of it, so that tiles are as large as memory lets them be */
  readonly unifiedBuffer: number
}

export interface DrawnBatch {
  readonly shape: DrawnInterface
  readonly programs: DrawnProgram[]
}

const listOf = (types: readonly DType[]): string => `[${types.map((each) => `'${each}'`).join(', ')}]`

const head = (name: string, { x, isOptionalFirst }: DrawnInterface, shape: DrawnInterface): string => {
  const z = "z: optional(tensor('float32', ['...rows', 'D'])),"
  return `import { operator } from 'vitest-npu/dsl'
const STEP = 1.0
export default operator({
  name: '${name}',
  inputs: {
    ${isOptionalFirst ? z : ''}
    x: tensor(${listOf(x)}, ['...rows', 'D']),
    ${isOptionalFirst ? '' : z}
  },
  outputs: {
    v: tensor.like('x'),
    ${outputsOf(shape)
      .slice(1)
      .map(([output, types]) => `${output}: tensor(${listOf(types)}, ['...rows', 'D']),`)
      .join('\n    ')}
  },
  attrs: { k: attr.int(), e: attr.float() },
`
}

/** Makes float32 of x, whatever it is. */
const widening = (n: string): string =>
  `if (x.dtype === 'int8' || x.dtype === 'uint8' || x.dtype === 'bool') {
cast(hx, xs, ${n})
cast(f0, hx, ${n})
if (x.dtype === 'bool') {
adds(f0, f0, STEP / 2, ${n})
}
} else {
cast(f0, xs, ${n})
}`

/** Every buffer begins with something. */
const beginnings = (drawn: readonly Kind[], n: string): string =>
  [
    `muls(f1, f0, 0.75, ${n})`,
    `duplicate(f2, 2, ${n})`,
    `cast(hx, f1, ${n})`,
    ...namesOf(drawn.filter((each) => each !== 'f')).map(([name, dtype]) =>
      dtype === 'int8' || dtype === 'uint8'
        ? `cast(${name}, hx, ${n})`
        : `cast(${name}, ${name.endsWith('0') ? 'f0' : 'f1'}, ${n})`,
    ),
  ].join('\n')

interface Body {
  readonly shape: DrawnInterface
  readonly lines: readonly Line[]
  readonly extents: Extents
  readonly depths: readonly number[]
}

/** The program of some lines: rows where their extents are. */
function textOf(name: string, { shape, lines, extents, depths }: Body): string {
  const { isRows, every } = extents
  const drawn = namesOf(shape.kinds)
  const size = isRows ? '[tile, D]' : 'tile'
  const depth = (i: number): string => (depths[i % depths.length] === 1 ? ', { depth: 1 }' : '')
  const at = isRows ? 'at * D' : 'at'
  return `${head(name, shape, shape)}  host({ x, z, k, e }, { cores }) {
    const D = x.shape(-1)
    const count = ${isRows ? 'x.size / D' : 'x.size'}
    const share = ceilDiv(count, min(cores, 3))
    const tile = fit(min(share, ${isRows ? 7 : 700}))
    return { blockDim: ceilDiv(count, share), count, share, tile, D, there: z.given, k, e }
  },
  kernel({ x, z, v, q, ${drawn.map(([each]) => `${each}o`).join(', ')} }, { count, share, tile, D, there, k, e }, core) {
    const xs = buffer(x.dtype, ${size}${depth(0)})
    const zs = buffer('float32', ${size}${depth(1)})
    const vs = buffer(v.dtype, ${size}${depth(2)})
    const qs = buffer(q.dtype, ${size}${depth(3)})
    const hx = buffer('float16', ${size})
    const bits = mask(${size})
    const more = mask(${size})
    const single = buffer('float32', 8)
    ${isRows ? "const sums = buffer('float32', tile)\n    const weights = buffer('float32', D)" : ''}
    ${drawn.map(([each, dtype], i) => `const ${each} = buffer('${dtype}', ${size})\n    const ${each}s = buffer('${dtype}', ${size}${depth(4 + i)})`).join('\n    ')}
    compute(() => {
      duplicate(single, STEP, 8)
      ${isRows ? 'duplicate(weights, 1.25, D)' : ''}
    })
    const end = min((core + 1) * share, count)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xs, x, ${at}, ${every}))
      compute(() => {
        ${widening(every)}
        ${beginnings(shape.kinds, every)}
        cast(vs, xs, ${every})
      })
      copyOut(() => store(v, ${at}, vs, ${every}))
      if (there) {
        compute(() => {
          set(single, 2, 2.0)
        })
        copyIn(() => load(zs, z, ${at} + int(get(single, 2)) - 2, ${every}))
        compute(() => {
          add(f1, f1, zs, ${every})
        })
      }
      compute(() => {
        compares(bits, f0, 0.0, 'lt', ${every})
        maskNot(more, bits, ${every})
        select(f2, more, f2, f0, ${every})
        ${isRows ? 'rowSum(sums, f1, [n, D])\naddColumns(f1, f1, weights, [n, D])\nreduceMax(single, f1, [n, D])\nadds(f2, f2, get(single, 0), [n, D])' : ''}
        ${lines.map((each, i) => each(i)).join('\n')}
        cast(qs, f0, ${every})
        ${drawn.map(([each]) => `cast(${each}s, ${each}, ${every})`).join('\n        ')}
      })
      copyOut(() => {
        store(q, ${at}, qs, ${every})
        ${drawn.map(([each]) => `store(${each}o, ${at}, ${each}s, ${every})`).join('\n        ')}
      })
    }
  },
})
`
}

const values = fc.array(
  fc.constantFrom(
    0,
    -0,
    1,
    -1,
    0.1,
    -2.5,
    3,
    1e-3,
    7.75,
    -12,
    100.5,
    1e4,
    0.5,
    -0.5,
    1.5,
    2.5,
    65504,
    -129,
    300,
    70000,
  ),
  { minLength: 5, maxLength: 40 },
)

function programOf(shape: DrawnInterface): fc.Arbitrary<DrawnProgram> {
  const problem = {
    values,
    isGiven: fc.boolean(),
    k: fc.integer({ min: 1, max: 5 }),
    e: fc.constantFrom(0.25, -3, 1e-3, 2),
    cores: fc.constantFrom(1, 2, 3, 20),
    unifiedBuffer: fc.constantFrom(1, 0.5, 0.25),
    depths: fc.array(fc.constantFrom(1, 2), { minLength: 1, maxLength: 5 }),
  }
  const flat = fc.record({
    ...problem,
    lines: fc.array(linesOf(shape, flatExtents), { minLength: 3, maxLength: 9 }),
    dims: fc.constantFrom([1], [5], [31], [64], [129], [700], [701], [1403], [2, 9], [3, 7, 41]),
  })
  const rowed = fc.record({
    ...problem,
    lines: fc.array(linesOf(shape, rowExtents), { minLength: 3, maxLength: 9 }),
    rows: fc.constantFrom(1, 2, 3, 8, 13, 24),
    // one lane, around one and two repeats, and rows too wide for strides of a repeat
    width: fc.constantFrom(
      1,
      7,
      8,
      16,
      31,
      32,
      33,
      63,
      64,
      65,
      100,
      130,
      257,
      1000,
      ...(shape.kinds.length === 1 ? [2100] : []),
    ),
  })
  return fc.oneof(
    flat.map(({ lines, dims, depths, ...rest }) => ({
      ...rest,
      shape: [...dims],
      text: (name: string) => textOf(name, { shape, lines, extents: flatExtents, depths }),
    })),
    rowed.map(({ lines, rows, width, depths, ...rest }) => ({
      ...rest,
      shape: width > 500 ? [Math.min(rows, 8), width] : [rows, width],
      text: (name: string) => textOf(name, { shape, lines, extents: rowExtents, depths }),
    })),
  )
}

/** Columns that differ in some type. Each is a build of its own, so that most interfaces have one. */
const drawnColumns = fc.oneof(
  ...[1, 1, 1, 2, 3].map((count) =>
    fc.uniqueArray(fc.tuple(fc.constantFrom(...xTypes), fc.constantFrom(...qTypes)), {
      minLength: count,
      maxLength: count,
      selector: (each) => each.join(),
    }),
  ),
)

const drawnInterface: fc.Arbitrary<DrawnInterface> = fc
  .record({
    columns: drawnColumns,
    isOptionalFirst: fc.boolean(),
    kinds: fc.subarray([...more], { maxLength: 2 }),
  })
  .map(({ columns, isOptionalFirst, kinds: drawn }) => ({
    x: columns.map(([x]) => x),
    q: columns.map(([, q]) => q),
    isOptionalFirst,
    kinds: [
      'f' as const,
      // of bytes there are none but by way of float16
      ...drawn,
    ],
  }))

/** As many programs, of one interface. */
export const drawnBatch = (size: number): fc.Arbitrary<DrawnBatch> =>
  drawnInterface.chain((shape) =>
    fc.array(programOf(shape), { minLength: size, maxLength: size }).map((programs) => ({ shape, programs })),
  )

const drawnText: fc.Arbitrary<string> = drawnBatch(1).map(({ programs }) => programs[0]!.text('Drawn'))

/** A right program with a word taken out, doubled or exchanged, or with a stretch of it gone. */
export const illTyped: fc.Arbitrary<string> = fc
  .tuple(
    drawnText,
    fc.nat(),
    fc.nat(),
    fc.constantFrom('gone', 'doubled', 'exchanged', 'cut', 'number', 'noise'),
    fc.string(),
  )
  .map(([text, first, second, edit, noise]) => {
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
