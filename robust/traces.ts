import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const reading = <T>(read: () => T, otherwise: T): T => {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/**
 * Processes that work for a project: their command line, program or working folder names one of `folders`. Environments
 * say nothing, because compilers and candidates get an empty one.
 */
export function processesOf(folders: readonly string[]): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const command = commandOf(Number(pid))
      const places = ['exe', 'cwd'].map((link) => reading(() => readlinkSync(`/proc/${pid}/${link}`), ''))
      const state = statusOf(Number(pid))[0]
      const ours = folders.some((folder) => [command, ...places].some((text) => text.includes(folder)))
      return ours && state !== 'Z' ? [`${pid} ${command}`] : []
    })
}

/** What the system tells of a process after its name: state, parent and so on. */
const statusOf = (pid: number): string[] =>
  reading(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '')
    .replace(/^.*\) /s, '')
    .split(' ')

/** Process ids of the children of a process. */
export const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(statusOf(Number(name))[1]) === pid)
    .map(Number)

/** Process ids of all that a process has started, and what that has. */
export const descendantsOf = (pid: number): number[] =>
  childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])

/** Processor time that a process has used for itself, in hundredths of a second. */
export const processorTimeOf = (pid: number): number => Number(statusOf(pid)[11] ?? 0)

export const commandOf = (pid: number): string =>
  reading(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').replaceAll('\0', ' ')

/** `processesOf` after a while: what dies with its parent needs a moment to do so. */
export async function survivingProcessesOf(folders: readonly string[], graceMs = 5000): Promise<string[]> {
  for (const end = Date.now() + graceMs; Date.now() < end && processesOf(folders).length > 0;)
    await new Promise((resolve) => setTimeout(resolve, 50))
  return processesOf(folders)
}

/** Sockets, case files and drafts in the cache that a process named by its id and left behind. */
export function leftoversOf(pid: number, cache: string): string[] {
  const own = new RegExp(`^(?:vitest-npu-\\w+|\\.tmp)-\\d+-${pid}-`)
  const kinds = readdirSync(cache).map((kind) => join(cache, kind))
  return [tmpdir(), '/tmp', '/dev/shm', cache, ...kinds].flatMap((folder) =>
    reading(() => readdirSync(folder), [])
      .filter((name) => own.test(name))
      .map((name) => join(folder, name)),
  )
}
