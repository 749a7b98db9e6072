import { sizeOf, type KernelCase } from '../model/index.ts'
import type { Row, RowValue } from './definition.ts'
import { Extent } from './dimension.ts'
import { specsOf } from './facts.ts'
import { isShape, isShapeList, type RowContext } from './row.ts'

/** Elements of the largest argument of a case, all tensors of a list together. */
export function largestArgument(kernelCase: KernelCase): number {
  const specs = [...Object.values(kernelCase.inputs), ...Object.values(kernelCase.outputs)]
  return Math.max(...specs.map((spec) => specsOf(spec).reduce((sum, { shape }) => sum + sizeOf(shape), 0)))
}

/**
 * Reduces the extents of a row until no argument of its case has more than `limit` elements. Extents give way front to
 * back, the generated fields in their order: inner extents decide alignment and tails, so they stay.
 */
export function fit(row: Row, build: (row: Row) => KernelCase, context: RowContext, limit: number): Row {
  const excess = (candidate: Row) => largestArgument(build(candidate)) / limit
  let fitted = row
  // One tensor of a list is only part of the excess, so lists take several passes.
  for (let before: Row | undefined; before !== fitted && excess(fitted) > 1;) {
    before = fitted
    const count = extentsOf(fitted, context).length
    for (let place = 0; place < count; place++) {
      const factor = excess(fitted)
      if (factor > 1) fitted = reduceOne(fitted, place, factor, context)
    }
  }
  return fitted
}

const isGenerated = ({ definition, variables }: RowContext, field: string): boolean => {
  if (field in (definition.attrs ?? {})) return false
  const kind = definition.inputs[field]?.kind
  return variables.has(field) || kind === 'tensor' || kind === 'tensorList'
}

function extentsOf(row: Row, context: RowContext): number[] {
  const extents: number[] = []
  mapExtents(row, context, (extent) => {
    extents.push(extent)
    return extent
  })
  return extents
}

// The row with its extent number `place` divided by `factor`; the same row if that extent is at its least already.
function reduceOne(row: Row, place: number, factor: number, context: RowContext): Row {
  let current = 0
  let changed = false
  const reduced = mapExtents(row, context, (extent, least) => {
    if (current++ !== place || extent <= least) return extent
    changed = true
    return Math.max(least, Math.floor(extent / factor))
  })
  return changed ? reduced : row
}

function mapExtents(row: Row, context: RowContext, map: (extent: number, least: number) => number): Row {
  const { domain } = context.definition
  const mapValue = (field: string, value: RowValue): RowValue => {
    if (!isGenerated(context, field)) return value
    const arbitrary: unknown = Reflect.get(domain, field)
    const least = arbitrary instanceof Extent ? arbitrary.min : 1
    if (typeof value === 'number') return map(value, least)
    if (isShape(value)) return value.map((extent) => map(extent, least))
    return isShapeList(value) ? value.map((shape) => shape.map((extent) => map(extent, least))) : value
  }
  return Object.fromEntries(Object.entries(row).map(([field, value]) => [field, mapValue(field, value)]))
}
