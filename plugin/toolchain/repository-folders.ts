import { readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isInside } from '../files/index.ts'
import { isForeignArch } from './sources.ts'

/** Folders that operator repositories search for quoted names, besides their root. */
const ofRepository = [
  '',
  'common/inc',
  'common/inc/op_host',
  'common/inc/common',
  'common/inc/external',
  'common/inc/op_graph',
  'common/include',
  'common/include/external',
  'common/include/kernel',
  'common/inc/kernel',
  'common/inc/foreach/op_kernel',
  'common/inc/foreach/op_tiling',
  'common/op_host',
  'common/op_host/op_tiling',
  // where their builds put the templates that they download
  'third_party/catlass/include',
  'third_party/opbase/pkg_inc',
  'third_party/opbase/pkg_inc/op_common',
  'third_party/json/include',
  'third_party/json/single_include',
  'third_party/nlohmann_json/include',
  'include',
  // what stands in for headers of the framework comes last
  'common/stub/inc',
  'common/stub/op_tiling',
]

/** The same for each folder between the repository and the operator: a category has shared headers of its own. */
const ofCategory = ['common', 'common/inc', 'common/include', 'common/op_host', 'common/op_host/op_tiling', '']

/** The folders around an operator, from its own category to the repository, without the latter. */
export function categoriesOf(repository: string, operator: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(operator); isInside(folder, repository) && folder !== repository; folder = dirname(folder))
    folders.push(folder)
  return folders
}

/** Arguments of `target_include_directories` that are folders of the repository: `${CMAKE_SOURCE_DIR}/src/common/inc`. */
const includeFolder = /\$\{(?:CMAKE_SOURCE_DIR|OPS_\w+_DIR|PROJECT_SOURCE_DIR)\}\/([\w./-]+)/g

/** The folders that CMakeLists.txt of an operator name as their own to search, from the top of the checkout. */
const namedFolders = (repository: string, cmakeLists: readonly string[]): string[] =>
  cmakeLists
    .flatMap((text) => [...text.replace(/#[^\n]*/g, '').matchAll(includeFolder)])
    .flatMap(([, folder = '']) => [join(repository, folder), join(dirname(repository), folder)])
    .filter((folder) => isInside(folder, repository))

/** Sources that the build of an operator adds to the library of its tiling or inference functions. */
const addedSources = /\btarget_sources\s*\(\s*(?:optiling|opsproto)\b([^()]*)\)/g

/** Where they lie: `${OP_COMMON_DIR}/src/foreach/op_tiling/foreach_tiling_func.cpp`. */
const sourceFile = /\$\{(OP_COMMON_DIR|CMAKE_SOURCE_DIR|OPS_\w+_DIR|PROJECT_SOURCE_DIR)\}\/([\w./-]+\.(?:cpp|cc))\b/g

/** The sources of the repository, outside of the operator, that its CMakeLists.txt names as its own; not all of them exist. */
export const namedSources = (repository: string, cmakeLists: readonly string[]): string[] =>
  cmakeLists
    .flatMap((text) => [...text.replace(/#[^\n]*/g, '').matchAll(addedSources)])
    .flatMap(([, sources = '']) => [...sources.matchAll(sourceFile)])
    .flatMap(([, folder, file = '']) =>
      folder === 'OP_COMMON_DIR'
        ? [join(repository, 'common', file)]
        : [join(repository, file), join(dirname(repository), file)],
    )

/** What an operator of a repository is built from. */
export interface RepositoryPlace {
  /** real paths */
  repository: string
  operator: string
  cmakeLists: readonly string[]
}

/** The folders to search for quoted names, absolute, the nearest ones first where they are as good. */
export async function searchedFolders(place: RepositoryPlace, dependencies: readonly string[]): Promise<string[]> {
  const { repository, operator, cmakeLists } = place
  const others = await Promise.all(dependencies.map(async (name) => await operatorFolder(repository, operator, name)))
  const folders = [
    ...ofRepository.map((each) => join(repository, each)),
    ...categoriesOf(repository, operator).flatMap((category) => ofCategory.map((each) => join(category, each))),
    ...namedFolders(repository, cmakeLists),
    ...others.flatMap((folder) =>
      folder === null ? [] : ['op_host', 'op_host/op_tiling', 'op_kernel'].map((each) => join(folder, each)),
    ),
  ]
  return [...new Set(folders)]
}

const realFolder = async (folder: string, repository: string): Promise<string | null> => {
  const real = await realpath(folder).catch(() => null)
  return real !== null && isInside(real, repository) ? real : null
}

/** The folder of an operator that is named by its folder from the root, or alone: then it is near, or in another category. */
export async function operatorFolder(repository: string, operator: string, name: string): Promise<string | null> {
  if (name.includes('/')) return await realFolder(join(repository, name), repository)
  for (const category of categoriesOf(repository, operator)) {
    const near = await realFolder(join(category, name), repository)
    if (near !== null) return near
  }
  const categories = await readdir(repository, { withFileTypes: true }).catch(() => [])
  for (const { name: category } of categories.filter((entry) => entry.isDirectory())) {
    const other = await realFolder(join(repository, category, name), repository)
    if (other !== null) return other
  }
  return null
}

/** The tiling sources of another operator, without those for other devices. */
export async function tilingSources(repository: string, operator: string, name: string): Promise<string[]> {
  const other = await operatorFolder(repository, operator, name)
  if (other === null) return []
  const folder = join(other, 'op_host')
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  // a folder that defines no operator is shared: its headers say what is needed of it
  if (name.includes('/') && !names.some((file) => file.endsWith('_def.cpp'))) return []
  const sources = names.filter((file) => /_tiling\w*\.cpp$/.test(file) && !isForeignArch(file))
  const real = await Promise.all(sources.map(async (file) => await realpath(join(folder, file))))
  return real.filter((file) => isInside(file, repository)).sort()
}
