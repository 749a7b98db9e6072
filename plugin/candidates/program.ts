import { basename, dirname, join } from 'node:path'
import { isInside, isOddName } from '../files/index.ts'
import type { Sample } from '../model/index.ts'
import { filesOf, realPath } from './folder.ts'
import type { Found } from './project.ts'

/** How files of the DSL are called. */
const extension = '.npu.ts'

/** Is this the name of a program? */
export const isProgram = (file: string): boolean => file.endsWith(extension)

const programsIn = (path: string): string[] => filesOf(path).filter(isProgram)

/** Reads the programs in the folder of a task: `<Task>/<name>.npu.ts` is the sample `<name>`. */
export const readPrograms = (path: string, { task, within }: { task: string; within: string }): Found =>
  found(path, programsIn(path), within, (file) => ({ task, name: basename(file, extension) }))

/** Reads programs that are called like the tasks that they are for, `<Task>.npu.ts`: samples of the name of the folder. */
export function readTaskPrograms(
  path: string,
  label: string,
  {
    tasks = [],
    task,
    within,
  }: { tasks?: readonly string[] | undefined; task?: { readonly name: string } | undefined; within: string },
): Found {
  const known = (name: string): boolean => (task === undefined ? tasks.includes(name) : task.name === name)
  const files = programsIn(path).filter((file) => known(basename(file, extension)))
  return found(path, files, within, (file) => ({ task: basename(file, extension), name: label }))
}

function found(
  path: string,
  files: readonly string[],
  within: string,
  named: (file: string) => { task: string; name: string },
): Found {
  const parts = files
    .map((file) => join(path, file))
    .filter((file) => isInside(file, within))
    .map((file): Found => {
      if (isOddName(basename(file)))
        return { samples: [], ignored: [{ path: file, reason: 'has a name that no candidate may have: rename it' }] }
      return { samples: [sampleOf(realPath(file), named(file))], ignored: [] }
    })
  return { samples: parts.flatMap(({ samples }) => samples), ignored: parts.flatMap(({ ignored }) => ignored) }
}

const sampleOf = (program: string, { task, name }: { task: string; name: string }): Sample => ({
  task,
  name,
  root: dirname(program),
  kernelDir: dirname(program),
  hostDir: null,
  cmakeLists: [],
  program,
})
