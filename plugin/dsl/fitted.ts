import type { Buffer, Expression, Program } from './ir.ts'
import { partsOf } from './walk.ts'

// Which buffers a value of `fit` sizes.

/** The host constant or field that a field of the tiling struct is. */
export function originOf({ fields }: Program, field: string): string {
  const value = fields.find(({ name }) => name === field)?.value
  return value?.op === 'name' ? value.name : field
}

/** The names in an expression. */
export const namesIn = (expression: Expression | null): string[] =>
  expression ? partsOf(expression).flatMap((part) => (part.op === 'name' ? [part.name] : [])) : []

/** The buffers whose size is made of a constant or field of the host part. */
export const sizedBy = (name: string, program: Program): Buffer[] =>
  program.buffers.filter(({ rows, columns }) =>
    [...namesIn(rows), ...namesIn(columns)].some((each) => originOf(program, each) === name),
  )

/** Is there no way through the kernel without a buffer that this sizes? */
export const fitIsNeeded = (name: string, program: Program): boolean =>
  sizedBy(name, program).some(({ ways }) => ways.length === 0)
