import type { Compiled } from './compile.ts'
import { decisionOf, type HostArguments } from './host-values.ts'
import type { Argument } from './ir.ts'
import { memoryTable } from './memory-table.ts'

/** What a dimension is taken to be that nobody has given. */
const assumed = 1024

/** A problem as far as somebody has given it. */
export interface ExplainedProblem extends Pick<HostArguments, 'attributes' | 'column' | 'cores'> {
  readonly shapes: ReadonlyMap<string, readonly number[]>
}

/**
 * The table of buffers for one problem, which it also has where the host part refuses that for their sake: dimensions that are not
 * given are taken to be 1024, ranks as short as they can be.
 */
export function explainMemory({ program, memory }: Compiled, text: string, given: ExplainedProblem): string {
  const shapes = new Map(
    program.inputs.map((input) => [
      input.name,
      given.shapes.get(input.name) ?? shapeOf(input, program.inputs, given.shapes),
    ]),
  )
  // one tensor stands for a list
  const lists = new Map([...shapes].map(([name, shape]) => [name, [shape]]))
  const { refusal, blockDim, fields } = decisionOf(program, memory, { ...given, shapes, lists })
  const problem = program.inputs
    .map(({ name, dtypes }) => `${name} ${dtypes[given.column]}[${shapes.get(name)!.join(', ')}]`)
    .join(', ')
  const values = [...fields].map(([name, value]) => `${name} = ${value}`).join(', ')
  const table = ['', memoryTable(program, memory, text, given.column, fields)]
  if (refusal === null)
    return [`for ${problem}`, `on ${blockDim} ${blockDim === 1 ? 'core' : 'cores'}, with ${values}`, ...table].join(
      '\n',
    )
  const refused = `for ${problem}: the host part refuses this, since ${refusal}`
  return refusal === 'the buffers do not fit' ? [refused, `with ${values}`, ...table].join('\n') : refused
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
