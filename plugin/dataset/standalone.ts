import { basename, dirname, join, relative } from 'node:path'
import type { Sample, ProjectFile } from '../model/index.ts'
import { readRepositorySources } from '../toolchain/repository.ts'
import { readSourceTree } from '../toolchain/sources.ts'

const include = /^([ \t]*#[ \t]*include[ \t]*)"([^"\n]+)"/gm

interface Source {
  /** absolute */
  path: string
  text: string
}

/**
 * The files of an operator as a project of its own: headers that it shares with others in its repository are beside its own ones, and
 * includes name them there.
 */
export async function standaloneFiles(sample: Sample): Promise<ProjectFile[]> {
  const own = await readSourceTree(sample.root, 'own')
  const lists = own.files.filter(({ name }) => basename(name) === 'CMakeLists.txt').map(({ text }) => text.toString())
  const shared =
    sample.repository === undefined ? undefined : await readRepositorySources(own, sample.repository, 'shared', lists)
  const sources = new Map<string, Source>()
  for (const tree of [own, ...(shared ? [shared.tree] : [])])
    for (const { name, text } of tree.files) {
      const path = join(tree.root, name)
      sources.set(path, { path, text: text.toString('utf8') })
    }
  const isOwn = (path: string): boolean => path.startsWith(`${own.root}/`)
  const side = (path: string): string | undefined =>
    [sample.kernelDir, sample.hostDir].find((folder) => folder !== null && path.startsWith(`${folder}/`)) ?? undefined
  const placed = new Map<string, { path: string; content: string }>()
  const placeOf = (path: string, folder: string): string =>
    isOwn(path) ? relative(own.root, path) : join(basename(folder), basename(path))

  /** Places a source for one side of the operator, and what it includes. */
  const place = (source: Source, folder: string): void => {
    const at = placeOf(source.path, folder)
    if (placed.has(at)) return
    const file = { path: at, content: source.text }
    placed.set(at, file)
    const searched = [dirname(source.path), folder, ...(shared?.includes ?? [])]
    file.content = source.text.replaceAll(include, (directive: string, start: string, name: string) => {
      const found = searched.map((each) => sources.get(join(each, name))).find((each) => each !== undefined)
      if (!found) return directive
      place(found, folder)
      const to = relative(dirname(at), placeOf(found.path, folder))
      return `${start}"${to}"`
    })
  }
  for (const source of sources.values()) {
    const folder = isOwn(source.path) ? side(source.path) : undefined
    if (folder !== undefined) place(source, folder)
    else if (isOwn(source.path)) {
      const at = relative(own.root, source.path)
      placed.set(at, { path: at, content: source.text })
    }
  }
  for (const { path } of shared?.sources ?? []) {
    const source = sources.get(path)
    if (source && sample.hostDir !== null) place(source, sample.hostDir)
  }
  return [...placed.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}
