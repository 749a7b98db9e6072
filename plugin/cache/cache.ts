import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, open, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { makeFolder, readRegular } from '../files/index.ts'
import { codeOf, InfrastructureError, messageOf } from '../model/error.ts'
import { scratchName, sweepScratch } from '../process/scratch.ts'

/** The cache of a project: `NPU_CACHE_DIR`, else `node_modules/.cache/vitest-npu` below its root. */
export const cacheFolderOf = (projectRoot: string, env: NodeJS.ProcessEnv = process.env): string =>
  env['NPU_CACHE_DIR'] || join(projectRoot, 'node_modules', '.cache', 'vitest-npu')

/** Entries that nothing asked for in this time are removed. */
const entryLifeMs = 30 * 86_400_000

/** Files with the outcomes of earlier runs. Every seed and every edit makes new ones: their number is bounded too. */
export const verdictsKind = 'verdicts'
/** How the names of those end that hold what failed: right outcomes, of which candidates make as many as they like, never push them out. */
export const failuresEnding = '.failures'

const largestNote = 64 << 20

/** Bytes of a kind that are kept, of failures as many beside them; what was used longest ago makes room. */
const mostBytes: Record<string, number> = { [verdictsKind]: 256 * 2 ** 20 }

/**
 * Folders named by the hash of everything that went into them: `<root>/<kind>/<key>/`. An entry is written beside its place
 * and renamed, so it is complete or absent, whoever else builds the same key at the same time; one that was damaged since is absent as well.
 */
export class Cache {
  readonly root: string
  readonly #building = new Map<string, Promise<string>>()

  /** Throws `InfrastructureError` when the folder cannot be written. */
  constructor(root: string) {
    this.root = root
    try {
      makeFolder(root)
      const probe = join(root, scratchName())
      writeFileSync(probe, '')
      rmSync(probe)
    } catch (error) {
      throw new InfrastructureError(`cannot write the cache folder ${root} (set NPU_CACHE_DIR): ${messageOf(error)}`)
    }
    this.#sweep()
  }

  /** The folder of an entry, or null. A hit renews the entry's lease. */
  lookup(kind: string, key: string): string | null {
    const path = join(this.root, kind, key)
    if (!isWhole(path)) return null
    const now = new Date()
    utimes(path, now, now).catch(() => {})
    return path
  }

  /** The folder of an entry; `build` fills an empty folder when there is none yet. A failed build leaves nothing. */
  async entry(kind: string, key: string, build: (folder: string) => Promise<void>): Promise<string> {
    const id = `${kind}/${key}`
    const running = this.#building.get(id)
    if (running) return await running
    const hit = this.lookup(kind, key)
    if (hit) return hit
    const work = this.#build(kind, key, build).finally(() => this.#building.delete(id))
    this.#building.set(id, work)
    return await work
  }

  /** A small JSON file that may be replaced: `<root>/<kind>/<key>.json`; null when absent or unreadable. */
  async readNote(kind: string, key: string): Promise<unknown> {
    try {
      return JSON.parse(readRegular(join(this.root, kind, `${key}.json`), largestNote).toString('utf8'))
    } catch {
      return null
    }
  }

  async writeNote(kind: string, key: string, value: unknown): Promise<void> {
    const path = join(this.root, kind, `${key}.json`)
    const draft = join(dirname(path), scratchName())
    await mkdir(dirname(path), { recursive: true })
    await writeFile(draft, JSON.stringify(value))
    await rename(draft, path)
  }

  async #build(kind: string, key: string, build: (folder: string) => Promise<void>): Promise<string> {
    const parent = join(this.root, kind)
    const path = join(parent, key)
    const draft = join(parent, scratchName())
    await mkdir(draft, { recursive: true })
    try {
      await build(draft)
      const sizes = sizesIn(draft)
      await writeFile(join(draft, sizesName), JSON.stringify(sizes))
      await Promise.all([...Object.keys(sizes), sizesName].map((name) => onDisk(join(draft, name))))
      // a link, a file or a damaged entry in its place is none, wherever it leads
      if (!isWhole(path)) await rm(path, { recursive: true, force: true })
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      // another process was first: its entry is as good as ours
      const code = codeOf(error)
      if ((code === 'ENOTEMPTY' || code === 'EEXIST') && isWhole(path)) return path
      throw error
    }
    return path
  }

  #sweep(): void {
    const oldest = Date.now() - entryLifeMs
    for (const kind of readdirSync(this.root, { withFileTypes: true })) {
      if (!kind.isDirectory()) continue
      const folder = join(this.root, kind.name)
      sweepScratch(folder)
      const room = { right: mostBytes[kind.name] ?? Infinity, failed: mostBytes[kind.name] ?? Infinity }
      for (const { path, mtimeMs, size } of newestFirst(folder)) {
        const side = path.endsWith(failuresEnding) ? 'failed' : 'right'
        room[side] -= size
        if (mtimeMs >= oldest && room[side] >= 0) continue
        try {
          rmSync(path, { recursive: true, force: true })
        } catch {
          // a concurrent sweep, or another user's entry
        }
      }
    }
  }
}

/** The sizes of all files of an entry, in its folder: a full disk or a machine that was switched off leaves some that are cut off. */
const sizesName = '.sizes.json'

const sizesIn = (folder: string): Record<string, number> =>
  Object.fromEntries(
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [relative(folder, path), lstatSync(path).size]),
  )

/** A machine that is switched off may keep the name of a file and its size, and of its bytes only what was on disk. */
async function onDisk(path: string): Promise<void> {
  const file = await open(path)
  try {
    await file.sync()
  } catch (error) {
    // some file systems of networks and of users have nothing of the kind
    if (!['EINVAL', 'ENOSYS', 'ENOTSUP'].includes(codeOf(error) ?? '')) throw error
  } finally {
    await file.close()
  }
}

/** Is this an entry, with all that was written into it? It is a folder itself: what a link leads to may be of others, or nothing. */
function isWhole(path: string): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return false
  try {
    const sizes: unknown = JSON.parse(readFileSync(join(path, sizesName), 'utf8'))
    if (typeof sizes !== 'object' || sizes === null) return false
    return Object.entries(sizes).every(([name, size]) => lstatSync(join(path, name)).size === size)
  } catch (error) {
    // earlier versions have written no sizes
    return codeOf(error) === 'ENOENT' && readdirSync(path).length > 0 && !existsSync(join(path, sizesName))
  }
}

function newestFirst(folder: string): { path: string; mtimeMs: number; size: number }[] {
  const entries = readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    // a concurrent sweep may have been faster
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found ? [{ path, mtimeMs: found.mtimeMs, size: found.size }] : []
  })
  return entries.sort((a, b) => b.mtimeMs - a.mtimeMs)
}
