import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { caseOfRun } from '../evaluation/seed.ts'
import type { TensorValue } from '../model/index.ts'
import { staticCaseOf } from '../task/facts.ts'
import { specsOf, tensorsOf, type KernelTask } from '../task/index.ts'
import { makeFolder, writeArgument } from './files.ts'
import type { Manifest } from './manifest.ts'
import { UserError } from './user-error.ts'

/** `inputs`: what a run with this seed draws for a static case, and the manifest that hands it to `golden`. */
export function inputsCommand(task: KernelTask, id: string, seed: number, out: string): void {
  const wanted = staticCaseOf(task.staticCases, id)
  if (!wanted) {
    const ids = task.staticCases.map(({ name }) => name.replace('static ', ''))
    const known = ids.length > 12 ? `${ids.slice(0, 3).join(', ')} … ${ids.at(-1)}` : ids.join(', ')
    throw new UserError(`--case ${id}: ${task.interface.name} has no such static case; there are ${known}`)
  }
  const kernelCase = caseOfRun(wanted, seed)
  const drawn = task.draw(kernelCase)
  makeFolder(out)
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
