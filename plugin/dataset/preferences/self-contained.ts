import { basename } from 'node:path'
import { realPath } from '../../candidates/index.ts'
import type { Sample, ProjectFile } from '../../model/index.ts'
import { readRepositorySources } from '../../toolchain/repository.ts'
import { readSourceTree } from '../../toolchain/sources.ts'

const folderIn = /(?:^|\/)(op_kernel|op_host)\/(?:[^/]+\/)*[^/]+$/
const includeLine = /^([ \t]*#[ \t]*include[ \t]*)"([^"\n]+)"/gm

/**
 * The files of an operator with the headers that it shares with others among its own, so that nothing else is needed to build it.
 * Rejects where two of them would have one name.
 */
export async function selfContained(sample: Sample): Promise<ProjectFile[]> {
  const { root, kernelDir, hostDir, repository } = sample
  const own = [kernelDir, ...(hostDir === null ? [] : [hostDir])].map(realPath)
  const tree = await readSourceTree(root, '', { own })
  const shared = repository === undefined ? [] : (await readRepositorySources(tree, repository, '')).tree.files
  const files = tree.files
    .filter(({ name }) => folderIn.test(name))
    .map((file) => [file.name, file.text.toString('utf8')])
  /** new names of shared headers by the last part of their old ones */
  const moved = new Map<string, string>()
  for (const { name, text } of shared) {
    const [, folder] = folderIn.exec(name) ?? []
    if (folder === undefined) throw new Error(`${name}: is neither of a kernel nor of a host part`)
    const path = `${folder}/${basename(name)}`
    if (files.some(([known]) => known === path)) throw new Error(`${sample.task}: has two files ${path}`)
    moved.set(path, path)
    files.push([path, text.toString('utf8')])
  }
  return files.map(([path = '', text = '']) => ({ path, content: withMovedIncludes(path, text, moved) }))
}

/** Names headers that were moved by the way from the file that includes them. */
function withMovedIncludes(path: string, text: string, moved: ReadonlyMap<string, string>): string {
  const here = path.split('/')[0]
  return text.replaceAll(includeLine, (line, start: string, name: string) => {
    const inFolder = folderIn.exec(name)?.[1] ?? here
    const target = moved.get(`${inFolder}/${basename(name)}`)
    if (target === undefined) return line
    return `${start}"${inFolder === here ? basename(name) : `../${target}`}"`
  })
}
