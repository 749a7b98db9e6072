import { packageVersion } from '../files/index.ts'
import { didYouMean, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu dataset <what> …

Makes data to train models with, in which every row was checked by the compiler, the host part or the judge; see docs/dataset.md.

  docs <folder>                                  questions, reasoning and answers of Markdown manuals
  kernels <folder>...                            requests, reasoning and code of operator projects
  preferences [ledger | run]... --out <folder>   pairs of a better and a worse candidate, of what runs have judged
  edits [Task]... --out <folder>                 lays baseline operators and edits of them as samples, to be judged
  import <file>... --map <columns> --out <folder>
                                                 reads somebody else's rows
  mix <rows.jsonl>... --out <folder>             joins rows: filters, near-duplicates, tasks of benchmarks, ratios
  export <rows.jsonl>... --format <name>         writes rows as trainers read them
  projects <folder>                              reasoning about the tiling of operator projects, held against the host part
  errors <folder>...                             causes and corrections of errors, which have to compile or to be right
  check <rows.jsonl>                             checks every row again, from its file alone

  --help, --version   behind one of them its own help, with all of its options and examples

  npx vitest-npu dataset projects operators --model qwen3 --base-url http://localhost:8000/v1 --out rows/projects
  npx vitest-npu dataset check rows/projects/rows.jsonl
`

type Command = (args: readonly string[]) => void | Promise<void>

const commands: Record<string, () => Promise<Command>> = {
  docs: async () => (await import('./dataset-docs.ts')).datasetDocsCommand,
  kernels: async () => (await import('./dataset-kernels.ts')).datasetKernelsCommand,
  preferences: async () => (await import('./dataset-preferences.ts')).preferencesCommand,
  edits: async () => (await import('./dataset-edits.ts')).editsCommand,
  import: async () => (await import('./dataset-import.ts')).importRowsCommand,
  mix: async () => (await import('./dataset-mix.ts')).mixCommand,
  export: async () => (await import('./dataset-export.ts')).exportCommand,
  projects: async () => (await import('./dataset-projects.ts')).datasetProjectsCommand,
  errors: async () => (await import('./dataset-errors.ts')).datasetErrorsCommand,
  check: async () => (await import('./dataset-check.ts')).datasetCheckCommand,
}

/** `dataset` */
export async function datasetCommand([name, ...args]: readonly string[]): Promise<void> {
  if (name === undefined || name === '--help' || name === '-h') return console.log(usage.trimEnd())
  if (name === '--version') return console.log(packageVersion())
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  const names = Object.keys(commands)
  if (!command)
    throw new UserError(`dataset: nothing is called ${name}${didYouMean(name, names)}; there are ${names.join(', ')}`)
  await (
    await command()
  )(args)
}
