import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { z } from 'zod'
import type { Cache } from '../cache/cache.ts'
import { hashOf } from '../cache/hash.ts'
import { isInside, readRegular, shownName } from '../files/index.ts'
import { BuildError, readFailure, saveFailure, simpleFailure, type BuildFailure } from './build-failure.ts'
import type { SourceTree } from './sources.ts'

export interface Step {
  /** folder of the cache */
  kind: string
  /** hash of everything but the candidate's files: flags, generated text, headers, compiler */
  baseKey: string
  trees: readonly SourceTree[]
  /** false: no file of the trees can shadow another, so a new one changes nothing for those that do not read it */
  shadowing?: boolean
  /**
   * Fills the folder and returns the files that were read. Throws `BuildError` when the candidate is at fault, anything
   * else when we are.
   */
  run: (folder: string) => Promise<string[]>
}

export type StepResult =
  | { ok: true; folder: string; cached: boolean }
  | { ok: false; failure: BuildFailure; cached: boolean }

const dependencyNote = z.object({
  /** index of the tree and path relative to its root */
  files: z.array(z.tuple([z.int(), z.string()])),
  hash: z.string(),
  entry: z.string(),
})

/** Thrown when a source was edited between being read and being compiled: read it again. */
export class SourcesChangedError extends Error {
  override readonly name = 'SourcesChangedError'

  constructor() {
    super('the sources changed while they were compiled')
  }
}

type FileList = readonly (readonly [number, string])[]

const heldText = (trees: readonly SourceTree[], index: number, name: string): Buffer | undefined =>
  trees[index]?.files.find((file) => file.name === name)?.text

/** Content of files, by tree and name, as it was read. */
function contentHash(trees: readonly SourceTree[], files: FileList): string {
  const hash = createHash('sha256')
  for (const [index, name] of files) {
    const text = heldText(trees, index, name)
    hash.update(text === undefined ? 'gone' : `${text.length}:`).update(text ?? '')
  }
  return hash.digest('hex')
}

/** What is compiled has been hashed before: a file that is no source by its name was not. */
function requireSources(trees: readonly SourceTree[], files: FileList): void {
  for (const [index, name] of files) {
    if (heldText(trees, index, name) !== undefined) continue
    const fix = 'give it the name of a source (.h, .inc) in a folder without a leading dot'
    throw new BuildError(simpleFailure('kernel', `includes ${shownName(name)}, which is no source by its name: ${fix}`))
  }
}

/** True when an editor was faster than the compiler: the result then belongs to no known content. */
const changedMeanwhile = (trees: readonly SourceTree[], files: FileList): boolean =>
  files.some(([index, name]) => {
    const then = heldText(trees, index, name)
    return then !== undefined && !textNow(join(trees[index]?.root ?? '/', name), then.length)?.equals(then)
  })

/** Null for a file that is gone, larger than before, or none any more. Links within the tree have been followed before. */
function textNow(path: string, bytes: number): Buffer | null {
  try {
    return readRegular(realpathSync(path), bytes)
  } catch {
    return null
  }
}

const allFiles = (trees: readonly SourceTree[]): FileList =>
  trees.flatMap((tree, index) => tree.files.map((file) => [index, file.name] as const))

async function outcome(folder: string, trees: readonly SourceTree[], cached: boolean): Promise<StepResult> {
  const failure = await readFailure(folder, trees)
  return failure === null ? { ok: true, folder, cached } : { ok: false, failure, cached }
}

/** What a step has made before it failed is of no use, and may be large. */
async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
}

/**
 * Runs a build step unless its result is known. A result is found by the content of all files of the candidate, or, after an
 * edit of another file, by the content of the files that the step really read. Lasting failures are results too.
 */
export async function cachedStep(cache: Cache, step: Step): Promise<StepResult> {
  const { kind, baseKey, trees } = step
  const key = hashOf(
    baseKey,
    trees.flatMap((tree) => [tree.mark, tree.key]),
  )
  const known = cache.lookup(kind, key)
  if (known) return await outcome(known, trees, true)

  // a header that is added to the candidate may shadow another: the names are part of the key
  const shadowing = step.shadowing === false ? [] : trees.map((tree) => [tree.mark, tree.files.map(({ name }) => name)])
  const names = [shadowing, trees.map((tree) => tree.others ?? [])]
  // copies of a candidate share a cache: each has a note of its own, and a new copy starts from the latest note of all
  const roots = trees.map(({ root }) => root)
  const ownNote = hashOf(baseKey, 'at', roots, names)
  const notes = [ownNote, hashOf(baseKey, names)]
  for (const name of notes) {
    const note = dependencyNote.safeParse(await cache.readNote(`${kind}-reads`, name))
    if (!note.success || note.data.hash !== contentHash(trees, note.data.files)) continue
    const folder = cache.lookup(kind, note.data.entry)
    if (!folder) continue
    if (name !== ownNote) await cache.writeNote(`${kind}-reads`, ownNote, note.data)
    return await outcome(folder, trees, true)
  }

  const work = async (folder: string): Promise<void> => {
    try {
      const read = await step.run(folder)
      const files = read.flatMap((path): [number, string][] => {
        const index = trees.findIndex((tree) => isInside(path, tree.root))
        const tree = trees[index]
        return tree ? [[index, relative(tree.root, path)]] : []
      })
      requireSources(trees, files)
      if (changedMeanwhile(trees, files)) throw new SourcesChangedError()
      const note = { files, hash: contentHash(trees, files), entry: key }
      for (const name of notes) await cache.writeNote(`${kind}-reads`, name, note)
    } catch (error) {
      if (!(error instanceof BuildError)) throw error
      if (changedMeanwhile(trees, allFiles(trees))) throw new SourcesChangedError()
      if (!error.lasting) throw error
      await empty(folder)
      await saveFailure(folder, error.failure, trees)
    }
  }
  try {
    return await outcome(await cache.entry(kind, key, work), trees, false)
  } catch (error) {
    if (error instanceof BuildError) return { ok: false, failure: error.failure, cached: false }
    throw error
  }
}
