import { mkdir, realpath, stat, symlink } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import { isInside, readRegular } from '../files/index.ts'
import { reading } from './reading-time.ts'
import { namedSources, operatorFolder, searchedFolders, tilingSources } from './repository-folders.ts'
import { isForeignArch, type SourceFile, type SourceTree } from './sources.ts'
import { blankComments } from './text.ts'

/** What a candidate includes from the operator repository it is part of. */
export interface RepositorySources {
  /** exactly the headers that are reached: nothing else of the repository can be read */
  tree: SourceTree
  /** folders to search, absolute */
  includes: string[]
  /** kernel folders of other operators by name, as `../other_op/x.h` means them */
  kernels: Map<string, string>
  /** sources outside of the candidate that its host part is linked with; `path` is absolute */
  sources: (SourceFile & { path: string })[]
}

/** A candidate that reaches more headers than this includes itself in circles. */
const maxFiles = 500
const maxBytes = 16 << 20

const includeDirective = /^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n\r]{1,1000})[>"]/gm

/** `../other_op/x.h` or `../../other_op/sub/x.h`: the build of a repository puts all kernels side by side in one folder. */
const besideKernel = /^(?:\.\.\/){1,2}(\w+)\/(.+)$/

const isFile = async (path: string): Promise<boolean> =>
  await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

/** The kernel folder of the operator `name`, in the category of this one or in another of the repository. */
async function kernelFolder(repository: string, operator: string, name: string): Promise<string | null> {
  const folder = await operatorFolder(repository, operator, name)
  const real = folder === null ? null : await realpath(join(folder, 'op_kernel')).catch(() => null)
  return real !== null && isInside(real, repository) ? real : null
}

const dependencyList =
  /\badd_(?:\w{0,99}modules_sources\s*\([^()]{0,9999}?\bDEPENDENCIES\b|dependent_ops\s*\()([^()]*)\)/g

/** Folders of operators from the root of the repository: `set(mine_depends attention/other CACHE INTERNAL "")`. */
const dependentFolders = /\bset\s*\(\s*\w+_depends\b([^()]*)\)/g

/** Operators that are built whenever this one is: `set(names ${ASCEND_OP_NAME} other)`. */
const builtAlong = /\b(?:set\s*\(\s*\w+\s+\$\{ASCEND_OP_NAME\}|list\s*\(\s*APPEND\s+ASCEND_OP_NAME\b)([^()]*)\)/g

/** The operators that the build of this one names as its dependencies: by name, or by folder. */
export const readDependencies = (cmakeLists: readonly string[]): string[] =>
  cmakeLists
    .map((text) => text.replace(/#[^\n]*/g, ''))
    .flatMap((text) => [dependencyList, dependentFolders, builtAlong].flatMap((list) => [...text.matchAll(list)]))
    .flatMap(
      ([, names]) =>
        (names ?? '')
          .trim()
          .split(/(?<!\s)\s+(?=[A-Z_]+\b)/)[0]
          ?.split(/\s+/) ?? [],
    )
    .filter((name) => /^\w+(?:\/\w+)?$/.test(name))

const sharedHeader = /^((?:.+\/)?)common\/inc(?:lude)?\/(.+)\.h$/
const standInHeader = /^((?:.+\/)?common\/stub\/.+|.+\/op_tiling\/.+)\.h$/
const templateHeader = /^third_party\/opbase\/pkg_inc\/(op_common\/atvoss\/.+)\.h$/
const tilingHeader = /^(?!.*\/op_api\/)(.*\/op_host\/.+)\.h$/

/** Where a repository may keep what a header of the host side declares: it links all of its host parts into one library. */
function sourcesOf(header: string): string[] {
  const name = header.split(sep).join('/')
  const [shared, template, beside] = [sharedHeader, templateHeader, tilingHeader].map((pattern) => pattern.exec(name))
  const standIn = standInHeader.exec(name)
  if (shared) return [`${shared[1]}common/src/${shared[2]}.cpp`]
  if (template) return [`third_party/opbase/src/${template[1]}.cpp`]
  if (standIn) return [`${standIn[1]}.cpp`, `${standIn[1]}.cc`]
  return beside && !isForeignArch(name) ? [`${beside[1]}.cpp`, `${beside[1]}.cc`] : []
}

/**
 * Follows the includes of a candidate into the operator repository around it, without regard to `#if`: a header that is not
 * found here may be ours or the system's.
 */
export async function readRepositorySources(
  candidate: SourceTree,
  folder: string,
  mark: string,
  cmakeLists: readonly string[] = [],
): Promise<RepositorySources> {
  const repository = await realpath(folder)
  const dependencies = reading('host', () => readDependencies(cmakeLists))
  const places = await searchedFolders({ repository, operator: candidate.root, cmakeLists }, dependencies)
  const found = await Promise.all(
    dependencies.map(async (name) => await tilingSources(repository, candidate.root, name)),
  )
  const linked = new Set<string>()
  const kernels = new Map<string, string>()
  const files = new Map<string, SourceFile>()
  const pending = candidate.files.map(({ name, text }) => ({ path: join(candidate.root, name), text }))

  const candidatesFor = async (from: string, name: string): Promise<string[]> => {
    const paths = [dirname(from), ...places].map((place) => join(place, name))
    const [, other, rest] = besideKernel.exec(name) ?? []
    if (other !== undefined && rest !== undefined) {
      const kernel = await kernelFolder(repository, candidate.root, other)
      if (kernel !== null) paths.push(join(kernel, rest))
    }
    return paths
  }
  const take = async (from: string, name: string): Promise<void> => {
    for (const path of await candidatesFor(from, name)) {
      if (!(await isFile(path))) continue
      const real = await realpath(path)
      if (isInside(real, candidate.root) || !isInside(real, repository)) return
      const key = relative(repository, real)
      if (files.has(key) || files.size === maxFiles) return
      add(real)
      for (const source of sourcesOf(key))
        if (await isFile(join(repository, source))) link(await realpath(join(repository, source)))
      return
    }
  }
  const add = (path: string): void => {
    const name = relative(repository, path)
    if (files.has(name)) return
    const text = readRegular(path, maxBytes)
    files.set(name, { name, text })
    pending.push({ path, text })
  }
  const link = (path: string): void => {
    if (isInside(path, candidate.root) || !isInside(path, repository)) return
    linked.add(path)
    add(path)
  }
  for (const path of found.flat()) link(path)
  for (const path of namedSources(repository, cmakeLists)) if (await isFile(path)) link(await realpath(path))
  for (let next = pending.shift(); next; next = pending.shift()) {
    const { path, text } = next
    const included = reading('host', () => [...blankComments(text.toString('utf8')).matchAll(includeDirective)])
    for (const [, name] of included) {
      const other = besideKernel.exec(name ?? '')?.[1]
      const kernel = other === undefined ? null : await kernelFolder(repository, candidate.root, other)
      if (other !== undefined && kernel !== null) kernels.set(other, kernel)
      await take(path, name ?? '')
    }
  }
  const sorted = [...files.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const key = hashOf(
    sorted.flatMap((file) => [file.name, file.text]),
    [...kernels.keys()].sort(),
  )
  const readable = sorted.map((file) => join(repository, file.name))
  const sources = sorted.map((file) => ({ ...file, path: join(repository, file.name) }))
  const tree = { root: repository, mark, files: sorted, key, readable }
  return {
    tree,
    includes: places,
    kernels,
    sources: sources.filter(({ path }) => linked.has(path)),
  }
}

/** Links kernels into `folder`, and returns the folders from which `../other_op/x.h` and `../../other_op/x.h` find them there. */
export async function linkSideBySide(folder: string, kernels: ReadonlyMap<string, string>): Promise<string[]> {
  const here = join(folder, '.here')
  const deeper = join(here, 'deeper')
  await mkdir(deeper, { recursive: true })
  for (const [name, target] of kernels) await symlink(target, join(folder, name))
  return [here, deeper]
}
