import type { ToleranceRule } from './rules.ts'

/** Nothing but golden, rounded once. The rule of integers, masks and bit copies. */
export const exact: ToleranceRule = () => ({ absolute: 0, relative: 0 })

/**
 * Computed in float32 and rounded once to the output: `count` float32 roundings, each relative to the result. One unit in
 * the last place is two roundings; a hardware exp, ln or sqrt is taken as good to two such units.
 */
export const float32Roundings =
  (count: number): ToleranceRule =>
  () => ({ absolute: count * 2 ** -150, relative: count * 2 ** -24 })
