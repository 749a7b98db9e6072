import * as fc from 'fast-check'
import { sizeOf, type KernelCase } from '../model/index.ts'
import { DefinitionError, type Row } from './definition.ts'
import { Extent } from './dimension.ts'
import { caseOfRow, type RowContext } from './row.ts'

const DEFAULT_MAX_ELEMENTS = 65536

/**
 * Every legal case of a task's shape domain: dtype combination, row and seed. Cases stay within the element limit; they
 * shrink to the first combination and small extents, with the seed kept.
 */
export function domainOf(context: RowContext): fc.Arbitrary<KernelCase> {
  const { task, definition } = context
  const limit = definition.maxElements ?? DEFAULT_MAX_ELEMENTS
  const columns = task.inputs[0]!.dtypes.length
  const build = ({ combination, row, seed }: { combination: number; row: Row; seed: number }): KernelCase =>
    caseOfRow(context, row, { name: 'generated', seed, combination: row.dtype === undefined ? combination : undefined })
  const drawn = <T extends Row>(rows: fc.Arbitrary<T>) =>
    fc.record({
      combination: fc.nat({ max: columns - 1 }),
      row: rows,
      seed: fc.noShrink(fc.nat({ max: 0x7fffffff })),
    })

  if (definition.domain instanceof fc.Arbitrary) {
    return drawn(definition.domain)
      .map(build)
      .filter((kernelCase) => largestArgument(kernelCase) <= limit)
  }
  const { domain } = definition
  const known = new Set([
    ...Object.keys(definition.inputs),
    ...context.variables,
    ...Object.keys(definition.attrs ?? {}),
  ])
  for (const field of Object.keys(domain)) {
    if (known.has(field)) continue
    throw new DefinitionError(task.name, `domain.${field}`, `unknown field; the fields are ${[...known].join(', ')}`)
  }
  return drawn(fc.record(domain) as fc.Arbitrary<Row>).map((draft) =>
    build({ ...draft, row: fit(draft, build, context, limit) }),
  )
}

/** Elements of the largest argument of a case, all tensors of a list together. */
export function largestArgument(kernelCase: KernelCase): number {
  const sizes = [...Object.values(kernelCase.inputs), ...Object.values(kernelCase.outputs)].map((spec) => {
    if (spec === null) return 0
    return Array.isArray(spec) ? spec.reduce((sum, { shape }) => sum + sizeOf(shape), 0) : sizeOf(spec.shape)
  })
  return Math.max(...sizes)
}

// Reduces extents until the case is small enough, front to back: inner extents decide alignment and tails, so they stay.
function fit(
  draft: { combination: number; row: Row; seed: number },
  build: (draft: { combination: number; row: Row; seed: number }) => KernelCase,
  context: RowContext,
  limit: number,
): Row {
  if (largestArgument(build(draft)) <= limit) return draft.row
  const row = structuredClone(draft.row) as Record<string, unknown>
  const reduce = (holder: Record<string | number, unknown>, key: string | number, least: number) => {
    const value = holder[key]
    if (Array.isArray(value)) {
      for (const index of value.keys()) reduce(value as unknown as Record<number, unknown>, index, 1)
      return
    }
    const excess = largestArgument(build({ ...draft, row: row as Row })) / limit
    if (excess > 1) holder[key] = Math.max(least, Math.floor((value as number) / excess))
  }
  for (const field of Object.keys(row)) {
    const isShape = context.variables.has(field) || context.definition.inputs[field]?.kind.startsWith('tensor')
    if (!isShape || field in (context.definition.attrs ?? {})) continue
    const arbitrary = (context.definition.domain as Record<string, unknown>)[field]
    reduce(row, field, arbitrary instanceof Extent ? arbitrary.min : 1)
  }
  return row as Row
}
