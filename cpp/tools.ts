import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { findCompiler, type Compiler } from '../plugin/toolchain/compiler.ts'
import { repository } from './units.ts'

/** Names of a tool of LLVM, the version that Debian 12 has first: others format and find differently. */
const llvmNames = (tool: string): string[] => [`${tool}-16`, tool]

export interface Answer {
  ok: boolean
  text: string
}

/** Runs a program in the repository; what it prints is the answer. */
export async function ask(program: string, args: readonly string[]): Promise<Answer> {
  const options = { cwd: repository, maxBuffer: 2 ** 28 }
  return await new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ ok: error === null, text: [stdout, stderr].join('\n').trim() })
    })
  })
}

/** The first name that the tool answers to; undefined where it is not installed. */
export async function findTool(tool: string): Promise<string | undefined> {
  for (const name of llvmNames(tool)) if ((await ask(name, ['--version'])).ok) return name
  return undefined
}

/** The first of the compilers that is there and new enough. */
export async function findOneOf(names: readonly string[]): Promise<Compiler | undefined> {
  for (const name of names) {
    try {
      return await findCompiler({ ...process.env, NPU_CXX: name })
    } catch {
      // the next name
    }
  }
  return undefined
}

/** Does the same for each item, as many at a time as there are processors. */
export async function forAll<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
}
