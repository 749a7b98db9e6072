/** A basic block of a candidate's kernels as it is written: that of all instances of a template, dtypes and core kinds. */
export interface SourceBlock {
  /** index of the file */
  file: number
  /** lines of its code, in order */
  lines: readonly number[]
}

/** What a target has compiled of a candidate's kernels. Which blocks a launch has reached is told by their numbers. */
export interface KernelCode {
  /** absolute paths */
  files: readonly string[]
  blocks: readonly SourceBlock[]
}
