#!/usr/bin/env node
import { exitCodes, neutralText } from '../model/index.ts'
import { packageVersion } from '../files/index.ts'
import { didYouMean, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu <command>

  tasks                                                lists the tasks
  golden <Task> --in <manifest.json> --out <folder>    writes the right outputs for your inputs
  inputs <Task> --case <id> --out <folder>             writes the inputs that a run draws for a static case
  init <folder>                                        reads the OpDef of an operator project and writes a spec, whose
                                                       golden is left to you
  import <source>... --out <folder>                    lays samples where candidates are looked for: of JSONL files, packs of
                                                       MultiKernelBench, archives and folders of them and of operator projects
  mutate <Task> [sample]                               edits a kernel, one place at a time, and tells what its cases
                                                       do not notice
  compile <program> --out <folder>                     compiles a kernel written in the DSL to an operator project
  generate --model <name> --tasks <list>               asks a model for kernels, judges them and has it repair them
  dataset <what> ...                                   makes data to train models with, in which every row was checked
  score [samples | ledger | run]...                    prints pass@k, speedup and errors: of the latest run, of ledgers
                                                       and runs, or of a folder of samples, which it judges
  compare <A> <B>                                      tells what two ledgers or runs differ in
  report [ledger | run]... --out <file>                writes a page that shows runs, samples and sources
  merge <ledger | run>... --out <file>                 joins ledgers, of shards for instance
  gate [ledger | run]... <rules>                       tells whether a run keeps what is asked of it
  prune --keep <n>                                     removes old runs
  differ --target <A>,<B> <samples>...                 judges samples on two targets, and lists what they disagree on
  doctor                                               tells what targets need, what is missing, and how to get it

  --help       this text; behind a command its own, with all of its options and examples
  --version    the version of vitest-npu
`

type Command = (args: readonly string[]) => void | Promise<void>

/** Loaded when they are asked for: some bring Vite along. */
const commands: Record<string, () => Promise<Command>> = {
  tasks: async () => (await import('./tasks.ts')).tasksCommand,
  golden: async () => (await import('./golden.ts')).goldenCommand,
  inputs: async () => (await import('./inputs.ts')).inputsCommand,
  init: async () => (await import('./init.ts')).initCommand,
  import: async () => (await import('./import.ts')).importCommand,
  mutate: async () => (await import('./mutate.ts')).mutateCommand,
  compile: async () => (await import('./compile.ts')).compileCommand,
  generate: async () => (await import('./generate.ts')).generateCommand,
  dataset: async () => (await import('./dataset.ts')).datasetCommand,
  score: async () => (await import('./score.ts')).scoreCommand,
  compare: async () => (await import('./compare.ts')).compareCommand,
  report: async () => (await import('./report.ts')).reportCommand,
  merge: async () => (await import('./merge.ts')).mergeCommand,
  gate: async () => (await import('./gate.ts')).gateCommand,
  prune: async () => (await import('./prune.ts')).pruneCommand,
  differ: async () => (await import('./differ.ts')).differCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
}

async function main([name, ...args]: readonly string[]): Promise<void> {
  if (name === undefined || name === '--help' || name === '-h') return console.log(usage.trimEnd())
  if (name === '--version') return console.log(packageVersion())
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  const names = Object.keys(commands)
  if (!command)
    throw new UserError(`no command is called ${name}${didYouMean(name, names)}; there are ${names.join(', ')}`)
  await (
    await command()
  )(args)
}

// whoever reads has seen enough, e.g. head
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

try {
  await main(process.argv.slice(2))
} catch (error) {
  process.exitCode = error instanceof UserError ? error.exitCode : exitCodes.infrastructure
  // a message may quote what a ledger, an archive or a name of a file says
  console.error(error instanceof UserError ? neutralText(error.message) : error)
}
