import { sizeOf, type ArgumentSpec, type KernelCase } from '../model/index.ts'
import type { Row, RowValue } from './definition.ts'
import { Extent } from './dimension.ts'
import { specsOf } from './facts.ts'
import { isShape, isShapeList, type RowContext } from './row.ts'

/** Elements of all tensors of an argument. */
export function elementsOf(spec: ArgumentSpec | undefined): number {
  let sum = 0
  for (const { shape } of specsOf(spec)) sum += sizeOf(shape)
  return sum
}

/** Elements of the largest argument of a case, all tensors of a list together. */
export function largestArgument(kernelCase: KernelCase): number {
  let largest = 0
  for (const side of [kernelCase.inputs, kernelCase.outputs])
    for (const name in side) largest = Math.max(largest, elementsOf(side[name]))
  return largest
}

/**
 * The case of a row, whose extents are reduced until no argument has more than `limit` elements. Extents give way front to
 * back, the generated fields in their order: inner extents decide alignment and tails, so they stay.
 */
export function fit(row: Row, build: (row: Row) => KernelCase, context: RowContext, limit: number): KernelCase {
  const fields = Object.keys(row).filter((field) => holdsExtents(context, field))
  let fitted = row
  let built = build(fitted)
  // A field is only part of the excess where the others have reached their least, so it may take a second pass.
  for (let pass = 0; pass < 4; pass++) {
    for (const field of fields) {
      const excess = largestArgument(built) / limit
      if (excess <= 1) return built
      fitted = { ...fitted, [field]: reduce(fitted[field]!, excess, leastOf(context, field)) }
      built = build(fitted)
    }
  }
  return built
}

function holdsExtents({ definition, variables }: RowContext, field: string): boolean {
  // An attribute may be an extent as well: m and n of a matrix.
  if (variables.has(field)) return true
  if (field in (definition.attrs ?? {})) return false
  const kind = definition.inputs[field]?.kind
  return kind === 'tensor' || kind === 'tensorList'
}

function leastOf({ definition }: RowContext, field: string): number {
  const arbitrary: unknown = Reflect.get(definition.domain, field)
  return arbitrary instanceof Extent ? arbitrary.min : 1
}

// Makes an extent, a shape or every shape of a list smaller by `factor`, as far as extents can go.
function reduce(value: RowValue, factor: number, least: number): RowValue {
  if (typeof value === 'number') return Math.max(Math.min(value, least), Math.floor(value / factor))
  if (isShape(value)) return reduceShape(value, factor)
  return isShapeList(value) ? value.map((shape) => reduceShape(shape, factor)) : value
}

function reduceShape(shape: readonly number[], factor: number): number[] {
  let rest = factor
  return shape.map((extent) => {
    if (rest <= 1) return extent
    const reduced = Math.max(1, Math.floor(extent / rest))
    rest *= reduced / extent
    return reduced
  })
}
