/** Rows of equal length in an array. */
export interface Lines {
  readonly data: Float64Array
  readonly start?: number
  /** distance of two rows */
  readonly stride: number
}

/** Terms of a sum, and rows of b, that are worked on at a time: 256 KiB, which stay in the second-level cache. */
export const DEPTH = 512
export const PANEL = 64

/** c[i, j] += the dot product of row i of a with row j of b, over `k` elements, for m rows of a and n rows of b. */
export function multiplyAdd(a: Lines, b: Lines, m: number, n: number, k: number, c: Lines): void {
  const [a0, b0, c0] = [a.start ?? 0, b.start ?? 0, c.start ?? 0]
  for (let p = 0; p < k; p += DEPTH) {
    for (let j = 0; j < n; j += PANEL) {
      const left = { ...a, start: a0 + p }
      const right = { ...b, start: b0 + j * b.stride + p }
      const into = { ...c, start: c0 + j }
      addBlock(left, right, m, Math.min(PANEL, n - j), Math.min(DEPTH, k - p), into)
    }
  }
}

type Block = Required<Lines>

function addBlock(a: Block, b: Block, m: number, n: number, k: number, c: Block): void {
  let i = 0
  for (; i + 4 <= m; i += 4) {
    const left = a.start + i * a.stride
    const into = c.start + i * c.stride
    let j = 0
    for (; j + 2 <= n; j += 2) {
      tile(a.data, left, a.stride, b.data, b.start + j * b.stride, b.stride, k, c.data, into + j, c.stride)
    }
    if (j < n) for (let row = i; row < i + 4; row++) addDot(a, row, b, j, k, c)
  }
  for (; i < m; i++) for (let j = 0; j < n; j++) addDot(a, i, b, j, k, c)
}

// Dot products four by two at a time: eight running sums live in registers, six loads feed eight multiply-adds.
function tile(
  a: Float64Array,
  a0: number,
  aStride: number,
  b: Float64Array,
  b0: number,
  bStride: number,
  k: number,
  c: Float64Array,
  at: number,
  cStride: number,
): void {
  let [c00, c01, c10, c11, c20, c21, c30, c31] = [0, 0, 0, 0, 0, 0, 0, 0]
  const [a1, a2, a3, b1] = [a0 + aStride, a0 + 2 * aStride, a0 + 3 * aStride, b0 + bStride]
  for (let p = 0; p < k; p++) {
    const y0 = b[b0 + p]!
    const y1 = b[b1 + p]!
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
  c[at]! += c00
  c[at + 1]! += c01
  c[at + cStride]! += c10
  c[at + cStride + 1]! += c11
  c[at + 2 * cStride]! += c20
  c[at + 2 * cStride + 1]! += c21
  c[at + 3 * cStride]! += c30
  c[at + 3 * cStride + 1]! += c31
}

function addDot(a: Block, i: number, b: Block, j: number, k: number, c: Block): void {
  const left = a.start + i * a.stride
  const right = b.start + j * b.stride
  let sum = 0
  for (let p = 0; p < k; p++) sum += a.data[left + p]! * b.data[right + p]!
  c.data[c.start + i * c.stride + j]! += sum
}
