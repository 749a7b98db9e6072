import { randomInt } from 'node:crypto'
import { relative, resolve } from 'node:path'
import { vendorOperators } from '../ascend/vendor/operators.ts'
import { exitCodes, InfrastructureError, neutralText } from '../model/index.ts'
import { npuKernelBench } from '../suites/index.ts'
import { ascendTarget, AscendTarget } from '../targets/ascend.ts'
import { targetOf } from '../vitest/run.ts'
import { runSuites } from '../vitest/run-suites.ts'
import { writeVendorFigures } from '../vitest/vendor-figures.ts'
import { parseCommand, wholeNumber } from './command.ts'
import { recordVendorOperators } from './record-vendor.ts'
import { loadTasks } from './specs.ts'
import { configurationOf } from './suites.ts'
import { didYouMean, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu baseline record [Task]...

Has a device time the vendor's own operators, on the cases that latencies of candidates are taken on, and writes the figures with
versions, clock, date and spread to <soc>.json. Each operator is judged before it is timed; what is wrong, missing or unsteady has
no figure, and the file says why. Options of the target are those of the configuration (target, soc, latencyCase).

  --rounds <n>       of ten launches each; 10
  --seed <s>         of the inputs; another one each time
  --out <folder>     the option vendorFigures: references/vendor
  --host <user@box>  records on a machine that ssh reaches
  --help, --version

  NPU_SOC=Ascend910B2 npx vitest-npu baseline record
  npx vitest-npu baseline record Sqrt RmsNorm --host me@box
`

/** `baseline`: what the vendor's own operators take. */
export async function baselineCommand(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const parsed = parseCommand('baseline', usage, args, { rounds: text, seed: text, out: text, host: text })
  if (!parsed) return
  const { values, positionals } = parsed
  const [verb, ...names] = positionals
  if (verb !== 'record') throw new UserError('baseline: say record; see vitest-npu baseline --help')
  const unknown = names.find((name) => !Object.hasOwn(vendorOperators, name))
  if (unknown !== undefined)
    throw new UserError(
      `baseline: ${unknown} is no task of NPUKernelBench${didYouMean(unknown, Object.keys(vendorOperators))}`,
    )
  const rounds = wholeNumber('--rounds', values.rounds ?? '10', 1)
  const seed = values.seed === undefined ? randomInt(2 ** 31) : wholeNumber('--seed', values.seed, 0)
  const { root, options } = await configurationOf(process.cwd())
  const { suites, shared } = runSuites(options, root)
  const { tasks, broken } = await loadTasks(suites.filter(({ name }) => name === npuKernelBench.name))
  for (const line of broken) console.error(neutralText(`cannot be loaded: ${line}`))
  const wanted = tasks.filter(({ interface: { name } }) => names.length === 0 || names.includes(name))
  if (wanted.length === 0) throw new UserError('baseline: no spec defines such a task')
  const target = targetOf(
    { ...options, target: factoryOf(options.target, values.host) },
    root,
    { suites, shared },
    (line) => console.error(line),
  )
  if (!(target instanceof AscendTarget)) throw new UserError(`baseline: ${options.target.name} is no device`)
  try {
    const figures = await recordVendorOperators(wanted, {
      target,
      choice: options,
      seed,
      rounds,
      onProgress: (line) => console.error(neutralText(line)),
    })
    const path = writeVendorFigures(resolve(root, values.out ?? options.vendorFigures), figures)
    const { operators, absent } = figures
    console.log(`${relative(process.cwd(), path)}: ${operators.length} operators, ${absent.length} tasks without`)
    if (operators.length === 0) process.exitCode = exitCodes.infrastructure
  } catch (error) {
    if (error instanceof InfrastructureError) throw new UserError(error.message, exitCodes.infrastructure)
    throw error
  } finally {
    await target.close()
  }
}

type Factory = Parameters<typeof targetOf>[0]['target']

/** The device of the configuration, or the one that is named. */
function factoryOf(configured: Factory, host: string | undefined): Factory {
  if (host !== undefined) return ascendTarget({ host })
  return configured.name === 'ascend' ? configured : ascendTarget()
}
