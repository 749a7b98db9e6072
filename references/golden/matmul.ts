import { decode, toFloat64, type GoldenBlocks, type Tensor } from 'vitest-npu'
import { DEPTH, multiplyAdd, PANEL } from './multiply-add.ts'

/**
 * A matrix within a tensor: element (i, j) is number `start + i * stride + j` of its data, or `start + j * stride + i`
 * when it is stored transposed.
 */
export interface Matrix {
  readonly tensor: Tensor
  readonly start: number
  readonly stride: number
  readonly transposed?: boolean
}

/** Extents of a product: [m, k] times [k, n]. */
export interface Extents {
  readonly m: number
  readonly k: number
  readonly n: number
}

/** A result in the making, row-major; the scale of element (i, j) is rows[i] * columns[j] and whatever was added. */
interface Sheet {
  readonly values: Float64Array
  readonly rows: Float64Array
  readonly columns: Float64Array
  added?: Float64Array
}

/** One matrix of a result: its number of elements and how to compute it. */
interface Part {
  readonly length: number
  readonly compute: () => Sheet
}

/** What is added to a product: alpha * a b + beta * c; c has the shape of the product, or of one row that all rows share. */
export interface Addend {
  readonly alpha?: number
  readonly beta?: number
  readonly c: Tensor
  readonly start?: number
  readonly length?: number
}

/** Factors of the columns and rows of an integer product. */
interface Factors {
  readonly columns: Float64Array
  readonly rows: Float64Array
}

/** a [m, k] times b [k, n], both row-major; with `addend`, alpha * a b + beta * c. */
export function matmul(a: Tensor, b: Tensor, addend?: Addend): GoldenBlocks {
  const extents = { m: a.shape[0]!, k: a.shape[1]!, n: b.shape[1] ?? 1 }
  return successive([part(whole(a, extents.k), whole(b, extents.n), extents, addend)])
}

/** a [batch, m, k] times b [batch, k, n]. */
export function batchedMatmul(a: Tensor, b: Tensor): GoldenBlocks {
  const [batch, m, k, n] = [a.shape[0]!, a.shape[1]!, a.shape[2]!, b.shape[2]!]
  return successive(
    Array.from({ length: batch }, (_, t) =>
      part({ tensor: a, start: t * m * k, stride: k }, { tensor: b, start: t * k * n, stride: n }, { m, k, n }),
    ),
  )
}

/** alpha[g] * a_g b_g + beta[g] * c_g of matrices that lie one after the other in flat tensors. */
export function groupGemm(
  [a, b, c]: readonly [Tensor, Tensor, Tensor],
  [alpha, beta]: readonly [Tensor, Tensor],
  groups: readonly Extents[],
): GoldenBlocks {
  const [alphas, betas] = [toFloat64(alpha), toFloat64(beta)]
  let [inA, inB, inC] = [0, 0, 0]
  return successive(
    groups.map((extents, g) => {
      const { m, k, n } = extents
      const addend = { alpha: alphas[g]!, beta: betas[g]!, c, start: inC, length: m * n }
      const result = part({ tensor: a, start: inA, stride: k }, { tensor: b, start: inB, stride: n }, extents, addend)
      inA += m * k
      inB += k * n
      inC += m * n
      return result
    }),
  )
}

/**
 * Group g multiplies the rows of a [m, k] from the end of the group before up to ends[g] with b[g] of [G, k, n]; with
 * `scales`, columns are multiplied by scales[0][g], rows by their own factor of scales[1].
 */
export function sliceM(a: Tensor, b: Tensor, ends: Tensor, scales?: readonly [Tensor, Tensor]): GoldenBlocks {
  const [k, n] = [a.shape[1]!, b.shape[2]!]
  return successive(
    slices(ends).map(([from, to], g) => {
      const extents = { m: to - from, k, n }
      const left = { tensor: a, start: from * k, stride: k }
      const right = { tensor: b, start: g * k * n, stride: n }
      return part(left, right, extents, undefined, scales && factorsAt(scales, [g * n, n], [from, to - from]))
    }),
  )
}

/**
 * Group g multiplies the columns of a with the rows of b [k, n] from the end of the group before up to ends[g]. The shape
 * of a says [m, k], its memory holds the transpose. With `scales`, columns are multiplied by scales[0][g], rows by
 * scales[1][g].
 */
export function sliceK(a: Tensor, b: Tensor, ends: Tensor, scales?: readonly [Tensor, Tensor]): GoldenBlocks {
  const [m, n] = [a.shape[0]!, b.shape[1]!]
  return successive(
    slices(ends).map(([from, to], g) => {
      const extents = { m, k: to - from, n }
      const left = { tensor: a, start: from * m, stride: m, transposed: true }
      const right = { tensor: b, start: from * n, stride: n }
      return part(left, right, extents, undefined, scales && factorsAt(scales, [g * n, n], [g * m, m]))
    }),
  )
}

/** An integer product whose columns are multiplied by `scale` [n] and whose rows by `perToken` [m]. */
export function quantMatmul(a: Tensor, b: Tensor, scale: Tensor, perToken: Tensor): GoldenBlocks {
  const extents = { m: a.shape[0]!, k: a.shape[1]!, n: b.shape[1]! }
  const factors = { columns: toFloat64(scale), rows: toFloat64(perToken) }
  return successive([part(whole(a, extents.k), whole(b, extents.n), extents, undefined, factors)])
}

const whole = (tensor: Tensor, stride: number): Matrix => ({ tensor, start: 0, stride })

function slices(ends: Tensor): [from: number, to: number][] {
  const positions = toFloat64(ends)
  return [...positions].map((end, g) => [g === 0 ? 0 : positions[g - 1]!, end])
}

type Range = readonly [start: number, length: number]

function factorsAt([columns, rows]: readonly [Tensor, Tensor], ofColumns: Range, ofRows: Range): Factors {
  return { columns: section(columns, ...ofColumns), rows: section(rows, ...ofRows) }
}

function section(tensor: Tensor, start: number, length: number): Float64Array {
  const values = new Float64Array(length)
  decode(tensor, start, values)
  return values
}

const part = (a: Matrix, b: Matrix, extents: Extents, addend?: Addend, factors?: Factors): Part => ({
  length: extents.m * extents.n,
  compute() {
    const sheet = product(a, b, extents)
    if (addend) add(sheet, addend)
    if (factors) multiplyBy(sheet, factors)
    return sheet
  },
})

function add(sheet: Sheet, { alpha = 1, beta = 1, c, start = 0, length = c.data.length }: Addend): void {
  const { values, rows } = sheet
  const added = section(c, start, length)
  for (let i = 0; i < length; i++) added[i] = beta * added[i]!
  for (let i = 0; i < values.length; i += length) {
    for (let j = 0; j < length; j++) values[i + j] = alpha * values[i + j]! + added[j]!
  }
  for (let i = 0; i < rows.length; i++) rows[i] = Math.abs(alpha) * rows[i]!
  sheet.added = added
}

function multiplyBy({ values, ...lengths }: Sheet, { columns, rows }: Factors): void {
  eachRun(columns.length, 0, values.length, (row, _, at, count) => {
    const factor = rows[row]!
    for (let j = 0; j < count; j++) values[at + j] = values[at + j]! * columns[j]! * factor
  })
  for (const [length, factors] of [
    [lengths.rows, rows],
    [lengths.columns, columns],
  ] as const)
    for (let i = 0; i < length.length; i++) length[i] = Math.abs(factors[i]!) * length[i]!
}

/** Elements of parts that are kept once they were computed. */
const KEPT = 2 ** 22

// Results that lie one after the other, each computed when the comparison gets there.
function successive(parts: readonly Part[]): GoldenBlocks {
  const starts = [0]
  for (const { length } of parts) starts.push(starts.at(-1)! + length)
  const sheets = new Map<number, Sheet>()
  const sheetOf = (index: number): Sheet => {
    let sheet = sheets.get(index)
    if (!sheet) {
      if ([...sheets.keys()].reduce((sum, key) => sum + parts[key]!.length, 0) > KEPT) sheets.clear()
      sheets.set(index, (sheet = parts[index]!.compute()))
    }
    return sheet
  }
  // Calls `visit` for every part that a range reaches into.
  const walk = (
    start: number,
    length: number,
    visit: (sheet: Sheet, from: number, at: number, count: number) => void,
  ) => {
    const end = start + length
    for (let index = 0; index < parts.length && starts[index]! < end; index++) {
      const first = Math.max(start, starts[index]!)
      const last = Math.min(end, starts[index + 1]!)
      if (first < last) visit(sheetOf(index), first - starts[index]!, first - start, last - first)
    }
  }
  return {
    length: starts.at(-1)!,
    block(start, values) {
      walk(start, values.length, (sheet, from, at, count) => values.set(sheet.values.subarray(from, from + count), at))
    },
    scaleBlock(start, scale) {
      walk(start, scale.length, (sheet, from, at, count) => scaleOf(sheet, from, scale.subarray(at, at + count)))
    },
  }
}

function scaleOf({ rows, columns, added }: Sheet, from: number, scale: Float64Array): void {
  eachRun(columns.length, from, scale.length, (row, column, at, count) => {
    const length = rows[row]!
    for (let j = 0; j < count; j++) scale[at + j] = length * columns[column + j]!
  })
  if (!added) return
  for (let i = 0; i < scale.length; i++) scale[i]! += Math.abs(added[(from + i) % added.length]!)
}

type VisitRun = (row: number, column: number, at: number, count: number) => void

// Cuts `count` elements of a matrix with n columns, number `from` the first, at the ends of rows.
function eachRun(n: number, from: number, count: number, visit: VisitRun): void {
  for (let at = 0; at < count;) {
    const row = Math.floor((from + at) / n)
    const column = from + at - row * n
    const run = Math.min(n - column, count - at)
    visit(row, column, at, run)
    at += run
  }
}

/**
 * a times b in float64: products of 16-bit floats and of integers are exact, sums good to 2^-53 per term. Operands are
 * decoded block by block. `rows` and `columns` are Euclidean lengths, whose product bounds the sum of |products|.
 */
export function product(a: Matrix, b: Matrix, { m, k, n }: Extents): Sheet {
  const sheet = { values: new Float64Array(m * n), rows: new Float64Array(m), columns: new Float64Array(n) }
  const left = new Float64Array(m * Math.min(k, DEPTH))
  const right = new Float64Array(PANEL * Math.min(k, DEPTH))
  for (let p = 0; p < k; p += DEPTH) {
    const depth = Math.min(DEPTH, k - p)
    pack(a, { line: 0, lines: m, from: p, count: depth }, left)
    addSquares(left, depth, sheet.rows, 0, m)
    for (let j = 0; j < n; j += PANEL) {
      const width = Math.min(PANEL, n - j)
      pack(turned(b), { line: j, lines: width, from: p, count: depth }, right)
      addSquares(right, depth, sheet.columns, j, width)
      multiplyAdd({ data: left, stride: depth }, { data: right, stride: depth }, m, width, depth, {
        data: sheet.values,
        start: j,
        stride: n,
      })
    }
  }
  for (const lengths of [sheet.rows, sheet.columns]) {
    for (let i = 0; i < lengths.length; i++) lengths[i] = Math.sqrt(lengths[i]!)
  }
  return sheet
}

const turned = (matrix: Matrix): Matrix => ({ ...matrix, transposed: !matrix.transposed })

interface Window {
  /** first line and number of lines */
  readonly line: number
  readonly lines: number
  /** first element of each line and number of elements */
  readonly from: number
  readonly count: number
}

/** Decodes part of a matrix, line after line, into the start of `into`. */
export function pack({ tensor, start, stride, transposed }: Matrix, window: Window, into: Float64Array): void {
  const { line, lines, from, count } = window
  if (!transposed) {
    for (let i = 0; i < lines; i++) {
      decode(tensor, start + (line + i) * stride + from, into.subarray(i * count, (i + 1) * count))
    }
    return
  }
  const across = new Float64Array(lines)
  for (let p = 0; p < count; p++) {
    decode(tensor, start + (from + p) * stride + line, across)
    for (let i = 0; i < lines; i++) into[i * count + p] = across[i]!
  }
}

function addSquares(lines: Float64Array, width: number, sums: Float64Array, from: number, count: number): void {
  for (let i = 0; i < count; i++) {
    let sum = 0
    for (let p = i * width; p < (i + 1) * width; p++) sum += lines[p]! * lines[p]!
    sums[from + i]! += sum
  }
}
