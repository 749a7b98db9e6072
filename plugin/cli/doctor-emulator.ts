import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { makeFolder } from '../files/index.ts'
import { findCompiler, type Compiler } from '../toolchain/compiler.ts'
import { probeConfinement } from '../toolchain/confinement-probe.ts'
import { configurationOf } from './suites.ts'
import { messageOf } from './user-error.ts'

/** One thing that a target needs. */
export interface Finding {
  what: string
  /** what is there; null where it is missing */
  found: string | null
  remedy?: string
}

const gibibytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`

/** What this machine has of what the emulator needs. */
export async function emulatorFindings(): Promise<Finding[]> {
  const compiler = await findCompiler().catch((error: unknown) => messageOf(error))
  const processors = `${availableParallelism()} (${arch()}${cpus()[0] ? `, ${cpus()[0]!.model.trim()}` : ''})`
  return [
    ...compilerFindings(compiler),
    { what: 'Node.js', found: process.version },
    libraryFinding(),
    { what: 'processors', found: `${processors}; memory: ${gibibytes(totalmem())}` },
    ...(await cacheFindings()),
    ...(typeof compiler === 'string' ? [] : await confinementFindings(compiler)),
  ]
}

function compilerFindings(compiler: Compiler | string): Finding[] {
  if (typeof compiler === 'string') return [{ what: compiler, found: null }]
  const { path, version, family, linker } = compiler
  const slower = family === 'gcc' ? '; clang++ 16 or newer (apt-get install clang-16) builds candidates faster' : ''
  return [
    { what: 'C++ compiler', found: `${path}, ${version}${slower}` },
    linker
      ? { what: 'linker', found: linker.path }
      : { what: 'linker', found: `that of ${path}, which takes longer by itself` },
  ]
}

/** Candidates are linked with the C library of the machine. */
function libraryFinding(): Finding {
  const report: unknown = process.report.getReport()
  const header: unknown = typeof report === 'object' && report !== null && 'header' in report ? report.header : null
  const version =
    typeof header === 'object' && header !== null && 'glibcVersionRuntime' in header ? header.glibcVersionRuntime : null
  return typeof version === 'string'
    ? { what: 'C library', found: `glibc ${version}` }
    : {
        what: 'glibc',
        found: null,
        remedy: 'other C libraries, such as musl, do not do: use an image of Debian or Ubuntu',
      }
}

async function cacheFindings(): Promise<Finding[]> {
  try {
    const { root, options } = await configurationOf(process.cwd())
    return [cacheFinding(resolve(root, options.cacheDir))]
  } catch (error) {
    return [{ what: messageOf(error), found: null }]
  }
}

/** What there is to say of a cache folder. */
export function cacheFinding(folder: string): Finding {
  try {
    makeFolder(folder)
    const probe = join(folder, `doctor-${process.pid}`)
    writeFileSync(probe, '')
    rmSync(probe)
  } catch (error) {
    const remedy = 'set NPU_CACHE_DIR, or the option cacheDir, to a folder that can be written'
    return { what: `a cache folder (${folder}: ${messageOf(error)})`, found: null, remedy }
  }
  const { bavail, bsize } = statfsSync(folder)
  const built = existsSync(join(folder, 'runtime'))
    ? 'the emulator was built here'
    : 'the first run builds the emulator, which takes minutes'
  return { what: 'cache folder', found: `${folder}, ${gibibytes(bavail * bsize)} free; ${built}` }
}

/** How to do without a layer. */
const without = (layer: string): string => `for kernels of your own alone, allowWeakConfinement: ['${layer}']`

async function confinementFindings(compiler: Compiler): Promise<Finding[]> {
  try {
    const { landlock, seccomp, namespaces } = await probeConfinement(compiler)
    return [
      landlock > 0
        ? { what: 'Landlock', found: `version ${landlock}` }
        : {
            what: 'Landlock',
            found: null,
            remedy: `Linux 5.13 or newer with landlock among its security modules (boot with lsm=landlock,...), and a container that lets it through; ${without('landlock')}`,
          },
      seccomp
        ? { what: 'seccomp', found: 'filters that end a process' }
        : {
            what: 'seccomp',
            found: null,
            remedy: `Linux 4.14 or newer with CONFIG_SECCOMP_FILTER; ${without('seccomp')}`,
          },
      {
        what: 'namespaces',
        found: namespaces
          ? 'of network and messages'
          : 'none, which the other layers do without (they need user namespaces: sysctl kernel.unprivileged_userns_clone)',
      },
    ]
  } catch (error) {
    return [{ what: messageOf(error), found: null }]
  }
}
