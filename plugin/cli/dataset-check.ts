import { checkRows } from '../dataset/check.ts'
import { DatasetError } from '../dataset/error.ts'
import { Judging } from '../dataset/judging.ts'
import { exitCodes, InfrastructureError, neutralText } from '../model/index.ts'
import type { KernelTask } from '../task/index.ts'
import { runSuites } from '../vitest/run-suites.ts'
import { onlyName, parseCommand } from './command.ts'
import { loadTask } from './specs.ts'
import { configurationOf } from './suites.ts'
import { UserError } from './user-error.ts'

const usage = `Usage: vitest-npu dataset check <rows.jsonl>

Checks every row by itself, from this file alone: code compiles again, operators are judged again, tiling values come out again. Prints
one line for each row that is wrong, and how many there are of each kind.

  --help, --version

Exit code: 0 where no row is wrong, 1 where one is, 3 where one could not be checked.
`

/** What a row names is wrong with that row alone. */
const noSuchTask = (error: unknown): never => {
  throw error instanceof UserError ? new DatasetError(error.message) : error
}

/** `dataset check` */
export async function datasetCheckCommand(args: readonly string[]): Promise<void> {
  const parsed = parseCommand('dataset check', usage, args, {})
  if (!parsed) return
  const path = onlyName('dataset check', parsed.positionals, 'a file of rows')
  const { root, options } = await configurationOf(process.cwd())
  const suites = runSuites(options, root)
  const abort = new AbortController()
  process.once('SIGINT', () => abort.abort())
  const judging = new Judging({ root, options, suites }, abort.signal, (line) => console.error(line))
  const tasks = new Map<string, Promise<KernelTask>>()
  const taskOf = async (suite: string, name: string): Promise<KernelTask> => {
    const key = `${suite}/${name}`
    let found = tasks.get(key)
    if (!found) tasks.set(key, (found = loadTask(suites.suites, key).catch(noSuchTask)))
    return await found
  }
  const counts = new Map<string, { right: number; wrong: number; unchecked: number; failed: number }>()
  try {
    for await (const { number, kind, problem, unchecked, failure } of checkRows(path, { taskOf, judging })) {
      const name = kind ?? 'no row'
      const count = counts.get(name) ?? { right: 0, wrong: 0, unchecked: 0, failed: 0 }
      counts.set(name, count)
      const said = failure === undefined ? problem : `could not be checked: ${failure}`
      if (said !== undefined) console.log(neutralText(`${path}:${number}: ${name}: ${said}`))
      count[failure !== undefined ? 'failed' : problem !== undefined ? 'wrong' : unchecked ? 'unchecked' : 'right']++
    }
  } catch (error) {
    if (error instanceof DatasetError) throw new UserError(neutralText(error.message), error.exitCode)
    if (error instanceof InfrastructureError) throw new UserError(neutralText(error.message), exitCodes.infrastructure)
    throw error
  } finally {
    await judging.close()
  }
  for (const [kind, { right, wrong, unchecked, failed }] of counts) {
    const nothing = unchecked > 0 ? `, ${unchecked} that nothing checks` : ''
    console.log(`${kind}: ${right} right, ${wrong} wrong${nothing}${failed > 0 ? `, ${failed} not checked` : ''}`)
  }
  const all = [...counts.values()]
  if (all.some(({ failed }) => failed > 0)) process.exitCode = exitCodes.infrastructure
  else if (all.some(({ wrong }) => wrong > 0)) process.exitCode = exitCodes.failed
}
