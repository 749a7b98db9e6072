import { dirname } from 'node:path'
import type { ConfinementLayer } from '../model/index.ts'
import { runProcess, type ProcessResult } from '../process/run-process.ts'
import type { CompileServerPool } from './compile-server-pool.ts'
import type { Compiler } from './compiler.ts'

export interface Limits {
  /** wall-clock milliseconds */
  timeoutMs: number
  /** MiB of address space */
  memoryMiB: number
}

export type CompileServerPools = ReadonlyMap<string, CompileServerPool>

export interface Confinement extends Limits {
  /** the npu-confine executable */
  program: string
  /** the only folder the command can write; also its TMPDIR; null: none */
  writable: string | null
  /** MiB of one file that it writes */
  fileMiB: number
  /** what it can read; empty: everything */
  readable: readonly string[]
  /** layers that this machine may lack; none when absent */
  allowMissing?: readonly ConfinementLayer[]
  /** programs that are started already, by path */
  servers?: CompileServerPools | undefined
}

const systemFolders = ['/usr', '/lib', '/lib64', '/lib32', '/bin', '/opt', '/nix/store', '/proc/self']
const loaderFiles = ['/etc/ld.so.cache', '/etc/ld.so.preload', '/etc/alternatives', '/etc/localtime']

/** What compilers, linkers and their libraries need to read, apart from the candidate. */
export function toolFolders(compiler: Compiler): string[] {
  const own = [compiler.prefix, dirname(compiler.path), ...compiler.includeDirs]
  const libraries = (process.env['LD_LIBRARY_PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'))
  const all = new Set([...systemFolders, ...loaderFiles, ...own, ...libraries])
  // a compiler installed directly in the root would otherwise open everything
  all.delete('/')
  return [...all]
}

/** What a tool needs of our environment; nothing else of it may change what a compiler does. */
export const toolEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  ...(process.env['LD_LIBRARY_PATH'] ? { LD_LIBRARY_PATH: process.env['LD_LIBRARY_PATH'] } : {}),
})

/** Runs a tool on a candidate's text or objects. Never rejects; the tool cannot outlive this process. */
export async function runConfined(command: readonly string[], confinement: Confinement): Promise<ProcessResult> {
  const { program, writable, readable, allowMissing = [], memoryMiB, fileMiB, timeoutMs, servers } = confinement
  const job = {
    folder: writable ?? '/',
    cpuSeconds: Math.ceil(timeoutMs / 1000),
    memoryMiB,
    fileMiB,
    writable,
    readable,
    allowMissing,
    timeoutMs,
  }
  const served = await servers?.get(command[0] ?? '')?.run(command, job)
  if (served) return served
  const reading = readable.flatMap((path) => ['--read', path])
  const writing = writable === null ? [] : ['--write', writable]
  const allowing = allowMissing.flatMap((layer) => ['--allow-missing', layer])
  const limits = ['--cpu', String(job.cpuSeconds), '--mem', String(memoryMiB), '--file', String(fileMiB), ...allowing]
  return await runProcess([program, ...limits, ...writing, ...reading, '--', ...command], {
    cwd: job.folder,
    timeoutMs,
    env: { ...toolEnvironment(), ...(writable === null ? {} : { TMPDIR: writable }) },
  })
}
