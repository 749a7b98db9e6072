import type { DType } from '../../model/index.ts'

/**
 * What a parameter of a vendor's call is given: the name of an input, attribute or output of the task, a constant, or what is made
 * of them. The header of the call says as what it is passed: a tensor of one element may be a number or an `aclScalar`.
 */
export type Given =
  | string
  | number
  | boolean
  | readonly number[]
  /** what is left out */
  | null
  | { text: string }
  /** numbers that stand for the texts of an attribute */
  | { attribute: string; codes: Readonly<Record<string, number>> }
  /** a tensor from one call to the next, of the shape of an argument and of its dtype or another */
  | { between: string; like: string; dtype?: DType }
  /** a matrix whose axes are exchanged */
  | { transposed: string }
  /** the extents of an argument, or its dtype */
  | { shapeOf: string }
  | { dtypeOf: string }

/** A call, and what its parameters are given but for workspace and executor. */
export type VendorCall = readonly [call: `aclnn${string}`, ...given: Given[]]

/** A call whose names are written in few texts, `-` for what is left out: `callOf('aclnnLayerNorm', 'x shape - -', 1e-5, 'y')`. */
export const callOf = (name: VendorCall[0], ...given: Given[]): VendorCall => [
  name,
  ...given.flatMap((each): Given[] =>
    typeof each === 'string' ? each.split(' ').map((word) => (word === '-' ? null : word)) : [each],
  ),
]

/** The calls that compute what a task asks for, one after the other, or why there are none. */
export type VendorOperator = readonly VendorCall[] | { none: string }
