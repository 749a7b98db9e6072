import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { codeOf } from '../model/error.ts'

const dayMs = 86_400_000

/** Process ids mean something only inside one pid namespace; containers may share the folder. */
const pidNamespace = ((): string => {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0'
  } catch {
    return '0'
  }
})()

/** Twelve hexadecimal digits. UUIDs are kept in store by Node.js, where `randomBytes` asks each time. */
const randomDigits = (): string => randomUUID().replace('-', '').slice(0, 12)

/** `.tmp-<pid namespace>-<pid>-<random>`: says who is writing, so that what a dead process left can be told from work. */
export const scratchName = (prefix = '.tmp'): string => `${prefix}-${pidNamespace}-${process.pid}-${randomDigits()}`

/** Can `scratchName(prefix)` have named this, in whichever process? */
export const isScratch = (name: string, prefix: string): boolean =>
  name.startsWith(`${prefix}-`) && /^\d+-\d+-[\da-f]+$/.test(name.slice(prefix.length + 1))

/** Removes the folders below `parent` that `scratchName(prefix)` named in a process that is gone. Never throws. */
export function sweepScratch(parent: string, prefix = '.tmp'): void {
  const names = existsSync(parent) ? readdirSync(parent) : []
  for (const name of names) {
    if (!name.startsWith(`${prefix}-`)) continue
    const path = join(parent, name)
    try {
      if (isOrphaned(path, prefix)) rmSync(path, { recursive: true, force: true })
    } catch {
      // someone else swept it, or it is not ours to remove
    }
  }
}

/**
 * Is the process gone that `scratchName(prefix)` named this file or folder in? One of another pid namespace counts as gone
 * when it has not touched it for a day. Throws where there is no such file.
 */
export function isOrphaned(path: string, prefix: string): boolean {
  const [namespace, pid] = basename(path)
    .slice(prefix.length + 1)
    .split('-')
  return namespace === pidNamespace ? !isAlive(Number(pid)) : Date.now() - statSync(path).mtimeMs > dayMs
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** Removes what this very process named with `scratchName(prefix)`, in whichever thread. For the exit handler. */
export function removeOwnScratch(parent: string, prefix: string): void {
  for (const name of existsSync(parent) ? readdirSync(parent) : []) {
    if (name.startsWith(`${prefix}-${pidNamespace}-${process.pid}-`))
      rmSync(join(parent, name), { recursive: true, force: true })
  }
}
