import { parseArgs, type ParseArgsConfig } from 'node:util'
import { packageVersion } from '../files/index.ts'
import { messageOf, UserError } from './user-error.ts'

/** Options of every command. */
const common = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const satisfies ParseArgsConfig['options']

/** Where commands that work with runs find them. */
export const runsOption = { runs: { type: 'string', default: '.npu/runs' } } as const

/** Where commands that work with tasks find their specs. */
export const tasksOption = { tasks: { type: 'string' } } as const

type Options = NonNullable<ParseArgsConfig['options']>

/**
 * Reads the arguments of a command; undefined where they ask for its help or the version, which is printed then. Throws a
 * UserError for an option that the command does not have.
 */
export function parseCommand<const O extends Options>(
  command: string,
  usage: string,
  args: readonly string[],
  options: O,
) {
  const parsed = (() => {
    try {
      return parseArgs({ args: [...args], allowPositionals: true, options: { ...options, ...common } })
    } catch (error) {
      const [line] = messageOf(error).split(/\.(?: |\n|$)/)
      throw new UserError(`${command}: ${line}; see vitest-npu ${command} --help`)
    }
  })()
  const { help, version }: { help?: unknown; version?: unknown } = parsed.values
  if (help === true) console.log(usage.trimEnd())
  else if (version === true) console.log(packageVersion())
  else return parsed
  return undefined
}

/** The numbers of a list like `1,10`, each of which has to hold. Throws a UserError. */
export function numbersOf(option: string, text: string, holds: (value: number) => boolean, wanted: string): number[] {
  const parts = text.split(',').map((part) => part.trim())
  const bad = parts.find((part) => part === '' || !holds(Number(part)))
  if (bad !== undefined) throw new UserError(`${option} ${text}: "${bad}" is not ${wanted}`)
  return [...new Set(parts.map(Number))]
}

/** A whole number, `least` or more. Throws a UserError. */
export function wholeNumber(option: string, text: string, least: number): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < least)
    throw new UserError(`${option} ${text}: is not a whole number, ${least} or more`)
  return value
}

/** The one name that a command is about. Throws a UserError where there is none, or more. */
export function onlyName(command: string, names: readonly string[], what: string): string {
  const [name, another] = names
  if (name === undefined) throw new UserError(`${command}: name ${what}, e.g. vitest-npu ${command} AddCustom`)
  if (another !== undefined) throw new UserError(`${command}: too many names; see vitest-npu ${command} --help`)
  return name
}

/** The value of an option that has to be given. Throws a UserError. */
export function required(command: string, option: string, value: string | undefined): string {
  if (value === undefined || value === '')
    throw new UserError(`${command}: give --${option}; see vitest-npu ${command} --help`)
  return value
}
