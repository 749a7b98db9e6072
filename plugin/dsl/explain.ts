import type { Compiled } from './compile.ts'
import { tilingOf } from './host-values.ts'
import type { Argument } from './ir.ts'
import { memoryTable } from './memory-table.ts'

/** What a dimension is taken to be that nobody has given. */
const assumed = 1024

/** The table of buffers for one problem: dimensions that are not given are taken to be 1024, ranks as short as they can be. */
export function explainMemory(
  { program, memory }: Compiled,
  text: string,
  given: { shapes: ReadonlyMap<string, readonly number[]>; column: number; cores: number },
): string {
  const shapes = new Map(
    program.inputs.map((input) => [
      input.name,
      given.shapes.get(input.name) ?? shapeOf(input, program.inputs, given.shapes),
    ]),
  )
  const tiling = tilingOf(program, memory, { ...given, shapes, attributes: new Map() })
  const problem = program.inputs
    .map(({ name, dtypes }) => `${name} ${dtypes[given.column]}[${shapes.get(name)!.join(', ')}]`)
    .join(', ')
  if (!tiling) return `for ${problem}: the host part refuses this`
  const fields = [...tiling.fields].map(([name, value]) => `${name} = ${value}`).join(', ')
  return [
    `for ${problem}`,
    `on ${tiling.blockDim} cores, with ${fields}`,
    '',
    memoryTable(program, memory, text, given.column, tiling.fields),
  ].join('\n')
}

/** A shape of the same dimensions as those that are given. */
function shapeOf(
  input: Argument,
  inputs: readonly Argument[],
  shapes: ReadonlyMap<string, readonly number[]>,
): number[] {
  return input.shape.map((token) => {
    if (typeof token === 'number') return token
    for (const other of inputs) {
      const at = other.shape.indexOf(token)
      const known = shapes.get(other.name)
      const spread = other.shape.findIndex((each) => String(each).startsWith('...'))
      if (at < 0 || !known || spread === at) continue
      return known[spread >= 0 && at > spread ? known.length - (other.shape.length - at) : at] ?? assumed
    }
    return assumed
  })
}
