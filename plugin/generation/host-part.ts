import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { packagedBaseline } from '../candidates/packaged.ts'
import { listBelow, readRegular } from '../files/index.ts'
import type { TaskInterface, ProjectFile } from '../model/index.ts'
import { npuKernelBench } from '../suites/index.ts'

/** The folder of the operator whose host part a kernel of this task is given. */
export type HostFolder = (task: TaskInterface) => string | undefined

/** That of the expert operator which comes with the package. */
export const packagedHost: HostFolder = ({ suite, name }) =>
  suite === npuKernelBench.name ? join(packagedBaseline, name) : undefined

/** Of one source. */
const maxBytes = 1 << 20

/**
 * The host part that a kernel of this task is completed with: its files, and the headers beside the operator that it includes.
 * Nothing of its kernel is read. Throws where there is none.
 */
export function hostPartOf(task: TaskInterface, folderOf: HostFolder): ProjectFile[] {
  const folder = folderOf(task)
  if (folder === undefined || !existsSync(join(folder, 'op_host')))
    throw new Error(`task ${task.name}: there is no host part that a kernel alone could be given: ask for mode full`)
  const own = listBelow(folder)
    .filter(({ name, kind }) => kind === 'file' && /^op_host\/.*\.(?:h|hpp|cpp)$/.test(name) && !/\.spec\./.test(name))
    .map(({ name }) => name)
    .sort()
  const found = new Map(own.map((path) => [path, contentOf(join(folder, path))]))
  // headers that operators share: `#include "op_host/rows.h"`, or from where the common folder lies
  const common = join(folder, '../common/inc')
  const open = [...found.values()]
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    for (const [, path = ''] of text.matchAll(/^#include "(?:common\/inc\/)?(op_host\/[\w/]+\.h)"/gm)) {
      if (found.has(path) || !existsSync(join(common, path))) continue
      const header = contentOf(join(common, path))
      found.set(path, header)
      open.push(header)
    }
  }
  return [...found].map(([path, content]) => ({ path, content }))
}

const contentOf = (file: string): string => readRegular(file, maxBytes).toString('utf8')
