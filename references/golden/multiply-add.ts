import { DEPTH, dots, memoryBytes, PAIR, PANEL, rowBytes, STRIP, sumBytes } from './dot-products.ts'

export { DEPTH, PANEL }

/** Rows of equal length in an array. */
export interface Lines {
  readonly data: Float64Array
  readonly start?: number
  /** distance of two rows */
  readonly stride: number
}

/** Rows of a that are worked on at a time. */
const BLOCK = 64

/** Below this number of products, laying rows out anew costs more than it saves. */
const FEW = 4096

type Block = Required<Lines>

/** c[i, j] += the dot product of row i of a with row j of b, over `k` elements, for m rows of a and n rows of b. */
export function multiplyAdd(a: Lines, b: Lines, m: number, n: number, k: number, c: Lines): void {
  const [left, right, into] = [fromStart(a), fromStart(b), fromStart(c)] as const
  if (m * n * k < FEW) {
    for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) addDot(left, i, right, j, k, into)
    return
  }
  for (let p = 0; p < k; p += DEPTH) {
    const depth = Math.min(DEPTH, k - p)
    for (let j = 0; j < n; j += PANEL) {
      const columns = Math.min(PANEL, n - j)
      lay(part(right, j, p), columns, depth, rightRows)
      for (let i = 0; i < m; i += BLOCK) {
        const rows = Math.min(BLOCK, m - i)
        lay(part(left, i, p), rows, depth, leftRows)
        for (let row = 0; row < rows; row += STRIP) {
          dots(row * rowBytes, rightAt, sumsAt + row * sumBytes, Math.ceil(depth / 2) * 16, Math.ceil(columns / PAIR))
        }
        addSums(into, into.start + i * into.stride + j, rows, columns)
      }
    }
  }
}

// Where the module finds both sides, and leaves the sums.
const rightAt = BLOCK * rowBytes
const sumsAt = rightAt + PANEL * rowBytes
const memory = memoryBytes(sumsAt + BLOCK * sumBytes)
const leftRows = new Float64Array(memory, 0, BLOCK * DEPTH)
const rightRows = new Float64Array(memory, rightAt, PANEL * DEPTH)
const sums = new Float64Array(memory, sumsAt, BLOCK * PANEL)

const fromStart = (lines: Lines): Block => ({ start: 0, ...lines })

const part = (lines: Block, row: number, column: number): Block => ({
  ...lines,
  start: lines.start + row * lines.stride + column,
})

// Two elements are multiplied at a time: what lies beyond an odd number of them is zero.
function lay({ data, start, stride }: Block, rows: number, depth: number, target: Float64Array): void {
  for (let row = 0; row < rows; row++) {
    const at = start + row * stride
    target.set(data.subarray(at, at + depth), row * DEPTH)
    if (depth % 2 !== 0) target[row * DEPTH + depth] = 0
  }
}

function addSums(c: Block, at: number, rows: number, columns: number): void {
  for (let row = 0; row < rows; row++) {
    const [from, into] = [row * PANEL, at + row * c.stride]
    for (let column = 0; column < columns; column++) c.data[into + column]! += sums[from + column]!
  }
}

function addDot(a: Block, i: number, b: Block, j: number, k: number, c: Block): void {
  const left = a.start + i * a.stride
  const right = b.start + j * b.stride
  let sum = 0
  for (let p = 0; p < k; p++) sum += a.data[left + p]! * b.data[right + p]!
  c.data[c.start + i * c.stride + j]! += sum
}
