import { basename, dirname, join } from 'node:path'
import type { Sample } from '../model/index.ts'
import { isLevel, readLevel } from './benchmark-layout.ts'
import { foldersOf } from './folder.ts'
import { readOperator } from './own-layout.ts'
import { ignoredFrom, isProject, isShared, merge, readProject, type Found } from './project.ts'

/**
 * Finds the candidates under the given absolute folders, in the project's own layout or in that of NPUKernelBench, by
 * listing folders only; `task` limits the search to one operator. Never throws for what is on disk: a folder that is
 * missing, unreadable or in neither layout comes back in `ignored`.
 */
export function findSamples(roots: readonly string[], task?: string): Found {
  const found = merge(
    roots.map((root) => {
      const part = readRoot(root, task)
      const label = basename(root)
      return roots.length === 1 ? part : { ...part, samples: part.samples.map((sample) => prefixed(sample, label)) }
    }),
  )
  return { ...found, samples: withUniqueNames(found.samples) }
}

function readRoot(root: string, task: string | undefined): Found {
  try {
    const label = basename(root)
    if (isProject(root)) return task === undefined || task === label ? readProject(root, label, label) : nothing
    const parts = foldersOf(root).map((name): Found => {
      const path = join(root, name)
      if (isShared(path)) return nothing
      try {
        if (isLevel(name)) return readLevel(path, task)
        if (name === 'tasks' && foldersOf(path).some(isLevel)) return readRoot(path, task)
        return task === undefined || task === name ? readOperator(path, name, label) : nothing
      } catch (error) {
        return { samples: [], ignored: [ignoredFrom(path, error)] }
      }
    })
    return merge(parts)
  } catch (error) {
    return { samples: [], ignored: [ignoredFrom(root, error)] }
  }
}

const nothing: Found = { samples: [], ignored: [] }

/** With several roots a name says which one it is from: `sonnet/sample0`. */
const prefixed = (sample: Sample, label: string): Sample =>
  sample.name === label ? sample : { ...sample, name: `${label}/${sample.name}` }

/** Two roots of the same name, or one given twice: the parent folder tells them apart, a number if need be. */
function withUniqueNames(samples: readonly Sample[]): Sample[] {
  const seen = new Set<string>()
  return samples.map((sample) => {
    let name = sample.name
    if (seen.has(`${sample.task}\0${name}`)) name = `${basename(dirname(sample.root))}/${sample.name}`
    for (let i = 2; seen.has(`${sample.task}\0${name}`); i++) name = `${sample.name}#${i}`
    seen.add(`${sample.task}\0${name}`)
    return name === sample.name ? sample : { ...sample, name }
  })
}
