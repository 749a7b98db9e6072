import type { TaskInterface } from '../model/index.ts'
import type { ResolvedSuite } from '../suites/index.ts'
import { parseCommand, tasksOption } from './command.ts'
import { loadTasks } from './specs.ts'
import { requiredSuites } from './suites.ts'
import { UserError } from './user-error.ts'

const usage = `Usage: vitest-npu tasks

Lists the tasks there are: level, category, name, static cases and interface.

  --json             the same for programs, with what each task computes
  --tasks <folder>   the specs: tasks/, else those of the package, with the suites that the Vitest configuration registers
  --help, --version

  npx vitest-npu tasks
  npx vitest-npu tasks --json --tasks specs
`

/** `tasks`: everything there is to implement. */
export async function tasksCommand(args: readonly string[]): Promise<void> {
  const parsed = parseCommand('tasks', usage, args, { ...tasksOption, json: { type: 'boolean' } })
  if (!parsed) return
  const { values, positionals } = parsed
  if (positionals.length > 0)
    throw new UserError(`tasks: takes no names: ${positionals.join(' ')}; see vitest-npu tasks --help`)
  await list(await requiredSuites(values.tasks), values.json ?? false)
}

async function list(suites: readonly ResolvedSuite[], json: boolean): Promise<void> {
  const { tasks, broken } = await loadTasks(suites)
  const listed = tasks
    .map(({ interface: task, staticCases, description }) => ({
      ...task,
      ...(description !== undefined && { description }),
      staticCases: staticCases.length,
    }))
    .sort((one, other) => {
      const [first, second] = [one, other].map((task) => orderOf(task, suites))
      return first! - second! || (one.category < other.category ? -1 : 1)
    })
  const several = new Set(listed.map(({ suite }) => suite)).size > 1
  if (json) console.log(JSON.stringify(listed, undefined, 2))
  else {
    const rows = listed.map((task) => [
      placeText(task, several),
      task.category,
      task.name,
      `${task.staticCases} cases`,
      signatureOf(task),
    ])
    console.log(columns(rows).join('\n'))
    const cases = listed.reduce((sum, task) => sum + task.staticCases, 0)
    console.log(`${listed.length} tasks, ${cases} static cases`)
  }
  if (broken.length > 0) throw new UserError(broken.join('\n'))
}

/** Where a task stands in the list: by suite, then by group. */
function orderOf({ suite, group }: TaskInterface, suites: readonly ResolvedSuite[]): number {
  const index = suites.findIndex(({ name }) => name === suite)
  const groups = suites[index]?.groups ?? []
  return index + (groups.indexOf(group ?? '') + 1) / (groups.length + 1)
}

/** The group as projects are named: the suite is said where there are several, or no group. */
function placeText({ suite, group }: TaskInterface, several: boolean): string {
  if (group === null) return suite
  return several ? `${suite}/${group}` : group
}

const argument = ({ name, kind, required, dtypes }: TaskInterface['inputs'][number]): string =>
  `${name}${kind === 'tensorList' ? '[]' : ''}${required ? '' : '?'} ${[...new Set(dtypes)].join('|')}`

/**
 * `rms_norm(x float16|float32, gamma float32; epsilon = 0.000001) -> y, rstd`; optional ones have a `?`, lists `[]`.
 */
function signatureOf({ kernel, inputs, outputs, attrs }: TaskInterface): string {
  const settings = attrs.map(({ name, type, default: initial }) =>
    initial === undefined ? `${name} ${type}` : `${name} = ${JSON.stringify(initial)}`,
  )
  const given = [inputs.map(argument).join(', '), settings.join(', ')].filter((text) => text !== '')
  return `${kernel}(${given.join('; ')}) -> ${outputs.map(argument).join(', ')}`
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
