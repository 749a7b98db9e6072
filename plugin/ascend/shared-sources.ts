import { dirname, join, relative } from 'node:path'
import { isInside } from '../files/index.ts'
import type { Sources } from '../toolchain/build-candidate.ts'
import { filesBelow } from '../toolchain/sources.ts'
import type { PlacedFile } from './remote-folder.ts'

/** What a candidate shares with the operator repository that it is part of, as it lies in a generated project. */
export interface SharedSources {
  placed: PlacedFile[]
  /** folders to search, below the project */
  includes: string[]
}

type Repository = NonNullable<Sources['repository']>

/** The deepest folder that both are in. */
function commonFolder(a: string, b: string): string {
  let folder = a
  while (!isInside(b, folder)) folder = dirname(folder)
  return folder
}

/**
 * Headers of operator repositories that a candidate, and the host part that completes it, include; and sources that their host parts
 * are linked with. They lie as they do in the repository, so that an include finds another one by the same way. Folders of the
 * candidate itself are there empty: `../../common/x.h` is looked for from them.
 */
export function sharedSources({ repository, hostRepository, kernelDir, hostDir }: Sources): SharedSources {
  const own = repository ? mirror(repository, 'shared', [kernelDir, hostDir]) : none
  if (!hostRepository || hostRepository === repository) return own
  const others = mirror(hostRepository, 'shared_host', [hostDir])
  return { placed: [...own.placed, ...others.placed], includes: [...own.includes, ...others.includes] }
}

const none: SharedSources = { placed: [], includes: [] }

/** Folders are there where something is in them. */
const empty = (folder: string): PlacedFile => ({ path: join(folder, 'empty.txt'), content: '' })

function mirror(
  { tree, includes, kernels, sources }: Repository,
  place: string,
  from: readonly [string, ...string[]],
): SharedSources {
  const base = commonFolder(from[0], tree.root)
  const placeOf = (path: string): string => join(place, relative(base, path))
  const searched = [
    ...from.filter((folder) => isInside(folder, base)),
    ...includes.filter((folder) => isInside(folder, base)),
  ]
  // the build of a repository puts all kernels side by side in one folder
  const beside = join(place, 'beside')
  const here = [join(beside, 'here'), join(beside, 'here', 'deeper')]
  return {
    placed: [
      ...tree.files.map(({ name, text }) => ({ path: placeOf(join(tree.root, name)), content: text })),
      ...from.filter((folder) => isInside(folder, base)).map((folder) => empty(placeOf(folder))),
      ...[...kernels].flatMap(([name, folder]) =>
        filesBelow(tree, folder).map((file) => ({
          path: join(beside, name, relative(folder, join(tree.root, file.name))),
          content: file.text,
        })),
      ),
      ...(kernels.size > 0 ? here.map(empty) : []),
      ...sources.map(({ path }, index) => ({
        path: join('op_host', `${place}_${index}.cpp`),
        content: `#include "../${placeOf(path)}"\n`,
      })),
    ],
    includes: [...new Set([...searched.map(placeOf), ...(kernels.size > 0 ? here : [])])],
  }
}
