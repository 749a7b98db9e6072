import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { z } from 'zod'
import { PackError, readPack, type Pack } from '../../plugin/candidates/pack.ts'
import type { Sample, TaskInterface } from '../../plugin/model/index.ts'

/** What a real Ascend 910B and its toolchain (CANN 8.3.RC2) said of one model-written operator. */
export interface Label {
  /** branch of the repository, and path of the pack in it */
  branch: string
  path: string
  /** snake-case name of the operator, e.g. `softplus` */
  name: string
  /** did the vendor's build succeed */
  compiled: boolean
  /** did the outputs agree on the card; null: not run */
  correct: boolean | null
  /** place of the first error of the vendor's compilers, where the log names one */
  error: { file: string; line: number } | null
}

/** The labels, as `card.json` keeps them: folder of a branch, operator, and `right`, `wrong`, `not run` or `rejected [file:line]`. */
export function readLabels(file: URL): Label[] {
  const folders = z.record(z.string(), z.record(z.string(), z.string())).parse(JSON.parse(readFileSync(file, 'utf8')))
  return Object.entries(folders).flatMap(([folder, operators]) => {
    const [branch = '', path = ''] = folder.split(':')
    return Object.entries(operators).map(([name, said]): Label => {
      const place = /^rejected (.+):(\d+)$/.exec(said)
      return {
        branch,
        path: `${path}/${name}.txt`,
        name,
        compiled: !said.startsWith('rejected'),
        correct: said === 'right' ? true : said === 'wrong' ? false : null,
        error: place ? { file: place[1]!, line: Number(place[2]) } : null,
      }
    })
  })
}

/** The text of a pack in a checkout, without a work tree. */
export async function packText(checkout: string, { branch, path }: Label): Promise<string> {
  for (const reference of [branch, `origin/${branch}`]) {
    const shown = await execa('git', ['-C', checkout, 'show', `${reference}:${path}`], { reject: false })
    if (shown.exitCode === 0) return shown.stdout
  }
  throw new Error(`${checkout} has no ${path} on the branch ${branch}`)
}

/** An operator of a pack on disk, with the interface that it says it has; or why there is none. */
export type Imported = { sample: Sample; task: TaskInterface; pack: Pack } | { unusable: string }

/** Writes the files of a pack below `root`. */
export function importPack(text: string, name: string, root: string): Imported {
  try {
    const pack = readPack(text, name)
    for (const [path, content] of pack.files) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    }
    // the card's build took a template in place of a host part that is empty
    if (![...pack.files].some(([path, text]) => path.startsWith('op_host/') && text.includes('OP_ADD')))
      return { unusable: 'the pack has no host part' }
    const task = pack.operator
    const sample: Sample = {
      task,
      name: 'pack',
      root,
      kernelDir: join(root, 'op_kernel'),
      hostDir: join(root, 'op_host'),
      cmakeLists: [],
    }
    return { sample, task: { name: task, suite: 'own', group: null, category: 'Pack', ...pack.interface }, pack }
  } catch (error) {
    if (error instanceof PackError) return { unusable: error.message }
    throw error
  }
}
