import { relative } from 'node:path'
import { findSamples } from '../candidates/index.ts'
import type { ProjectSource } from '../dataset/project-source.ts'
import { licenceAround, revisionOf } from '../dataset/source.ts'
import type { RunSuites } from '../vitest/run-suites.ts'
import { loadTasks } from './specs.ts'
import { UserError } from './user-error.ts'

/** The operator projects of some folders that solve known tasks. */
export async function projectSources(folders: readonly string[], suites: RunSuites): Promise<ProjectSource[]> {
  const { tasks } = await loadTasks(suites.suites)
  const found: ProjectSource[] = []
  for (const folder of folders) {
    const { samples } = findSamples([folder], suites)
    const licence = licenceAround(folder)
    const revision = await revisionOf(folder)
    for (const sample of samples) {
      const task = tasks.find(
        ({ interface: { suite, name } }) =>
          name === sample.task && (sample.suite === undefined || sample.suite === suite),
      )
      if (!task || sample.program !== undefined || sample.hostDir === null) continue
      found.push({ task, sample, source: relative(process.cwd(), sample.root), licence, revision })
    }
  }
  if (found.length === 0)
    throw new UserError(
      `${folders.join(' and ')}: ${folders.length > 1 ? 'hold' : 'holds'} no operator project of a known task`,
    )
  return found
}
