import { spawn, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readLedger, type LedgerEntry } from '../plugin/ledger/index.ts'

const repository = fileURLToPath(new URL('../', import.meta.url))
const template = join(repository, 'compat/project')
const vitest = join(repository, 'node_modules/vitest/vitest.mjs')

/** One built emulator serves all these tests. */
export const cacheDir = process.env['NPU_CACHE_DIR'] || join(repository, 'node_modules/.cache/vitest-npu')

/** A change of a file: each pair replaces text that must be there. */
export type Edits = readonly (readonly [from: string, to: string])[]

export interface Result {
  pid: number
  exitCode: number | null
  signal: NodeJS.Signals | null
  /** stdout and stderr */
  text: string
}

export interface RunOptions {
  args?: readonly string[]
  env?: Record<string, string>
  /** another user, where this one may do everything */
  uid?: number
  /** a program and its first arguments, which starts the run */
  through?: readonly string[]
}

/** A run that may be killed. `done` resolves when the main process has exited. */
export interface Run {
  child: ChildProcess
  done: Promise<Result>
}

/** A text with changes. Throws where there is nothing to replace. */
export function edited(text: string, edits: Edits): string {
  return edits.reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`there is no ${JSON.stringify(from)} to replace`)
    return all.replace(from, to)
  }, text)
}

const snake = (name: string): string => name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** A user's project below this repository, or a copy of the package, so that it finds the built package by its name. */
export class Project {
  readonly folder: string

  constructor(root = repository) {
    mkdirSync(join(root, '.npu'), { recursive: true })
    this.folder = mkdtempSync(join(root, '.npu', 'robust-'))
    chmodSync(this.folder, 0o755)
  }

  config(options: string): void {
    this.write(
      'vitest.config.ts',
      `import { npuKernels } from 'vitest-npu/plugin'\nexport default { plugins: [npuKernels(${options})] }\n`,
    )
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true })
    writeFileSync(join(this.folder, path), text)
  }

  /** The operator of the template under another name, with a change to its kernel, its spec or both. */
  operator(name: string, change: { kernel?: Edits; spec?: Edits } = {}): void {
    const named = (path: string): string =>
      readFileSync(join(template, path), 'utf8').replaceAll('ScaleCustom', name).replaceAll('scale_custom', snake(name))
    const from = 'candidates/ScaleCustom'
    const to = `candidates/${name}`
    this.write(`${to}/op_host/${snake(name)}_tiling.h`, named(`${from}/op_host/scale_custom_tiling.h`))
    this.write(`${to}/op_host/${snake(name)}.cpp`, named(`${from}/op_host/scale_custom.cpp`))
    const kernel = edited(named(`${from}/op_kernel/scale_custom.cpp`), change.kernel ?? [])
    this.write(this.kernelOf(name), kernel)
    const spec = edited(named('tasks/level1/math/scale-custom.spec.ts'), change.spec ?? [])
    this.write(`tasks/level1/math/${snake(name).replaceAll('_', '-')}.spec.ts`, spec)
  }

  /** Leaves a folder empty. */
  clear(path: string): void {
    rmSync(join(this.folder, path), { recursive: true })
    mkdirSync(join(this.folder, path))
  }

  kernelOf(name: string): string {
    return `candidates/${name}/op_kernel/${snake(name)}.cpp`
  }

  /** Starts `vitest run` in a process group of its own. */
  start({ args = [], env = {}, uid, through = [] }: RunOptions = {}): Run {
    const [program, ...rest] = [...through, process.execPath, vitest, 'run', ...args]
    const child = spawn(program ?? process.execPath, rest, {
      cwd: this.folder,
      env: { ...process.env, NO_COLOR: '1', CI: 'true', NPU_CACHE_DIR: cacheDir, NPU_FUZZ_RUNS: '3', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(uid === undefined ? {} : { uid, gid: uid }),
    })
    const texts: string[] = []
    child.stdout.setEncoding('utf8').on('data', (text: string) => texts.push(text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => texts.push(text))
    const done = new Promise<Result>((resolve, reject) => {
      child.once('error', reject)
      // not `close`: a forgotten child may hold the pipes
      child.once('exit', (exitCode, signal) => {
        setTimeout(() => resolve({ pid: child.pid ?? 0, exitCode, signal, text: texts.join('') }), 100)
      })
    })
    return { child, done }
  }

  async run(options: RunOptions = {}): Promise<Result> {
    return await this.start(options).done
  }

  ledger(): LedgerEntry[] {
    const path = join(this.folder, '.npu/ledger.jsonl')
    return existsSync(path) ? readLedger(path) : []
  }

  /** Leaves nothing of earlier runs but what is built. */
  forget(): void {
    rmSync(join(this.folder, '.npu'), { recursive: true, force: true })
  }

  /** Verdict kinds of an operator, in order of its tests, each once. */
  kinds(operator: string): string[] {
    const own = this.ledger().filter(({ task }) => task === operator)
    return [...new Set(own.map(({ verdict }) => verdict.kind))]
  }

  /** A private cache with the built emulator of the shared one; what a candidate needs is missing. */
  copyCache(): string {
    const copy = join(this.folder, 'cache')
    const kinds = ['compile-server', 'confine', 'headers', 'object', 'object-reads', 'runtime']
    // compilers that are started for each job have no server
    for (const kind of kinds.filter((each) => existsSync(join(cacheDir, each))))
      cpSync(join(cacheDir, kind), join(copy, kind), {
        recursive: true,
        preserveTimestamps: true,
        // another run may be writing there
        filter: (path) => !path.includes('/.tmp-'),
      })
    return copy
  }

  /** A cache that shares the built emulator, and nothing that was built of candidates. */
  linkCache(): string {
    const own = join(this.folder, 'cache')
    mkdirSync(own)
    const kinds = ['compile-server', 'confine', 'headers', 'object', 'object-reads', 'pch', 'runtime']
    for (const kind of kinds) if (existsSync(join(cacheDir, kind))) symlinkSync(join(cacheDir, kind), join(own, kind))
    return own
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
