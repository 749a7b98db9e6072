import { buildErrors, type Compiler } from '../kernels/compile.ts'
import { factsOf } from '../kernels/find.ts'
import { maxBytes } from '../kernels/include-graph.ts'
import { codeOf } from '../kernels/pieces.ts'
import { entryName } from '../kernels/snippets.ts'
import type { ProjectFile } from '../../model/index.ts'
import type { ProjectReader } from '../../targets/emulator.ts'
import type { Block } from './claims.ts'

const isKernel = (code: string): boolean => /__global__/.test(code)
const registers = (code: string): boolean => /^[ \t]*OP_ADD\s*\(/m.test(code)

const include = /^[ \t]*#[ \t]*include[ \t]*"([^"\n]{1,300})"[^\n]*$/gm
const ownHeader = /^(?:\.{1,2}\/)*\w*tiling\w*\.h$/

/** Headers of tiling data that a source includes of its own project, without their folders. */
const ownIncludes = (text: string): string[] =>
  [...text.matchAll(include)].flatMap(([, path = '']) => (ownHeader.test(path) ? [path.split('/').at(-1)!] : []))

/** The same without these includes, for where what they hold stands before it. */
export const withoutOwnIncludes = (text: string): string =>
  text.replaceAll(include, (line, path: string) => (ownHeader.test(path) ? '' : line))

/**
 * The files of a whole operator, where a row holds one: a kernel, a host part that registers it, and the headers of both. Blocks without a
 * path are told apart by what they hold, headers get the name that others include. Undefined: it is not a whole one.
 */
export function operatorIn(blocks: readonly Block[]): ProjectFile[] | undefined {
  const parts = blocks.map(({ name, text }) => ({ name, text, code: codeOf(text) }))
  const kernels = parts.filter(({ code }) => isKernel(code))
  const entries = new Set(kernels.map(({ code }) => entryName(code)))
  const [entry] = entries
  if (entries.size !== 1 || entry === undefined || entry === '') return undefined
  if (kernels.length !== 1 || parts.filter(({ code }) => registers(code)).length !== 1) return undefined
  const free = [...new Set(parts.flatMap(({ text }) => ownIncludes(text)))]
  const files: ProjectFile[] = []
  for (const { name, text, code } of parts) {
    if (name !== undefined && /^op_(?:host|kernel)\//.test(name)) files.push({ path: name, content: text })
    else if (isKernel(code)) files.push({ path: `op_kernel/${entry}.cpp`, content: text })
    else if (registers(code)) files.push({ path: `op_host/${entry}.cpp`, content: text })
    else {
      const header = free.shift() ?? `${entry}_tiling.h`
      for (const folder of ['op_host', 'op_kernel']) files.push({ path: `${folder}/${header}`, content: text })
    }
  }
  // whoever gives paths may give odd ones
  const isWhole = ['op_host/', 'op_kernel/'].every((folder) => files.some(({ path }) => path.startsWith(folder)))
  return isWhole ? files : undefined
}

/** Compiles a whole operator as its own OpDef says. What is wrong with it; null: nothing. */
export async function operatorProblem(
  compiler: Compiler,
  reader: ProjectReader,
  files: readonly ProjectFile[],
): Promise<string | null> {
  const large = files.find(({ content }) => Buffer.byteLength(content) > maxBytes)
  if (large) return `${large.path} is larger than 1 MiB`
  const facts = await compiler.withFiles({ name: 'Operator' }, files, async ({ root }) => ({
    found: await factsOf({ source: '', root, around: root }, reader),
  }))
  if ('problem' in facts) return facts.problem
  if (typeof facts.found === 'string') return facts.found
  const kernel = files.filter(({ path }) => path.startsWith('op_kernel/'))
  const [error] = await buildErrors(compiler, facts.found, kernel)
  return error ? error.message : null
}
