import { resolve } from 'node:path'
import { Judging } from '../dataset/judging.ts'
import { ProjectBuilder } from '../dataset/projects.ts'
import { mostScenarioBytes } from '../dataset/scenarios.ts'
import { datasetTemplates } from '../dataset/templates.ts'
import { createPrompter } from '../generation/prompter.ts'
import { neutralText } from '../model/index.ts'
import { runSuites } from '../vitest/run-suites.ts'
import { runBuilder } from './dataset-build.ts'
import { projectSources } from './dataset-sources.ts'
import { builderUsage, onlyPlace, parseBuilder } from './dataset-options.ts'
import { number, positive, whole } from './model-options.ts'
import { configurationOf } from './suites.ts'

const perPrompt = 4

const usage = `Usage: vitest-npu dataset projects <folder> --model <name> --out <folder>

Rows about whole operators. Of each operator project in the folder that solves a known task, scenarios are picked: cases of different tiling
keys, dtypes and block dims. The host part is run for each; branches that the case does not take are removed, and what is left is judged
again. A model is asked for the reasoning and for all values of the tiling: a row is kept where every value is the one that came out.

  --scenarios <n>           of one operator at most; 2
  --numbers <n>             values of a tiling at most, so that it can be worked out; 40
  --draws <n>               generated cases that are looked at beside the static ones; 24
${builderUsage(perPrompt, 'scenarios')}
  --help, --version

  npx vitest-npu dataset projects references/baseline --model files:chat --out projects
`

/** `dataset projects` */
export async function datasetProjectsCommand(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const parsed = parseBuilder('projects', usage, args, { scenarios: text, numbers: text, draws: text })
  if (!parsed) return
  const { options, values, places } = parsed
  const place = onlyPlace('projects', places, 'a folder of operator projects')
  const read = (option: string, otherwise: number, rule = positive): number =>
    number('dataset projects', values, option, rule) ?? otherwise
  const limits = {
    count: read('scenarios', 2),
    draws: read('draws', 24, whole),
    numbers: read('numbers', 40),
    seed: options.model.seed,
    bytes: mostScenarioBytes,
  }
  const { root, options: resolved } = await configurationOf(process.cwd())
  const suites = runSuites(resolved, root)
  const settings = { builder: 'projects', place, soc: resolved.soc, ...limits }
  await runBuilder(options, settings, async ({ folder, signal }) => {
    const sources = await projectSources([resolve(place)], suites)
    const judging = new Judging({ root, options: resolved, suites }, signal, tell)
    return {
      builders: [
        new ProjectBuilder({
          sources,
          folder,
          judging,
          prompter: createPrompter(),
          fill: datasetTemplates(options.prompts),
          limits,
          batch: options.batch ?? perPrompt,
          limit: options.limit ?? Infinity,
          tell,
        }),
      ],
      close: async () => await judging.close(),
    }
  })
}

const tell = (line: string): void => console.error(neutralText(line))
