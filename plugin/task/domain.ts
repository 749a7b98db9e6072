import * as fc from 'fast-check'
import { sizeOf, type KernelCase } from '../model/index.ts'
import { DefinitionError, type Row } from './definition.ts'
import { Extent } from './dimension.ts'
import { caseOfRow, type RowContext } from './row.ts'

const DEFAULT_MAX_ELEMENTS = 65536

interface Draft {
  combination: number
  row: Row
  seed: number
}

/**
 * Every legal case of a task's shape domain: dtype combination, row and seed. Cases stay within the element limit; they
 * shrink to the first combination and small extents, with the seed kept.
 */
export function domainOf(context: RowContext): fc.Arbitrary<KernelCase> {
  const { task, definition } = context
  const limit = definition.maxElements ?? DEFAULT_MAX_ELEMENTS
  const columns = task.inputs[0]!.dtypes.length
  const build = ({ combination, row, seed }: Draft): KernelCase =>
    caseOfRow(context, row, { name: 'generated', seed, combination: row.dtype === undefined ? combination : undefined })
  const drawn = <T extends Row>(rows: fc.Arbitrary<T>) =>
    fc.record({
      combination: fc.nat({ max: columns - 1 }),
      row: rows,
      // Seeds have no small or special values worth a bias, and none is simpler than another.
      seed: fc.noShrink(fc.noBias(fc.nat({ max: 0x7fffffff }))),
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
function fit(draft: Draft, build: (draft: Draft) => KernelCase, context: RowContext, limit: number): Row {
  const row = structuredClone(draft.row) as Record<string, unknown>
  const excess = () => largestArgument(build({ ...draft, row: row as Row })) / limit
  if (excess() <= 1) return draft.row
  let reduced = true
  const reduce = (holder: Record<string | number, unknown>, key: string | number, least: number) => {
    const value = holder[key]
    if (Array.isArray(value)) {
      for (const index of value.keys()) reduce(value as unknown as Record<number, unknown>, index, 1)
      return
    }
    const factor = excess()
    if (factor <= 1 || (value as number) <= least) return
    holder[key] = Math.max(least, Math.floor((value as number) / factor))
    reduced = true
  }
  const fields = Object.keys(row).filter((field) => isExtents(context, field))
  // One tensor of a list is only part of the excess, so lists take several passes.
  while (reduced && excess() > 1) {
    reduced = false
    for (const field of fields) {
      const arbitrary = (context.definition.domain as Record<string, unknown>)[field]
      reduce(row, field, arbitrary instanceof Extent ? arbitrary.min : 1)
    }
  }
  return row as Row
}

function isExtents({ definition, variables }: RowContext, field: string): boolean {
  if (field in (definition.attrs ?? {})) return false
  const kind = definition.inputs[field]?.kind
  return variables.has(field) || kind === 'tensor' || kind === 'tensorList'
}
