import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Judging } from '../dataset/judging.ts'
import { KernelsBuilder, kernelsVersion } from '../dataset/kernels/builder.ts'
import { findOperators } from '../dataset/kernels/find.ts'
import { datasetTemplates } from '../dataset/templates.ts'
import { projectReader } from '../targets/emulator.ts'
import { runSuites } from '../vitest/run-suites.ts'
import { runBuilder } from './dataset-build.ts'
import { builderUsage, parseBuilder, textOf } from './dataset-options.ts'
import { number, positive } from './model-options.ts'
import { configurationOf } from './suites.ts'
import { UserError } from './user-error.ts'

const defaultBatch = 12
const defaultLength = 8000
const defaultPerOperator = 4

const usage = `Usage: vitest-npu dataset kernels <folder>... --model <name> --out <folder>

Makes requests, reasoning and code of operator projects and of programs of the DSL: of kernels, their classes, methods and functions,
each with what it needs of its repository and nothing else. A row is taken where its code compiles, and its request gives nothing of it away.

  --length <n>              characters of code of one row at most; ${defaultLength}
  --each <n>                rows of one operator at most; ${defaultPerOperator}
  --licence <name>          of the operators, as an SPDX expression; unknown
${builderUsage(defaultBatch, 'pieces of code')}
  --help, --version

  npx vitest-npu dataset kernels ~/ops --licence Apache-2.0 --model qwen3 --out data/kernels
`

/** `dataset kernels` */
export async function datasetKernelsCommand(args: readonly string[]): Promise<void> {
  const parsed = parseBuilder('kernels', usage, args, {
    length: { type: 'string' },
    each: { type: 'string' },
    licence: { type: 'string' },
  })
  if (!parsed) return
  const { options, values, places: folders } = parsed
  if (folders.length === 0) throw new UserError('dataset kernels: name folders of operator projects')
  const missing = folders.find((folder) => !existsSync(folder))
  if (missing !== undefined) throw new UserError(`dataset kernels: there is no ${missing}`)
  const longest = number('dataset kernels', values, 'length', positive) ?? defaultLength
  const perOperator = number('dataset kernels', values, 'each', positive) ?? defaultPerOperator
  const licence = textOf(values)('licence') ?? 'unknown'
  const settings = {
    builder: 'kernels',
    source: folders.join(' '),
    longest,
    perOperator,
    licence,
    prompts: kernelsVersion,
  }
  await runBuilder(options, settings, async ({ folder, signal }) => {
    const { root, options: project } = await configurationOf(process.cwd())
    const suites = runSuites(project, root)
    const judging = new Judging({ root, options: project, suites }, signal, (line) => console.error(line))
    const close = async (): Promise<void> => await judging.close()
    try {
      const { soc, cann, jobs, allowWeakConfinement } = project
      const target = { cacheDir: resolve(root, project.cacheDir), soc, cann, jobs, allowWeakConfinement }
      const found = await findOperators(folders, {
        longest,
        found: async (key, make) => await folder.found(key, make),
        reader: projectReader(target),
        compiler: judging,
        signal,
      })
      const refused = found.flatMap(({ rejections }) => rejections)
      folder.decide('material', { rows: [], rejections: refused })
      const builder = new KernelsBuilder(found, {
        batch: options.batch ?? defaultBatch,
        perOperator,
        limit: options.limit,
        licence,
        templates: datasetTemplates(options.prompts),
      })
      return { builders: [builder], close }
    } catch (error) {
      await close()
      throw error
    }
  })
}
