import { existsSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { isOddName } from '../files/index.ts'
import type { Ignored, Sample } from '../model/index.ts'
import { filesOf, FolderError, foldersOf, isFolder, realPath } from './folder.ts'

/** What a search came to: samples to judge, and folders that looked like one and are not. */
export interface Found {
  samples: Sample[]
  ignored: Ignored[]
}

/** Is this the folder of one operator project? */
export const isProject = (path: string): boolean => isFolder(join(path, 'op_kernel'))

/** Is it one that can be judged? */
export function hasKernel(path: string): boolean {
  try {
    return isProject(path) && filesOf(join(path, 'op_kernel')).some((file) => file.endsWith('.cpp'))
  } catch {
    return false
  }
}

/** What a folder of candidates says of one project in it. */
export interface ProjectFacts {
  task: string
  name: string
  suite?: string | undefined
  fixedCase?: number | undefined
  /** whether the folders beside it are other samples of the task */
  amongSamples?: boolean
}

/** Reads one operator project: `op_kernel/*.cpp` and optionally `op_host/` and CMakeLists.txt. */
export function readProject(path: string, { task, name, suite, fixedCase, amongSamples = false }: ProjectFacts): Found {
  // reports, commands and tests are named after them
  if ([task, basename(path), ...name.split('/')].some(isOddName))
    return { samples: [], ignored: [{ path, reason: 'has a name that no candidate may have: rename it' }] }
  const role = roleOf(basename(path))
  if (amongSamples && role !== undefined) return { samples: [], ignored: [{ path, reason: reasonOf(role) }] }
  const root = realPath(path)
  const kernelDir = join(root, 'op_kernel')
  const hostDir = isFolder(join(root, 'op_host')) ? join(root, 'op_host') : null
  try {
    if (!filesOf(kernelDir).some((file) => file.endsWith('.cpp')))
      return { samples: [], ignored: [{ path: kernelDir, reason: 'holds no .cpp file' }] }
  } catch (error) {
    return { samples: [], ignored: [ignoredFrom(kernelDir, error)] }
  }
  const cmakeLists = [kernelDir, ...(hostDir ? [hostDir] : []), root]
    .map((folder) => join(folder, 'CMakeLists.txt'))
    .filter((file) => existsSync(file))
  const repository = repositoryAround(root, amongSamples)
  const sample: Sample = {
    task,
    ...(suite !== undefined && { suite }),
    name,
    root,
    kernelDir,
    hostDir,
    cmakeLists,
    ...(repository && { repository }),
    ...(fixedCase !== undefined && { fixedCase }),
  }
  return { samples: [sample], ignored: [] }
}

/** How deep operator repositories keep their operators: `fla/ops/ascendc/gdn/chunk_gdn_fwd/solve_tri`. */
const deepest = 7

/** Where operator repositories keep the headers of their host parts, below `common`. */
const sharedHeaders = [
  join('inc', 'op_host'),
  join('inc', 'tiling'),
  join('inc', 'log'),
  join('include', 'tiling_base'),
  join('include', 'op_host'),
]

/** Where a repository without a `common` folder keeps them, or a template library its templates. */
const ownHeaders = [join('include', 'ge'), join('include', 'catlass')]

/** Where a checkout keeps the repository whose shared headers its operators are built with. */
const broughtAlong = join('libs', 'common_include', 'cann-ops', 'src')

/**
 * What a folder of this name is to the operators beside it and below, so that no task, model or sample can be called so where
 * others lie; undefined: it can.
 */
export function roleOf(name: string): string | undefined {
  if (/^op_(?:kernel|host)$/.test(name)) return 'a part of an operator'
  const shared = ['common', ...[...ownHeaders, broughtAlong].map((path) => path.split(sep)[0])]
  return shared.includes(name) ? 'what operators share' : undefined
}

/** Why no sample and no model on disk can be called so. */
export const reasonOf = (role: string): string => `has the name of ${role}: rename it`

/** How deep candidates lie in the folder of a model: `<suite>/<task>/<sample>`. */
const belowModel = 3

/** Do candidates lie below this folder? Then it is somebody's, and what it holds is nobody else's. */
function holdsCandidates(path: string, depth = belowModel): boolean {
  try {
    return foldersOf(path).some(
      (name) => hasKernel(join(path, name)) || (depth > 1 && holdsCandidates(join(path, name), depth - 1)),
    )
  } catch {
    return false
  }
}

/** Is this the `common` folder of an operator repository? */
const isRepositoryCommon = (path: string): boolean =>
  basename(path) === 'common' && sharedHeaders.some((folder) => isFolder(join(path, folder))) && !holdsCandidates(path)

/** Is this an operator repository? Where samples of a task lie, one that is called as it calls its headers is none. */
function hasSharedHeaders(path: string, areSamples: boolean): boolean {
  const isSample = (name: string): boolean => areSamples && hasKernel(join(path, name))
  if (isRepositoryCommon(join(path, 'common')) && !isSample('common')) return true
  const include = join(path, 'include')
  return ownHeaders.some((folder) => isFolder(join(path, folder))) && !hasKernel(include) && !holdsCandidates(include)
}

/** A `common` folder with headers of its own, as `../../common/x.h` means it. */
const isHeaderFolder = (path: string): boolean =>
  basename(path) === 'common' &&
  isFolder(path) &&
  filesOf(path).some((file) => /\.(?:h|hpp)$/.test(file)) &&
  !holdsCandidates(path)

/** Does this folder hold the headers that the operators beside it share? */
export const isShared = (path: string): boolean => isRepositoryCommon(path) || isHeaderFolder(path)

/**
 * The repository of operators that share headers in `common`, when the folder of a project is in one. Without a
 * repository it is the folder `common` beside the operator alone: nothing else around a candidate is to be read.
 * `amongSamples`: the folders beside it are other samples of its task, which share nothing.
 */
export function repositoryAround(root: string, amongSamples = false): string | undefined {
  let folder = dirname(root)
  for (let depth = 0; depth < deepest && folder !== dirname(folder); depth++, folder = dirname(folder)) {
    const areSamples = amongSamples && depth === 0
    if (hasSharedHeaders(folder, areSamples)) return folder
    const brought = join(folder, broughtAlong)
    if (!(areSamples && hasKernel(join(folder, 'libs'))) && hasSharedHeaders(brought, false)) return brought
  }
  const beside = join(dirname(root), 'common')
  return isHeaderFolder(beside) && !(amongSamples && hasKernel(beside)) ? beside : undefined
}

/** Turns a {@link FolderError} into an ignored folder; anything else is ours and is thrown on. */
export function ignoredFrom(path: string, error: unknown): Ignored {
  if (error instanceof FolderError) return { path, reason: error.message }
  throw error
}

/** All of several searches, in order. */
export const merge = (parts: readonly Found[]): Found => ({
  samples: parts.flatMap((part) => part.samples),
  ignored: parts.flatMap((part) => part.ignored),
})
