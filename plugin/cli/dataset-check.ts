import { resolve } from 'node:path'
import { checkRows } from '../dataset/check.ts'
import { CheckedLines, type CheckCounts } from '../dataset/checked-lines.ts'
import { DatasetError } from '../dataset/error.ts'
import { fileSha256 } from '../dataset/hash.ts'
import { Judging } from '../dataset/judging.ts'
import { checkMixed, type MixedContext } from '../dataset/mixed/check.ts'
import { packageVersion } from '../files/index.ts'
import { GenerationError } from '../generation/error.ts'
import { exitCodes, InfrastructureError, neutralText } from '../model/index.ts'
import { projectReader } from '../targets/emulator.ts'
import type { KernelTask } from '../task/index.ts'
import { runSuites } from '../vitest/run-suites.ts'
import { onlyName, parseCommand, tasksOption } from './command.ts'
import { benchmarksOf } from './dataset-benchmarks.ts'
import { everySoOften } from './dataset-progress.ts'
import { loadTask } from './specs.ts'
import { configurationOf } from './suites.ts'
import { UserError } from './user-error.ts'

const usage = `Usage: vitest-npu dataset check <rows.jsonl> [--out <folder>]

Checks every row by itself, from this file alone: code compiles again, operators are judged again, tiling values come out again. Imported
rows are held to what they claim: code of Ascend C compiles, whole operators by their own OpDef, names of the API exist, and no task
of a benchmark is in them. Prints one line for each thing that is wrong, and how many rows there are of each kind.

  --out <folder>            keeps what has become of each row in checked.jsonl; the same command goes on there after a kill
  --benchmarks <suites>     whose tasks, prompts and baselines must not be in an imported row: all suites that are known; none
  --tasks <folder>          the specs, instead of those of the configuration
  --help, --version

  npx vitest-npu dataset import cot.json --map alpaca --out cot && npx vitest-npu dataset check cot/rows.jsonl --out cot/checked

Exit code: 0 where no row is wrong, 1 where one is, 3 where one could not be checked.
`

/** What a row names is wrong with that row alone. */
const noSuchTask = (error: unknown): never => {
  throw error instanceof UserError ? new DatasetError(error.message) : error
}

/** `dataset check` */
export async function datasetCheckCommand(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const parsed = parseCommand('dataset check', usage, args, { ...tasksOption, out: text, benchmarks: text })
  if (!parsed) return
  const { values } = parsed
  const path = onlyName('dataset check', parsed.positionals, 'a file of rows')
  const { root, options } = await configurationOf(process.cwd())
  const suites = runSuites(options, root)
  const abort = new AbortController()
  process.once('SIGINT', () => abort.abort())
  const judging = new Judging({ root, options, suites }, abort.signal, (line) => console.error(line))
  const { soc, cann, jobs, allowWeakConfinement } = options
  const reader = projectReader({ cacheDir: resolve(root, options.cacheDir), soc, cann, jobs, allowWeakConfinement })
  const tasks = new Map<string, Promise<KernelTask>>()
  const taskOf = async (suite: string, name: string): Promise<KernelTask> => {
    const key = `${suite}/${name}`
    let found = tasks.get(key)
    if (!found) tasks.set(key, (found = loadTask(suites.suites, key).catch(noSuchTask)))
    return await found
  }
  // texts of all tasks are read where a row is held to them
  let mixed: Promise<MixedContext> | undefined
  const mixedContext = async (): Promise<MixedContext> => ({
    compiler: judging,
    reader,
    decontamination: await benchmarksOf(values.benchmarks, values.tasks),
  })
  let lines: CheckedLines | undefined
  try {
    const settings = {
      version: packageVersion(),
      rows: await fileSha256(path),
      benchmarks: values.benchmarks ?? 'all',
      soc,
    }
    lines = new CheckedLines(values.out === undefined ? undefined : { folder: resolve(values.out), settings })
    const progress = everySoOften((rows) => console.error(`dataset check: ${rows} rows looked at`))
    const checked = checkRows(path, {
      taskOf,
      judging,
      checkMixed: async (rows) => await checkMixed(rows, await (mixed ??= mixedContext())),
      isKnown: (number) => lines!.has(number),
    })
    for await (const line of checked) {
      abort.signal.throwIfAborted()
      for (const problem of line.problems)
        console.log(neutralText(`${path}:${line.number}: ${line.kind ?? 'no row'}: ${problem}`))
      lines.add(line)
      progress()
    }
    tell(lines.counts())
  } catch (error) {
    if (abort.signal.aborted) {
      console.error(values.out === undefined ? 'stopped' : 'stopped: the same command goes on')
      process.exitCode = 130
    } else if (error instanceof DatasetError || error instanceof GenerationError)
      throw new UserError(neutralText(error.message), error.exitCode)
    else if (error instanceof InfrastructureError)
      throw new UserError(neutralText(error.message), exitCodes.infrastructure)
    else throw error
  } finally {
    lines?.close()
    await judging.close()
    await reader.close()
  }
}

function tell(counts: ReadonlyMap<string, CheckCounts>): void {
  for (const [kind, { right, wrong, nothing, unchecked, compiled, reasons }] of counts) {
    const isImported = kind === 'mixed'
    const parts = [
      isImported ? `${right} right (${compiled} with code)` : `${right} right`,
      `${wrong} wrong`,
      ...(isImported ? [`${nothing} with nothing to verify`] : []),
      ...(unchecked > 0 ? [`${unchecked} not checked`] : []),
    ]
    console.log(`${kind}: ${parts.join(', ')}`)
    for (const [reason, count] of [...reasons].sort(([, one], [, other]) => other - one))
      console.log(`  ${count} wrong: ${neutralText(reason)}`)
  }
  const all = [...counts.values()]
  if (all.some(({ unchecked }) => unchecked > 0)) process.exitCode = exitCodes.infrastructure
  else if (all.some(({ wrong }) => wrong > 0)) process.exitCode = exitCodes.failed
}
