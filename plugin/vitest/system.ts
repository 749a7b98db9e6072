import { readFileSync } from 'node:fs'
import { OptionError } from './options.ts'

/** What kernels are built and run on. */
export interface System {
  platform: string
  arch: string
  /** whether Node.js runs with musl in the place of glibc */
  musl: boolean
}

/** Why kernels cannot be judged on a system, in one line; undefined where they can. */
export function whyUnsupported({ platform, arch, musl }: System): string | undefined {
  const needs = 'vitest-npu needs Linux with glibc on x86-64 or aarch64'
  if (platform === 'win32') return `${needs}, this is Windows: run it in WSL 2 or a container`
  if (platform !== 'linux')
    return `${needs}, this is ${platform === 'darwin' ? 'macOS' : platform}: run it in a container or a virtual machine`
  if (arch !== 'x64' && arch !== 'arm64') return `${needs}, this is ${arch}`
  return musl ? `${needs}, this is Linux with musl (Alpine): use an image of Debian, Ubuntu or Fedora` : undefined
}

/** The system that this process runs on. */
export const thisSystem = (): System => ({
  platform: process.platform,
  arch: process.arch,
  musl: process.platform === 'linux' && hasMusl(),
})

/** Says at once that nothing can be judged here, before anything is looked for or built. */
export function requireSystem(system: System = thisSystem()): void {
  const reason = whyUnsupported(system)
  if (reason !== undefined) throw new OptionError(reason)
}

/** The loader of its C library is mapped into every process. */
function hasMusl(): boolean {
  try {
    return readFileSync('/proc/self/maps', 'latin1').includes('/ld-musl-')
  } catch {
    return false
  }
}
