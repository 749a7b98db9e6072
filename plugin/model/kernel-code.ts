/** What a block is compiled for: the device, or the host part (tiling, inference, registration). */
export type CodeSide = 'kernel' | 'host'

/** A basic block of a candidate as it is written: that of all instances of a template, dtypes and core kinds. */
export interface SourceBlock {
  side: CodeSide
  /** index of the file */
  file: number
  /** where it begins; column 0 stands for the line, and several may begin at one place */
  line: number
  column: number
  ordinal: number
  /** lines of its code, in order */
  lines: readonly number[]
  /** the function that begins with it */
  entryOf?: string
}

/** A way through a kernel that its host part chooses. */
export interface TilingKey {
  /** decimal */
  key: string
  /** of a template key: names and values of its fields */
  fields?: string
}

/** What a target has compiled of a candidate. Which blocks a launch has reached is told by their numbers. */
export interface KernelCode {
  /** absolute paths */
  files: readonly string[]
  blocks: readonly SourceBlock[]
  /** tiling keys that the code asks for or is selected for, in order */
  tilingKeys: readonly TilingKey[]
}
