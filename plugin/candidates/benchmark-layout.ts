import { join } from 'node:path'
import { foldersOf } from './folder.ts'
import { isProject, merge, readProject, type Found } from './project.ts'

/** NPUKernelBench sorts its operators into `level1` … `level3`. */
export const isLevel = (name: string): boolean => /^level_?[1-3]$/i.test(name)

/** Reads `<level>/<Category>/<Operator>/…`. `path` is the level's folder; `task` limits the search to one operator. */
export function readLevel(path: string, task?: string): Found {
  return merge(
    foldersOf(path).map((category) => {
      const categoryPath = join(path, category)
      const operators = foldersOf(categoryPath).filter((name) => task === undefined || name === task)
      return merge(operators.map((name) => readBenchmarkOperator(join(categoryPath, name), name)))
    }),
  )
}

/** `answer/<n>/` is judged on every case, `fixed_case_<k>/sample<j>/src/` on static case k only. */
function readBenchmarkOperator(path: string, task: string): Found {
  const parts = foldersOf(path).map((name) => {
    if (name === 'answer') return readAnswers(join(path, name), task)
    const fixed = /^fixed_case_(\d+)$/.exec(name)
    return fixed ? readRuns(join(path, name), task, name, Number(fixed[1])) : { samples: [], ignored: [] }
  })
  const found = merge(parts)
  if (found.samples.length > 0 || found.ignored.length > 0) return found
  return { samples: [], ignored: [{ path, reason: 'neither answer/<n>/op_kernel nor fixed_case_<k>/sample<j>/src' }] }
}

const readAnswers = (path: string, task: string): Found =>
  merge(
    foldersOf(path)
      .filter((name) => isProject(join(path, name)))
      .map((name) => readProject(join(path, name), task, `answer/${name}`)),
  )

const readRuns = (path: string, task: string, run: string, fixedCase: number): Found =>
  merge(
    foldersOf(path).map((name) => {
      const source = join(path, name, 'src')
      if (isProject(source)) return readProject(source, task, `${run}/${name}`, fixedCase)
      return { samples: [], ignored: [{ path: join(path, name), reason: 'no src/op_kernel' }] }
    }),
  )
