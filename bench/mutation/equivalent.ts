/** A mutant that no run can tell from the original, and why. Matched by operator, file, the text of the line and the edit. */
export interface Equivalent {
  operator: string
  file: string
  line: string
  what: string
  why: string
}

/** Reviewed by hand: each of these changes nothing that a device would show. */
export const equivalent: readonly Equivalent[] = [
  ...['SetFlag<HardEvent::MTE1_MTE2>(i);', 'SetFlag<HardEvent::M_MTE1>(i);'].map((line) => ({
    operator: 'BasicMatmul',
    file: 'op_kernel/basic_matmul.cpp',
    line,
    what: 'event id i ^ 1',
    why: 'the loop sets both flags, in the other order',
  })),
  ...['WaitFlag<HardEvent::MTE1_MTE2>(i);', 'WaitFlag<HardEvent::M_MTE1>(i);'].map((line) => ({
    operator: 'BasicMatmul',
    file: 'op_kernel/basic_matmul.cpp',
    line,
    what: 'event id i ^ 1',
    why: 'the loop waits for both flags, in the other order',
  })),
]
