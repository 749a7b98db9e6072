import { existsSync } from 'node:fs'
import { editedSamples } from '../dataset/preferences/edited-samples.ts'
import { selfContained } from '../dataset/preferences/self-contained.ts'
import { writeSample } from '../imports/index.ts'
import { messageOf, type Sample } from '../model/index.ts'
import { baselineOf, sharedTasks, suitesByTask } from '../suites/index.ts'
import { parseCommand, required, tasksOption, wholeNumber } from './command.ts'
import { requiredSuites } from './suites.ts'
import { UserError } from './user-error.ts'

export const editsUsage = `Usage: vitest-npu dataset edits [Task]... --out <folder>

Lays the baseline operators of tasks where candidates are looked for, each as it is and several times with one edit of its kernel,
headers that operators share among the files of each: <out>/<suite>/<Task>/original, <out>/<suite>/<Task>/lengths-2. Judge them
with score, and make preferences of the ledger. Nothing is judged here; what is there already stays.

  --out <folder>     where samples go
  --edits <n>        edits of each operator; 4
  --seed <s>         which edits are drawn; 0
  --tasks <folder>   the specs, instead of those of the configuration
  --help, --version

  npx vitest-npu dataset edits --out edits && npx vitest-npu score edits
  npx vitest-npu dataset edits RmsNorm Sscal --edits 10 --out edits
`

/** `dataset edits`: baseline operators and edits of them, as samples. */
export async function editsCommand(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const parsed = parseCommand('dataset edits', editsUsage, args, {
    ...tasksOption,
    out: text,
    edits: { type: 'string', default: '4' },
    seed: { type: 'string', default: '0' },
  })
  if (!parsed) return
  const { values, positionals: names } = parsed
  const out = required('dataset edits', 'out', values.out)
  const count = wholeNumber('--edits', values.edits, 0)
  const seed = wholeNumber('--seed', values.seed, 0)
  const suites = await requiredSuites(values.tasks)
  const owners = suitesByTask(suites)
  const unknown = names.find((name) => !owners.has(name))
  if (unknown !== undefined) throw new UserError(`dataset edits: no task is called ${unknown}; see vitest-npu tasks`)
  const shared = sharedTasks(owners)
  let [operators, written] = [0, 0]
  for (const [name, its] of owners) {
    if (names.length > 0 && !names.includes(name)) continue
    for (const suite of its) {
      const sample = baselineOf({ suite, name }, suites, shared)
      if (!sample || !isProject(sample)) continue
      operators++
      written += await lay(out, sample, { suite, task: name, count, seed })
    }
  }
  if (operators === 0) throw new UserError('dataset edits: none of these tasks has a baseline operator in Ascend C')
  console.log(`${written} samples of ${operators} operators written; judge them: npx vitest-npu score ${out}`)
}

/** A program of the DSL is none: its kernel is made of it. */
const isProject = ({ kernelDir, hostDir }: Sample): boolean =>
  existsSync(kernelDir) && hostDir !== null && existsSync(hostDir)

/** Writes an operator and its edits; says of one that cannot be laid why. Returns how many were written. */
async function lay(
  out: string,
  sample: Sample,
  { suite, task, count, seed }: { suite: string; task: string; count: number; seed: number },
): Promise<number> {
  try {
    const samples = editedSamples(task, await selfContained(sample), count, seed)
    const outcomes = samples.map(({ name, files }) =>
      writeSample(out, {
        suite,
        task,
        sample: name,
        model: null,
        files: new Map(files.map(({ path, content }) => [path, content])),
      }),
    )
    return outcomes.filter((outcome) => outcome === 'written').length
  } catch (error) {
    console.error(`${task}: ${messageOf(error)}`)
    return 0
  }
}
