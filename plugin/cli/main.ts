#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { exitCodes, neutralText } from '../model/index.ts'
import { tasksFolder } from '../suites/index.ts'
import { goldenCommand } from './golden.ts'
import { importCommand } from './import.ts'
import { inputsCommand } from './inputs.ts'
import { ledgerCommands } from './ledger-commands.ts'
import { packageVersion } from '../files/index.ts'
import { didYouMean, messageOf, UserError } from './user-error.ts'
import { loadTask } from './specs.ts'
import { knownSuites } from './suites.ts'
import { tasksCommand } from './tasks.ts'

const usage = `Usage: vitest-npu <command>

  tasks [--json]                                       lists the tasks
  golden <Task> --in <manifest.json> --out <folder>    writes the right outputs for your inputs
  inputs <Task> --case <id> --out <folder> [--seed S]  writes the inputs that a run with this seed (default 0) draws
                                                       for a static case, and a manifest that golden takes
  init <folder> [--tasks <folder>]                     reads the OpDef of an operator project and writes a spec, whose
                                                       golden is left to you
  import <source>... --out <folder>                    lays samples where candidates are looked for: of JSONL files, packs of
      [--model M] [--sample S]                         MultiKernelBench, archives and folders of them and of operator projects
  mutate <Task> [sample]                               edits a kernel, one place at a time, and tells what its cases
                                                       do not notice: see mutate --help
  compile <program> --out <folder>                     compiles a kernel written in the DSL to an operator project: see
                                                       compile --help
  generate --model <name> --tasks <list> --name <run>  asks a model for kernels, judges them and has it repair them: see
                                                       generate --help
  score [samples | ledger | run]...                    prints pass@k, speedup and errors: of the latest run, of ledgers
                                                       and runs, or of a folder of samples, which it judges
  compare <A> <B>                                      tells what two ledgers or runs differ in
  report [ledger | run]... --out <file>                writes a page that shows runs, samples and sources
  merge <ledger | run>... --out <file>                 joins ledgers, of shards for instance
  gate [ledger | run]... <rules>                       tells whether a run keeps what is asked of it
  prune --keep <n>                                     removes old runs

  --tasks <folder>   the specs: default tasks/, else those of the package, with the suites that the Vitest
                     configuration registers
  --help             this text; of mutate, generate, compile, score, compare, report, merge, gate and prune their own
  --version          the version of vitest-npu

A task is named RmsNorm, or npukernelbench/RmsNorm where several suites have one of that name.
The manifest: {"inputs": {"x": "x.npy"}, "attrs": {"epsilon": 0.001}}, files relative to it. An input is a .npy file,
{"file": "x.npy", "dtype": "bfloat16"} for bit patterns, a list of files for a list of tensors, or null when it is absent.
`

/** Options of each command; true: must be given. Operands: how many, or how many at least. */
const commands = {
  tasks: { operands: 0, options: { json: false } },
  golden: { operands: 1, options: { in: true, out: true } },
  inputs: { operands: 1, options: { case: true, out: true, seed: false } },
  init: { operands: 1, options: {} },
  import: { operands: 'some', options: { out: true, model: false, sample: false } },
} as const satisfies Record<string, { operands: number | 'some'; options: Record<string, boolean> }>

async function main(args: readonly string[]): Promise<void> {
  if (args[0] === 'mutate') {
    const { mutateCommand } = await import('./mutate.ts')
    return await mutateCommand(args.slice(1))
  }
  if (args[0] === 'generate') {
    const { generateCommand } = await import('./generate.ts')
    return await generateCommand(args.slice(1))
  }
  if (args[0] === 'compile') {
    const { compileCommand } = await import('./compile.ts')
    return compileCommand(args.slice(1))
  }
  if (args[0] === 'report') {
    const { reportCommand } = await import('./report.ts')
    return reportCommand(args.slice(1))
  }
  const ledgerCommand = ledgerCommands.get(args[0] ?? '')
  if (ledgerCommand) return await ledgerCommand(args.slice(1))
  if (args[0] === '--version') return console.log(packageVersion())
  const { values, positionals } = parse(args)
  const [command, name] = positionals
  if (values.help || (command === undefined && args.length === 0)) return console.log(usage.trimEnd())
  if (command === undefined || !isCommand(command)) {
    const names = [...Object.keys(commands), 'mutate', 'generate', 'compile', 'report', ...ledgerCommands.keys()]
    const near = didYouMean(command ?? '', names)
    throw new UserError(`no command is called ${command ?? ''}${near}; there are ${names.join(', ')}`)
  }
  check(command, positionals.length - 1, values)
  if (command === 'init') {
    const { initCommand } = await import('./init.ts')
    return await initCommand(name!, values.tasks)
  }
  const folder = tasksFolder(values.tasks, process.cwd())
  if (!existsSync(folder)) throw new UserError(`--tasks: there is no folder ${folder}`)
  const seed = seedOf(values.seed)
  const suites = await knownSuites(values.tasks, process.cwd())
  if (command === 'tasks') return tasksCommand(suites, values.json ?? false)
  if (command === 'import') return importCommand(positionals.slice(1), suites, { ...values, out: values.out! })
  const task = await loadTask(suites, name!)
  if (command === 'golden') goldenCommand(task, values.in!, values.out!)
  else inputsCommand(task, values.case!, seed, values.out!)
}

const isCommand = (name: string): name is keyof typeof commands => name in commands

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: flag,
        help: { ...flag, short: 'h' },
        in: text,
        out: text,
        case: text,
        model: text,
        sample: text,
        seed: text,
        tasks: text,
      },
    })
  } catch (error) {
    throw new UserError(`${messageOf(error)}; see vitest-npu --help`)
  }
}

function check(command: keyof typeof commands, operands: number, values: Record<string, unknown>): void {
  const { operands: wanted, options } = commands[command]
  if (wanted === 'some') {
    if (operands === 0) throw new UserError(`${command}: name a file or folder; see vitest-npu --help`)
  } else if (operands < wanted) {
    const what = command === 'init' ? 'the folder of an operator project' : 'a task'
    throw new UserError(`${command}: name ${what}, e.g. vitest-npu ${command} AddCustom`)
  } else if (operands > wanted) {
    throw new UserError(`${command}: too many names; see vitest-npu --help`)
  }
  for (const option of Object.keys(values)) {
    if (option in options || option === 'tasks') continue
    const known = Object.keys(options).map((name) => `--${name}`)
    throw new UserError(`${command}: takes no --${option}; there are ${[...known, '--tasks'].join(', ')}`)
  }
  for (const [option, required] of Object.entries(options)) {
    if (required && values[option] === undefined)
      throw new UserError(`${command}: give --${option}; see vitest-npu --help`)
  }
}

function seedOf(text: string | undefined): number {
  const seed = Number(text ?? 0)
  if (text === '' || !Number.isInteger(seed) || seed < -(2 ** 31) || seed >= 2 ** 32) {
    throw new UserError(`--seed ${text}: is not a whole number of 32 bits`)
  }
  return seed
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
