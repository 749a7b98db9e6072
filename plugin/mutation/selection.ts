import { join, relative } from 'node:path'
import picomatch from 'picomatch'
import { realPath } from '../candidates/index.ts'
import { FileError, isInside, shownName } from '../files/index.ts'
import { RandomStream } from '../inputs/index.ts'
import type { Sample } from '../model/index.ts'
import { readRepositorySources } from '../toolchain/repository.ts'
import { isForeignArch, readSourceTree } from '../toolchain/sources.ts'
import { editsOf, lineOf, type Damage } from './edits.ts'
import { drawn, isDeviceSource, type Mutant, type Source } from './mutant.ts'

/** Files that match a glob, or lines of them. */
export interface Pattern {
  glob: string
  lines?: [from: number, to: number]
  /** leaves out what it matches */
  not: boolean
}

/** Which mutants are made. */
export interface Selection {
  /** none: all files of the operator */
  patterns: readonly Pattern[]
  kinds: readonly Damage[]
  /** every n-th */
  every: number
  /** so many, drawn */
  sample?: number | undefined
  seed: number
}

/** A source as people name it: from the folder of its operator, or of the repository. */
export interface NamedSource extends Source {
  name: string
  /** absolute */
  path: string
}

/** A mutant and the name of its file. */
export interface NamedMutant extends Mutant, NamedSource {}

/** `src/*.h`, `!src/x.h`, `x.cpp:3`, `x.cpp:3-17`; columns behind a line are left unread. */
export function patternOf(text: string): Pattern {
  const [, mark = '', glob = '', from, to] = /^(!?)(.*?)(?::(\d+)(?::\d+)?(?:-(\d+)(?::\d+)?)?)?$/.exec(text) ?? []
  const first = from === undefined ? undefined : Number(from)
  return { glob, not: mark !== '', ...(first !== undefined && { lines: [first, Number(to ?? first)] }) }
}

/**
 * The device sources of an operator, and the headers that it includes from its repository. `base` is the folder that a
 * workspace copies from.
 */
export async function sourcesOf(sample: Sample, base: string): Promise<{ own: NamedSource[]; shared: NamedSource[] }> {
  const { root, kernelDir, hostDir, repository } = sample
  const own = [kernelDir, ...(hostDir === null ? [] : [hostDir])].map(realPath)
  const tree = await readSourceTree(root, '', { own })
  const named = (folder: string, { name, text }: (typeof tree.files)[number]): NamedSource => {
    const path = join(folder, name)
    return { name, path, file: relative(base, path), text: text.toString('utf8') }
  }
  const sources = tree.files.map((file) => named(tree.root, file))
  const inRepository = repository === undefined ? undefined : await readRepositorySources(tree, repository, '')
  const folder = inRepository?.tree.root ?? ''
  return {
    own: sources.filter(
      (source) => isInside(source.path, realPath(kernelDir)) && isDeviceSource(source) && !isForeignArch(source.name),
    ),
    shared: (inRepository?.tree.files ?? []).map((file) => named(folder, file)).filter(isDeviceSource),
  }
}

/** No source that anybody has written is longer; what looks for edits takes time by the square of a line. */
const longestText = 2 ** 20
const longestLine = 1000

/** The edits of a source. Throws {@link FileError} for one that is too long to look for them. */
function editedBy(source: NamedSource): NamedMutant[] {
  const { text, name } = source
  if (text.length > longestText || text.split('\n').some((line) => line.length > longestLine))
    throw new FileError(
      `${shownName(name)} is too long to be edited: a megabyte, or a line of ${longestLine} characters; leave it out by --mutate '!${shownName(name)}'`,
    )
  return editsOf(text).map((edit): NamedMutant => ({ ...source, edit }))
}

/** The mutants of a selection, by file and place. Headers of the repository are edited where a pattern names them. */
export async function mutantsOf(
  sample: Sample,
  base: string,
  selection: Selection,
  from: string,
): Promise<NamedMutant[]> {
  const { own, shared } = await sourcesOf(sample, base)
  const { patterns, kinds, every, sample: count, seed } = selection
  const tests = patterns.map((pattern) => ({ ...pattern, matches: picomatch(pattern.glob) }))
  const [wanted, unwanted] = [tests.filter(({ not }) => !not), tests.filter(({ not }) => not)]
  const matching = (among: typeof tests, { name, path }: NamedSource): typeof tests =>
    among.filter(({ matches }) => matches(name) || matches(relative(from, path)))
  const isNamed = (among: typeof tests, mutant: NamedMutant): boolean => {
    const line = lineOf(mutant.text, mutant.edit.start)
    return matching(among, mutant).some(({ lines: [first, last] = [1, Infinity] }) => first <= line && line <= last)
  }
  const isLookedAt = (source: NamedSource): boolean =>
    (wanted.length === 0 || matching(wanted, source).length > 0) &&
    matching(unwanted, source).every(({ lines }) => lines !== undefined)
  const all = [...own, ...(wanted.length > 0 ? shared : [])]
    .filter(isLookedAt)
    .flatMap(editedBy)
    .filter((mutant) => kinds.includes(mutant.edit.damage))
    .filter((mutant) => (wanted.length === 0 || isNamed(wanted, mutant)) && !isNamed(unwanted, mutant))
    .filter((_, i) => i % every === 0)
  if (count === undefined) return all
  const chosen = new Set(drawn(all, count, new RandomStream(seed, 'mutants')))
  return all.filter((mutant) => chosen.has(mutant))
}
