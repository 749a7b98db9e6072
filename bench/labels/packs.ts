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
  /** how the card's harness found that outputs were wrong */
  failure: CardFailure | null
  /** places of the first errors in the log of the vendor's compilers, at most three; none where it names none */
  errors: { file: string; line: number }[]
}

/**
 * `values` and `shape`: the outputs were compared. `exception`: one was raised during the call. `device`: the device reported
 * an error. `crash`: the process ended. `no result`: the log says no more than that the operator was built.
 */
const cardFailures = ['values', 'shape', 'exception', 'device', 'crash', 'no result'] as const
export type CardFailure = (typeof cardFailures)[number]

/**
 * The labels, as `card.json` keeps them: folder of a branch, operator, and `right`, `wrong: <failure>`, `not run` or
 * `rejected [file:line]…`.
 */
export function readLabels(file: URL): Label[] {
  const folders = z.record(z.string(), z.record(z.string(), z.string())).parse(JSON.parse(readFileSync(file, 'utf8')))
  return Object.entries(folders).flatMap(([folder, operators]) => {
    const [branch = '', path = ''] = folder.split(':')
    return Object.entries(operators).map(([name, said]): Label => {
      const wrong = /^wrong: (.+)$/.exec(said)?.[1]
      return {
        branch,
        path: `${path}/${name}.txt`,
        name,
        compiled: !said.startsWith('rejected'),
        correct: said === 'right' ? true : wrong !== undefined ? false : null,
        failure: cardFailures.find((one) => one === wrong) ?? null,
        errors: [...said.matchAll(/(\S+):(\d+)/g)].map(([, file = '', line]) => ({ file, line: Number(line) })),
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

/** Everything of a pack that decides what it computes, without comments and space: packs that differ in nothing else are one. */
export const codeOf = ({ files, extension }: Pack): string =>
  [...files.values(), extension ?? ''].map((text) => text.replaceAll(/\/\*[^]*?\*\/|\/\/.*|\s+/g, '')).join('\0')
