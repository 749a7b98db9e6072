import * as fc from 'fast-check'
import type { KernelCase } from '../model/index.ts'
import { DefinitionError, type Row } from './definition.ts'
import { fit, largestArgument } from './fit.ts'
import { caseOfRow, type RowContext } from './row.ts'

/** Of each argument of a generated case, where a spec says nothing. */
export const DEFAULT_MAX_ELEMENTS = 65536

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
    ...Object.keys(definition.content ?? {}),
  ])
  for (const field of Object.keys(domain)) {
    if (known.has(field)) continue
    throw new DefinitionError(task.name, `domain.${field}`, `unknown field; the fields are ${[...known].join(', ')}`)
  }
  return drawn(fc.record(domain) as fc.Arbitrary<Row>).map((draft) =>
    fit(draft.row, (row) => build({ ...draft, row }), context, limit),
  )
}
