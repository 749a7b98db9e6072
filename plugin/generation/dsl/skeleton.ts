import { isReserved } from '../../dsl/names.ts'
import { snakeCase, type AttributeValue, type DType, type TaskArgument } from '../../model/index.ts'
import { combinationsOf } from '../../task/combinations.ts'
import type { KernelTask, Pattern } from '../../task/index.ts'

// What follows from the interface of a task alone, as the beginning of a program.

interface Column {
  argument: TaskArgument
  dtypes: readonly DType[]
  pattern: Pattern | null | undefined
}

/** The declaration of the operator, whose host part and kernel are left to be written. */
export function programSkeletonOf(task: KernelTask): string {
  const { name, kernel, inputs, outputs, attrs } = task.interface
  const combinations = combinationsOf(task)
  const columnsOf = (of: readonly TaskArgument[], side: 'inputs' | 'outputs'): Column[] =>
    of.map((argument, i) => ({
      argument,
      dtypes: combinations.map((each) => each[side][i]!),
      pattern: task.patterns[side][argument.name],
    }))
  const read = columnsOf(inputs, 'inputs')
  const written = columnsOf(outputs, 'outputs')
  const fields = attrs.map(
    ({ name: attribute, type, default: initial }) => `${attribute}: attr.${type}(${valueText(initial)})`,
  )
  const given = inputs.map((each) => ownName(each.name))
  return [
    'export default operator({',
    `  name: '${name}',`,
    ...(snakeCase(name) === kernel ? [] : [`  entry: '${kernel}',`]),
    ...block(
      'inputs',
      read.map((each) => `${ownName(each.argument.name)}: ${inputText(each)}`),
    ),
    ...block(
      'outputs',
      written.map((each) => `${ownName(each.argument.name)}: ${outputText(each, read)}`),
    ),
    ...block('attrs', fields),
    `  host({ ${names([...given, ...attrs.map((each) => each.name)])} }, { cores }) {`,
    '    // your part: how work is shared',
    '    return { blockDim }',
    '  },',
    `  kernel({ ${names([...given, ...outputs.map((each) => ownName(each.name))])} }, {}, core) {`,
    '    // your part: buffers, loops, copyIn, compute, copyOut',
    '  },',
    '})',
  ].join('\n')
}

/** Words of TypeScript that arguments of operators are called, beside those that programs cannot have as names. */
const words = new Set(['var', 'let', 'function', 'in', 'of'])

/** What an argument is called in a program: its place counts, not its name. */
const ownName = (name: string): string =>
  words.has(name) || isReserved(name) ? `own${name[0]!.toUpperCase()}${name.slice(1)}` : name

const names = (of: readonly string[]): string => [...new Set(of)].join(', ')

const block = (name: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`  ${name}: {`, ...lines.map((line) => `    ${line},`), '  },']

const valueText = (value: AttributeValue | undefined): string => (value === undefined ? '' : JSON.stringify(value))

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean => String(one) === String(other)

/** One dtype is one of all columns. */
const dtypesText = (dtypes: readonly DType[]): string =>
  new Set(dtypes).size === 1 ? `'${dtypes[0]}'` : `[${dtypes.map((each) => `'${each}'`).join(', ')}]`

const partText = (part: number | string): string => (typeof part === 'number' ? String(part) : `'${part}'`)

const tensorText = ({ argument: { kind }, dtypes, pattern }: Column): string => {
  if (kind === 'tensorList') return `tensorList(${dtypesText(dtypes)})`
  const shape = kind === 'scalarTensor' ? [1] : pattern
  return `tensor(${dtypesText(dtypes)}${shape ? `, [${shape.map(partText).join(', ')}]` : ''})`
}

const inputText = (column: Column): string =>
  column.argument.required ? tensorText(column) : `optional(${tensorText(column)})`

/** Whether two arguments have the same dtypes and shapes, as far as the interface tells. */
const isLike = (one: Column, other: Column): boolean =>
  one.argument.kind === other.argument.kind &&
  isSame(one.dtypes, other.dtypes) &&
  (one.argument.kind === 'tensorList' || (!!one.pattern && !!other.pattern && isSame(one.pattern, other.pattern)))

function outputText(column: Column, inputs: readonly Column[]): string {
  const like = inputs.find((each) => each.argument.required && isLike(each, column))
  if (!like) return tensorText(column)
  return `${column.argument.kind === 'tensorList' ? 'tensorList' : 'tensor'}.like('${ownName(like.argument.name)}')`
}
