import type { Argument, Expression, Program } from './ir.ts'
import { mostTensors, startsName, tensorsName } from './lists.ts'
import { partsIn, partsOf, walkStatements } from './walk.ts'

// What lists of tensors add to the host part: where they begin, in the tiling function and in the tiling struct.

const listsOf = (parts: readonly Expression[]): string[] =>
  parts.flatMap((part) => (part.op === 'list' ? [part.tensor] : []))

/** The lists whose sizes the kernel asks for. */
function listsOfKernel({ kernel }: Program): Set<string> {
  const found = new Set<string>()
  walkStatements(kernel, (statement) => listsOf(partsIn(statement)).forEach((each) => found.add(each)))
  return found
}

/** Fields of the tiling struct. */
export const listFields = (program: Program): string[] =>
  [...listsOfKernel(program)].flatMap((list) => [
    `TILING_DATA_FIELD_DEF_ARR(int64_t, ${mostTensors + 1}, ${startsName(list)});`,
    `TILING_DATA_FIELD_DEF(int64_t, ${tensorsName(list)});`,
  ])

export const listSetters = (program: Program): string[] =>
  [...listsOfKernel(program)].flatMap((list) => [
    `  tiling.set_${startsName(list)}(${startsName(list)});`,
    `  tiling.set_${tensorsName(list)}(${tensorsName(list)});`,
  ])

/** Where tensors begin, for those lists whose sizes something asks for; others are not looked at. */
export function listLines(program: Program): string[] {
  const { host, fields, blockDim, inputs } = program
  const used = listsOfKernel(program)
  for (const list of listsOf([...[...host, ...fields].map(({ value }) => value), blockDim].flatMap(partsOf)))
    used.add(list)
  const indexOf = (list: string): number => inputs.findIndex(({ name }) => name === list)
  return [...used].flatMap((list) => [
    `  int64_t ${startsName(list)}[${mostTensors + 1}] = {};`,
    `  const int64_t ${tensorsName(list)} = Starts(context, ${indexOf(list)}, ${startsName(list)});`,
    `  if (${startsName(list)}[${tensorsName(list)}] <= 0) {`,
    '    return ge::GRAPH_FAILED;',
    '  }',
  ])
}

interface OutputLines {
  /** is there one more tensor in a list? */
  readonly more: (source: number) => string
  /** of a tensor that is like the one beside it in a list */
  readonly each: (source: number) => string
  /** before what is said of an output that is no list */
  readonly one: (output: Argument) => string[]
}

/** Lines of inference for each output, where some are lists: they are counted one after the other. */
export const listOutputs = (
  inputs: readonly Argument[],
  outputs: readonly Argument[],
  lines: (output: Argument) => string[],
  { more, each, one }: OutputLines,
): string[] => [
  '  size_t at = 0;',
  ...outputs.flatMap((output) => {
    if (!output.isList) return ['  {', ...one(output), ...lines(output), '    ++at;', '  }']
    const source = inputs.findIndex(({ name }) => name === output.like)
    return [`  for (size_t i = 0; ${more(source)}; ++i, ++at) {  // ${output.name}`, `    ${each(source)}`, '  }']
  }),
]
