// What primitives are given, as editors know it.

/** Memory on the chip. */
export interface Buffer {
  readonly memory: 'buffer'
}

/** A bit for each element. */
export interface Mask {
  readonly memory: 'mask'
}

/** Elements, or rows and columns. */
export type Extent = number | readonly [rows: number, columns: number]

/** Says that a program is no code. */
export function neverRun(): never {
  throw new Error('a program of the DSL is compiled, and not executed: npx vitest-npu compile <file> --out <folder>')
}
