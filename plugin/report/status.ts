import type { Status } from './model.ts'

/** What samples come to, in the order of how far they got; the right ones first. */
export const statuses = [
  'correct',
  'implausible',
  'hazard',
  'wrong-value',
  'wrong-nonfinite',
  'wrong-structure',
  'crashed',
  'timeout',
  'device-error',
  'tiling-failed',
  'compile-failed',
  'unusable-answer',
  'no-answer',
  'no-candidate',
  'infrastructure',
  'undecided',
] as const satisfies readonly Status[]
