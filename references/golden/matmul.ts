import { toFloat64, type GoldenBlocks, type Tensor } from 'vitest-npu'

/**
 * a [m, k] times b [k, n], both row-major. Products of 16-bit floats are exact in float64, sums good to 2^-53 per term.
 * The scale of an element is |row of a| * |column of b| (Euclidean), an upper bound of its sum of |products|.
 */
export function matmul(a: Tensor, b: Tensor): GoldenBlocks {
  const [m, k] = [a.shape[0]!, a.shape[1]!]
  const n = b.shape[1]!
  const left = toFloat64(a)
  const right = transpose(toFloat64(b), k, n)
  const product = multiply(left, right, m, n, k)
  const rows = norms(left, m, k)
  const columns = norms(right, n, k)
  return {
    length: m * n,
    block: (start, values) => values.set(product.subarray(start, start + values.length)),
    scaleBlock(start, scale) {
      for (let i = 0; i < scale.length; i++) scale[i] = rows[Math.floor((start + i) / n)]! * columns[(start + i) % n]!
    },
  }
}

function transpose(values: Float64Array, rows: number, columns: number): Float64Array {
  const out = new Float64Array(values.length)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) out[column * rows + row] = values[row * columns + column]!
  }
  return out
}

/** Columns of b that stay in the second-level cache while all rows of a pass by. */
const PANEL = 64

// Dot products four by two at a time: eight running sums live in registers, six loads feed eight multiply-adds.
function multiply(a: Float64Array, bt: Float64Array, m: number, n: number, k: number): Float64Array {
  const c = new Float64Array(m * n)
  for (let panel = 0; panel < n; panel += PANEL) {
    const end = Math.min(n, panel + PANEL)
    let i = 0
    for (; i + 4 <= m; i += 4) {
      let j = panel
      for (; j + 2 <= end; j += 2) tile(a, bt, c, i, j, n, k)
      for (; j < end; j++) for (let row = i; row < i + 4; row++) c[row * n + j] = dot(a, row * k, bt, j * k, k)
    }
    for (; i < m; i++) for (let j = panel; j < end; j++) c[i * n + j] = dot(a, i * k, bt, j * k, k)
  }
  return c
}

function tile(a: Float64Array, bt: Float64Array, c: Float64Array, i: number, j: number, n: number, k: number): void {
  let [c00, c01, c10, c11, c20, c21, c30, c31] = [0, 0, 0, 0, 0, 0, 0, 0]
  const [a0, b0] = [i * k, j * k]
  const [a1, a2, a3, b1] = [a0 + k, a0 + 2 * k, a0 + 3 * k, b0 + k]
  for (let p = 0; p < k; p++) {
    const y0 = bt[b0 + p]!
    const y1 = bt[b1 + p]!
    const x0 = a[a0 + p]!
    c00 += x0 * y0
    c01 += x0 * y1
    const x1 = a[a1 + p]!
    c10 += x1 * y0
    c11 += x1 * y1
    const x2 = a[a2 + p]!
    c20 += x2 * y0
    c21 += x2 * y1
    const x3 = a[a3 + p]!
    c30 += x3 * y0
    c31 += x3 * y1
  }
  const at = i * n + j
  c[at] = c00
  c[at + 1] = c01
  c[at + n] = c10
  c[at + n + 1] = c11
  c[at + 2 * n] = c20
  c[at + 2 * n + 1] = c21
  c[at + 3 * n] = c30
  c[at + 3 * n + 1] = c31
}

function dot(a: Float64Array, from: number, b: Float64Array, at: number, k: number): number {
  let sum = 0
  for (let p = 0; p < k; p++) sum += a[from + p]! * b[at + p]!
  return sum
}

function norms(values: Float64Array, rows: number, k: number): Float64Array {
  return Float64Array.from({ length: rows }, (_, row) => Math.sqrt(dot(values, row * k, values, row * k, k)))
}
