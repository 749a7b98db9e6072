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
      const state = reading(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '').replace(/^.*\) /s, '')[0]
      const ours = folders.some((folder) => [command, ...places].some((text) => text.includes(folder)))
      return ours && state !== 'Z' ? [`${pid} ${command}`] : []
    })
}

/** Process ids of the children of a process. */
export const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const fields = reading(() => readFileSync(`/proc/${name}/stat`, 'utf8'), '')
        .replace(/^.*\) /s, '')
        .split(' ')
      return Number(fields[1]) === pid
    })
    .map(Number)

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
