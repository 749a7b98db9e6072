import { dirname } from 'node:path'
import type { Compiler } from './compiler.ts'
import { runProcess, type Finished } from './process.ts'

export interface Limits {
  /** wall-clock milliseconds */
  timeoutMs: number
  /** MiB of address space */
  memoryMiB: number
}

export interface Confinement extends Limits {
  /** the npu-confine executable */
  program: string
  /** the only folder the command can write; also its TMPDIR; null: none */
  writable: string | null
  /** what it can read; empty: everything */
  readable: readonly string[]
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

/** Runs a tool on a candidate's text or objects. Never rejects; the tool cannot outlive this process. */
export function runConfined(command: readonly string[], confinement: Confinement): Promise<Finished> {
  const { program, writable, readable, memoryMiB, timeoutMs } = confinement
  const cpuSeconds = Math.ceil(timeoutMs / 1000)
  const reading = readable.flatMap((path) => ['--read', path])
  const writing = writable === null ? [] : ['--write', writable]
  return runProcess(
    [program, '--cpu', String(cpuSeconds), '--mem', String(memoryMiB), ...writing, ...reading, '--', ...command],
    {
      cwd: writable ?? '/',
      timeoutMs,
      // nothing of the caller's environment may change what a compiler does
      env: {
        PATH: process.env['PATH'] ?? '/usr/bin:/bin',
        LC_ALL: 'C',
        ...(writable === null ? {} : { TMPDIR: writable }),
        ...(process.env['LD_LIBRARY_PATH'] ? { LD_LIBRARY_PATH: process.env['LD_LIBRARY_PATH'] } : {}),
      },
    },
  )
}
