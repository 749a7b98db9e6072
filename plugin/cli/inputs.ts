import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { caseOfRun } from '../evaluation/seed.ts'
import type { TensorValue } from '../model/index.ts'
import { staticCaseOf } from '../task/facts.ts'
import { specsOf, tensorsOf, type KernelTask } from '../task/index.ts'
import { onlyName, parseCommand, required, tasksOption } from './command.ts'
import { makeOutFolder, writeArgument } from './files.ts'
import type { Manifest } from './manifest.ts'
import { loadTask } from './specs.ts'
import { requiredSuites } from './suites.ts'
import { UserError } from './user-error.ts'

const usage = `Usage: vitest-npu inputs <Task> --case <id> --out <folder>

Writes the inputs that a run draws for a static case, as .npy files, and a manifest that golden takes. A task is named RmsNorm, or
npukernelbench/RmsNorm where several suites have one of that name.

  --case <id>        the static case: 3 for what tests call static 3
  --out <folder>     where the inputs go
  --seed <s>         of the run, as NPU_SEED; 0
  --tasks <folder>   the specs: tasks/, else those of the package, with the suites that the Vitest configuration registers
  --help, --version

  npx vitest-npu inputs RmsNorm --case 3 --seed 4711 --out drawn
`

/** `inputs`: what a run with this seed draws for a static case, and the manifest that hands it to `golden`. */
export async function inputsCommand(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const parsed = parseCommand('inputs', usage, args, { ...tasksOption, case: text, out: text, seed: text })
  if (!parsed) return
  const { values, positionals } = parsed
  const name = onlyName('inputs', positionals, 'a task')
  const [id, out] = [required('inputs', 'case', values.case), required('inputs', 'out', values.out)]
  const seed = seedOf(values.seed)
  draw(await loadTask(await requiredSuites(values.tasks), name), id, seed, out)
}

function seedOf(text = '0'): number {
  const seed = Number(text)
  if (text === '' || !Number.isInteger(seed) || seed < -(2 ** 31) || seed >= 2 ** 32)
    throw new UserError(`--seed ${text}: is not a whole number of 32 bits`)
  return seed
}

/** Writes what a run with this seed draws for a static case. */
export function draw(task: KernelTask, id: string, seed: number, out: string): void {
  const wanted = staticCaseOf(task.staticCases, id)
  if (!wanted) {
    const ids = task.staticCases.map(({ name }) => name.replace('static ', ''))
    const known = ids.length > 12 ? `${ids.slice(0, 3).join(', ')} … ${ids.at(-1)}` : ids.join(', ')
    throw new UserError(`--case ${id}: ${task.interface.name} has no such static case; there are ${known}`)
  }
  const kernelCase = caseOfRun(wanted, seed)
  const drawn = task.draw(kernelCase)
  makeOutFolder(out)
  const inputs: Manifest['inputs'] = {}
  for (const [name, value] of Object.entries(drawn)) inputs[name] = entryOf(value, writeArgument(out, name, value))
  const outputs: Record<string, number[]> = {}
  for (const [name, spec] of Object.entries(kernelCase.outputs)) {
    const [first] = specsOf(spec)
    if (first && !Array.isArray(spec)) outputs[name] = first.shape
  }
  const manifest: Manifest = { inputs, attrs: kernelCase.attrs, outputs }
  writeFileSync(join(out, 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  console.log(`manifest.json: ${task.interface.name}, case ${id}, seed ${seed}`)
}

type Entry = Manifest['inputs'][string]

// .npy has no bfloat16: its bit patterns need their name.
function entryOf(value: TensorValue, files: readonly string[]): Entry {
  if (value === null) return null
  const entries = tensorsOf(value).map(({ dtype }, i) =>
    dtype === 'bfloat16' ? { file: files[i]!, dtype } : files[i]!,
  )
  return 'data' in value ? entries[0]! : entries
}
