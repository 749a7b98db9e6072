import { existsSync, readFileSync, readdirSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../files/index.ts'
import { replaceFile } from '../ledger/runs.ts'
import { messageOf } from '../model/index.ts'
import { isOrphaned, scratchName, sweepScratch } from '../process/scratch.ts'
import { GenerationError } from './error.ts'
import { transcriptName } from './transcript.ts'

/** What a run was begun with, in its folder; whoever goes on with it has to have the same. */
export const settingsName = 'run.json'

export type Settings = Readonly<Record<string, unknown>>

/** A file in the folder while a process works in it. */
const runningPrefix = '.running'
const touchEveryMs = 60_000

/** A folder in which one process works at a time, begun and gone on with under the same settings. */
export class WorkedFolder {
  /** its real path: reports name files by where they really lie */
  readonly path: string
  readonly #running: string
  #touched = Date.now()

  /** `option`: what names another folder, e.g. `--name`. Throws a {@link GenerationError}. */
  constructor(named: string, settings: Settings, option: string) {
    this.path = named
    try {
      makeFolder(named)
      this.path = realpathSync(named)
      sweepScratch(this.path, runningPrefix)
      this.#running = join(this.path, scratchName(runningPrefix))
      writeFileSync(this.#running, '')
    } catch (error) {
      throw new GenerationError(`${this.path}: cannot be written: ${messageOf(error)}`)
    }
    try {
      refuseOthers(this.path, this.#running, option)
      agree(this.path, settings, option)
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Says now and then that somebody works here: others cannot ask for a process of another container. */
  touch(): void {
    const now = Date.now()
    if (now - this.#touched < touchEveryMs) return
    this.#touched = now
    utimesSync(this.#running, now / 1000, now / 1000)
  }

  /** Lets others work in the folder. */
  close(): void {
    rmSync(this.#running, { force: true })
  }
}

/** Of two that begin at once, both may be refused; never none. */
function refuseOthers(path: string, own: string, option: string): void {
  for (const name of readdirSync(path)) {
    const other = join(path, name)
    if (!name.startsWith(`${runningPrefix}-`) || other === own) continue
    try {
      if (isOrphaned(other, runningPrefix)) continue
    } catch {
      // it has ended meanwhile
      continue
    }
    throw new GenerationError(`${path}: another process works in this run; wait for its end, or give another ${option}`)
  }
}

/** Writes the settings of a new run, or holds them against those it was begun with. */
function agree(path: string, settings: Settings, option: string): void {
  const file = join(path, settingsName)
  if (!existsSync(file)) {
    if (existsSync(join(path, transcriptName)))
      throw new GenerationError(`${file}: is missing beside a transcript; restore it, or give another ${option}`)
    replaceFile(file, `${JSON.stringify(settings, undefined, 1)}\n`)
    return
  }
  let before: unknown
  try {
    before = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new GenerationError(`${file}: ${messageOf(error)}; restore it, or give another ${option}`)
  }
  const known =
    typeof before === 'object' && before !== null ? new Map(Object.entries(before)) : new Map<string, unknown>()
  const now = new Map<string, unknown>(Object.entries(settings))
  for (const name of new Set([...known.keys(), ...now.keys()])) {
    if (informative.has(name)) continue
    const [was, is] = [known.get(name), now.get(name)].map((value) => JSON.stringify(value) ?? 'nothing')
    if (was !== is)
      throw new GenerationError(
        `${path}: was begun with ${name} ${was}, and is asked to go on with ${is}; give the same, or another ${option}`,
        64,
      )
  }
}

/** What is written down and may differ when a run goes on. */
const informative = new Set(['begun', 'revision'])
