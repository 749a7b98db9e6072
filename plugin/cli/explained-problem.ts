import type { ExplainedProblem } from '../dsl/explain.ts'
import type { Argument, Attribute, Program } from '../dsl/ir.ts'
import type { AttributeType } from '../model/index.ts'
import { socOf } from '../soc/devices.ts'
import { defaultSoc } from '../soc/profile.ts'
import { wholeNumber } from './command.ts'
import { didYouMean, UserError } from './user-error.ts'

// The problem that `vitest-npu compile` explains a program for: `--shape`, `--attr` and `--column`.

interface Options {
  shape: readonly string[]
  attr: readonly string[]
  column: string
}

/** The problem that options name. Throws a UserError where the program has no such, or another attribute has to be given. */
export function explainedProblem(program: Program, { shape, attr, column }: Options): ExplainedProblem {
  const { inputs, attributes, columns } = program
  const shapes = named('--shape', shape, inputs, 'input', shapeOf)
  const values = named('--attr', attr, attributes, 'attribute', valueOf)
  const missing = attributes.find(({ name, initial }) => initial === undefined && !values.has(name))
  if (missing)
    throw new UserError(`compile: the attribute ${missing.name} has no default: give --attr ${missing.name}=…`)
  return { shapes, attributes: values, column: columnOf(column, columns), cores: socOf(defaultSoc).aivCores }
}

/** What `name=value` says of those that a program has. */
function named<E extends { name: string }, T>(
  option: string,
  given: readonly string[],
  known: readonly E[],
  what: string,
  read: (of: E, text: string) => T | null,
): Map<string, T> {
  return new Map(
    given.map((each) => {
      const at = each.indexOf('=')
      const [name, text] = at < 0 ? [each, ''] : [each.slice(0, at), each.slice(at + 1)]
      const found = known.find((one) => one.name === name)
      const names = known.map((one) => one.name)
      if (!found) throw new UserError(`${option} ${each}: no ${what} is called ${name}${didYouMean(name, names)}`)
      const value = read(found, text)
      if (value === null) throw new UserError(`${option} ${each}: write ${exampleOf(found)}`)
      return [name, value]
    }),
  )
}

const exampleOf = (of: { name: string; shape?: Argument['shape']; type?: AttributeType }): string =>
  `${of.name}=${of.type ? examples[of.type] : of.shape!.map((token) => (typeof token === 'number' ? token : 64)).join('x')}`

function shapeOf({ shape }: Argument, text: string): number[] | null {
  const extents = text.split('x').map(Number)
  const isSpread = shape.some((token) => String(token).startsWith('...'))
  const isOfRank = isSpread ? extents.length >= shape.length - 1 : extents.length === shape.length
  return isOfRank && extents.every((extent) => Number.isSafeInteger(extent) && extent > 0) ? extents : null
}

const examples: Readonly<Record<AttributeType, string>> = {
  int: '2',
  float: '0.5',
  bool: 'true',
  string: 'mean',
  listInt: '2,2',
  listFloat: '0.5,0.5',
}

const numberOf = (text: string, isWhole: boolean): number | null => {
  const value = text.trim() === '' ? NaN : Number(text)
  return Number.isNaN(value) || (isWhole && !Number.isSafeInteger(value)) ? null : value
}

function listOf(text: string, isWhole: boolean): number[] | null {
  const values = text.split(',').map((each) => numberOf(each, isWhole))
  return values.every((value) => value !== null) ? values : null
}

/** The value of an attribute, by its type. */
const readers: Readonly<Record<AttributeType, (text: string) => number | string | readonly number[] | null>> = {
  int: (text) => numberOf(text, true),
  float: (text) => numberOf(text, false),
  bool: (text) => (text === 'true' ? 1 : text === 'false' ? 0 : null),
  string: (text) => (text === '' ? null : text),
  listInt: (text) => listOf(text, true),
  listFloat: (text) => listOf(text, false),
}

const valueOf = ({ type }: Attribute, text: string) => readers[type](text)

function columnOf(text: string, columns: number): number {
  const column = wholeNumber('--column', text, 0)
  if (column >= columns) throw new UserError(`--column ${text}: the program has columns 0 to ${columns - 1}`)
  return column
}
