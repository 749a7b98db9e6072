// Dot products of rows in WebAssembly, whose vectors of two float64 JavaScript has no words for. Products and sums are
// rounded as in JavaScript, on every machine; a sum is that of its even terms plus that of its odd ones.

/** Rows of the left side that are multiplied at a time, and of the right side. */
export const STRIP = 4
export const PAIR = 2

/** Longest sum, and most rows of the right side: 256 KiB, which stay in the second-level cache. */
export const DEPTH = 512
export const PANEL = 64

/** From one row to the next, on both sides. */
export const rowBytes = DEPTH * 8

/** From one row of sums to the next. */
export const sumBytes = PANEL * 8

/** The memory of the module, at least of that length. It is another one after each growth. */
export function memoryBytes(length: number): ArrayBuffer {
  const missing = length - memory.buffer.byteLength
  if (missing > 0) memory.grow(Math.ceil(missing / 65536))
  return memory.buffer
}

// Numbers of instructions; those of vectors have a prefix.
const loop = [0x03, 0x40]
const end = 0x0b
const i32 = { add: 0x6a, sub: 0x6b, less: 0x49 }
const f64 = { add: 0xa0 }
const f64x2 = { lane: [0xfd, 0x21], add: [0xfd, 0xf0, 0x01], multiply: [0xfd, 0xf2, 0x01] }
const zero = [0xfd, 0x0c, ...Array.from({ length: 16 }, () => 0)]

// Whole numbers take seven bits a byte, the low ones first.
const unsigned = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...unsigned(Math.floor(value / 128))]
const constant = (value: number): number[] => {
  const bytes = unsigned(value)
  return [0x41, ...((bytes.at(-1)! & 64) === 0 ? bytes : [...bytes.slice(0, -1), bytes.at(-1)! | 128, 0])]
}
const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const loadVector = (offset: number): number[] => [0xfd, 0x00, 3, ...unsigned(offset)]
const storeNumber = (offset: number): number[] => [0x39, 3, ...unsigned(offset)]
const goBack = [0x0d, 0]

/** `bytes` of STRIP rows at `left` times `pairs` pairs of rows at `right`; the sums go to STRIP rows at `sums`. */
type Dots = (left: number, right: number, sums: number, bytes: number, pairs: number) => void

// Parameters come first among the locals.
const [left, right, sums, bytes, pairs, at, ahead] = [0, 1, 2, 3, 4, 5, 6]
const [x, y, total] = [7, 8, 8 + PAIR]
const tiles = Array.from({ length: STRIP * PAIR }, (_, i) => [Math.floor(i / PAIR), i % PAIR] as const)
const sumOf = (row: number, column: number): number => total + row * PAIR + column

const step = (local: number, by: number): number[] => [...get(local), ...constant(by), i32.add, ...set(local)]

const terms = [
  [...get(right), ...get(at), i32.add, ...set(ahead)],
  ...Array.from({ length: PAIR }, (_, j) => [...get(ahead), ...loadVector(j * rowBytes), ...set(y + j)]),
  [...get(left), ...get(at), i32.add, ...set(ahead)],
  ...tiles.map(([row, column]) => [
    ...(column === 0 ? [...get(ahead), ...loadVector(row * rowBytes), ...set(x)] : []),
    ...get(sumOf(row, column)),
    ...[get(x), get(y + column), f64x2.multiply, f64x2.add].flat(),
    ...set(sumOf(row, column)),
  ]),
].flat()

const body = [
  // locals: two numbers, then vectors
  [2, 2, 0x7f, 1 + PAIR + STRIP * PAIR, 0x7b],
  loop,
  ...tiles.map(([row, column]) => [...zero, ...set(sumOf(row, column))]),
  [...constant(0), ...set(at)],
  [...loop, ...terms, ...step(at, 16), ...get(at), ...get(bytes), i32.less, ...goBack, end],
  ...tiles.map(([row, column]) => {
    const halves = [0, 1].flatMap((lane) => [...get(sumOf(row, column)), ...f64x2.lane, lane])
    return [...get(sums), ...halves, f64.add, ...storeNumber(row * sumBytes + column * 8)]
  }),
  [...step(right, PAIR * rowBytes), ...step(sums, PAIR * 8)],
  [...get(pairs), ...constant(1), i32.sub, ...set(pairs), ...get(pairs), ...goBack, end],
  [end],
].flat()

const text = (word: string): number[] => [word.length, ...Buffer.from(word)]
const section = (id: number, ...content: number[]): number[] => [id, ...unsigned(content.length), ...content]

const moduleBytes = new Uint8Array([
  ...Buffer.from('\0asm'),
  1, // and the version, in four bytes
  0,
  0,
  0,
  ...section(1, 1, 0x60, 5, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0), // one type: five numbers, no result
  ...section(3, 1, 0),
  ...section(5, 1, 0, 1), // a memory of one page at first
  ...section(7, 2, ...text('memory'), 2, 0, ...text('dots'), 0, 0),
  ...section(10, 1, ...unsigned(body.length), ...body),
])

/** What of WebAssembly is needed here; the types of Node.js leave it out. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => {
    exports: { memory: { buffer: ArrayBuffer; grow: (pages: number) => number }; dots: Dots }
  }
}

const { memory, dots } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes)).exports
export { dots }
