import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { z } from 'zod'
import { makeFolder, readRegular } from '../files/index.ts'
import { isOrphaned, isScratch } from '../process/scratch.ts'

/** The ledger in the folder of a run. */
export const ledgerName = 'ledger.jsonl'

/** Names the latest run among the folders of runs: a link to its folder, or a file that holds its id. */
const latestName = 'latest'

/** Names the specs of which a run has no lines, beside its ledger. */
export const lostName = 'lost.json'
/** A file in the folder of a run while it writes. */
export const runningPrefix = '.running'

const idForm = /^\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{6}$/

/** The id of a run that begins now: ids sort by time, `20261123T174501.250Z-9f3a1c`. */
export const newRunId = (now = new Date()): string =>
  `${now.toISOString().replace(/[-:]/g, '')}-${randomBytes(3).toString('hex')}`

/**
 * Ids of the runs below a folder, the oldest first; none where there is no such folder. What was killed before it had a ledger
 * has judged nothing, and is no run.
 */
export const runsIn = (folder: string): string[] => foldersIn(folder).filter((id) => existsSync(ledgerOf(folder, id)))

/** Folders that are called like runs, the oldest first. */
const foldersIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => idForm.test(name) && isFolder(join(folder, name)))
        .sort()
    : []

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** The ledger of a run. */
export const ledgerOf = (folder: string, id: string): string => join(folder, id, ledgerName)

/** What a run was begun with, beside its ledger. */
export const settingsOf = (folder: string, id: string): string => join(folder, id, 'run.json')

/**
 * The ids that a name may stand for: `latest`, an id, or the beginning of one. None where there is no such run, several
 * where the beginning is that of several.
 */
export function runsNamed(folder: string, name: string): string[] {
  if (name === '') return []
  if (name === 'latest') return [latestRun(folder) ?? []].flat()
  return runsIn(folder).filter((id) => id.startsWith(name))
}

/** The id of the run that has begun last; undefined where there is none. */
export function latestRun(folder: string): string | undefined {
  const path = join(folder, latestName)
  try {
    const id = lstatSync(path).isSymbolicLink() ? basename(readlinkSync(path)) : idIn(path)
    if (idForm.test(id) && existsSync(ledgerOf(folder, id))) return id
  } catch {
    // never written, or removed by hand
  }
  return runsIn(folder).at(-1)
}

/** More than any id takes. */
const mostIdBytes = 1 << 10

const idIn = (path: string): string => readRegular(path, mostIdBytes).toString('utf8').trim()

/** The id of the run whose ledger a link leads to; undefined where the file is none of that kind. */
export function linkedRun(path: string): string | undefined {
  try {
    const id = basename(dirname(readlinkSync(path)))
    return idForm.test(id) ? id : undefined
  } catch {
    return undefined
  }
}

/** Makes a run the latest one, unless one that has begun later is. Where links cannot be made, `latest` is a file with the id. */
export function markLatest(folder: string, id: string): void {
  const before = latestRun(folder)
  if (before !== undefined && before > id) return
  const path = join(folder, latestName)
  if (!replaceByLink(path, join(folder, id))) replaceFile(path, `${id}\n`)
}

/**
 * Puts a link to `target`, by its relative path, in place of whatever file is there, in one step. false where links
 * cannot be made; then nothing has changed.
 */
export function replaceByLink(path: string, target: string): boolean {
  makeFolder(dirname(path))
  const temporary = temporaryOf(path)
  try {
    // from where the link really lies: the way to it may be a link itself
    symlinkSync(relative(realpathSync(dirname(path)), realpathSync(target)), temporary)
    renameSync(temporary, path)
    return true
  } catch {
    rmSync(temporary, { force: true })
    return false
  }
}

/** Puts content in place of a file, or of a link itself, in one step; what comes in parts may be larger than a text can be. */
export function replaceFile(path: string, content: string | Uint8Array | Iterable<string>): void {
  makeFolder(dirname(path))
  const temporary = temporaryOf(path)
  try {
    const isWhole = typeof content === 'string' || content instanceof Uint8Array
    if (isWhole) writeFileSync(temporary, content)
    else writeParts(temporary, content)
    renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
}

function writeParts(path: string, parts: Iterable<string>): void {
  const file = openSync(path, 'w')
  try {
    for (const part of parts) writeSync(file, part)
  } finally {
    closeSync(file)
  }
}

/** A file beside another one, which takes its place when it is written. */
export const temporaryOf = (path: string): string => `${path}.${process.pid}-${randomBytes(3).toString('hex')}.tmp`

/**
 * The ledger that a path leads to: a file or pipe, or a file in the folder of a run. Throws, in one line, for what has no end, or keeps its
 * reader waiting.
 */
export function ledgerAt(path: string): string {
  const given = statSync(path)
  const ledger = given.isDirectory() ? join(path, ledgerName) : path
  const facts = ledger === path ? given : statSync(ledger, { throwIfNoEntry: false })
  // a shell hands a pipe over as a name
  if (!facts || facts.isFile() || (ledger === path && facts.isFIFO())) return ledger
  throw new Error(`${ledger}: is no file`)
}

/** Whether the run of a ledger has begun and not ended: it goes on, or was killed. A copy of the file alone does not tell. */
export const hasNotEnded = (ledger: string): boolean =>
  readdirSync(dirname(realpathSync(ledger))).some((name) => isScratch(name, runningPrefix))

const mostLostBytes = 64 << 20

/**
 * The specs that a run was asked for, and could not read or has not come to the end of; none where that is not known. Throws, in one
 * line, where the file that says so cannot be read.
 */
export function lostIn(ledger: string): string[] {
  const path = join(dirname(realpathSync(ledger)), lostName)
  if (!existsSync(path)) return []
  try {
    return z.array(z.string()).parse(JSON.parse(readRegular(path, mostLostBytes).toString('utf8')))
  } catch (cause) {
    throw new Error(`${path}: is no list of the specs that the run has lost`, { cause })
  }
}

/** How long a run may take to say that it is running, once its folder is there. */
const beginsMs = 60_000

/** Does a process still write to this run, or begin to? */
export function isRunning(folder: string, id: string): boolean {
  const run = join(folder, id)
  if (!existsSync(join(run, ledgerName)) && Date.now() - statSync(run).mtimeMs < beginsMs) return true
  return isClaimed(run)
}

/** Does a process say that it writes to the run in this folder, but for whoever has written `own`? */
export const isClaimed = (run: string, own?: string): boolean =>
  readdirSync(run).some((name) => isScratch(name, runningPrefix) && name !== own && isHeld(join(run, name)))

function isHeld(path: string): boolean {
  try {
    return !isOrphaned(path, runningPrefix)
  } catch {
    // it has ended meanwhile
    return false
  }
}

/**
 * Removes the oldest runs but for `keep`, and what was killed before it had a ledger; never the latest run nor one that is
 * running. Returns the ids of those that were removed.
 */
export function pruneRuns(folder: string, keep: number): string[] {
  const ids = runsIn(folder)
  const latest = latestRun(folder)
  const kept = new Set([latest, ...ids.slice(Math.max(0, ids.length - keep))])
  const old = foldersIn(folder).filter((id) => !kept.has(id) && !isRunning(folder, id))
  for (const id of old) rmSync(join(folder, id), { recursive: true, force: true })
  return old
}
