import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashOf } from '../cache/hash.ts'
import { InfrastructureError } from '../model/index.ts'
import { operatorSource, type DeclaredCall } from './aclnn.ts'
import { inToolkit, type Toolkit } from './cann.ts'
import type { Machine } from './machine.ts'
import { RemoteFolders, sendFiles, type PlacedFile } from './remote-folder.ts'

// the same beside `plugin/` (source) and beside `dist/` (built)
const sources = fileURLToPath(new URL('../../plugin/', import.meta.url))

/** What the runner shares with that of the emulator. */
const shared = ['json.h', 'json.cpp', 'json_parse.cpp', 'json_write.cpp', 'encoding.h', 'encoding.cpp']

const compileFlags = ['-std=c++17', '-O1', '-Wall', '-Wextra']

/** The sources of the runner, at the places from where they include each other. */
function runnerSources(): PlacedFile[] {
  const own = readdirSync(join(sources, 'ascend', 'runner')).filter((name) => /\.(?:h|cpp)$/.test(name))
  const paths = [...own.map((name) => `ascend/runner/${name}`), ...shared.map((name) => `emulator/runner/${name}`)]
  return paths.map((path) => ({ path, content: readFileSync(join(sources, path)) }))
}

/** The calls of an operator, and where they are declared. */
export interface Declared {
  calls: readonly DeclaredCall[]
  /** folder that the headers are found in, and what they say */
  include: string
  headerText: string
}

/** Builds the program that launches operators: what all have in common once, and for each call the part that is made for it. */
export class RunnerProgram {
  readonly #machine: Machine
  readonly #toolkit: Toolkit
  readonly #folders: RemoteFolders
  readonly #timeoutMs: number
  readonly #files = runnerSources()

  constructor(machine: Machine, toolkit: Toolkit, timeoutMs: number) {
    this.#machine = machine
    this.#toolkit = toolkit
    this.#folders = new RemoteFolders(machine)
    this.#timeoutMs = timeoutMs
  }

  /** The program for the calls of an operator, absolute on the machine. Rejects with `InfrastructureError`. */
  async build({ calls, include, headerText }: Declared): Promise<string> {
    const { key, path: common } = await this.#common()
    const source = operatorSource(calls)
    const { path } = await this.#folders.entry('runners', hashOf(key, source, headerText), async (draft) => {
      await sendFiles(this.#machine, [{ path: 'operator.cpp', content: source }], draft)
      const { home, libraries } = this.#toolkit
      const place = join(common, 'ascend/runner')
      const compiled = [
        'operator.cpp',
        '-o',
        'ascend-runner',
        `-I${place}`,
        `-I${include}`,
        join(common, 'libcommon.a'),
      ]
      const found = [`-L${home}/lib64`, `-Wl,-rpath,${home}/lib64`, '-Wl,--allow-shlib-undefined']
      await this.#compiled(draft, [...compiled, ...found, ...libraries.map((name) => `-l${name}`), '-ldl'])
    })
    return join(path, 'ascend-runner')
  }

  async #common(): Promise<{ key: string; path: string }> {
    const { home, version, arch } = this.#toolkit
    const key = hashOf(
      home,
      version,
      arch,
      ...compileFlags,
      ...this.#files.flatMap(({ path, content }) => [path, content]),
    )
    const { path } = await this.#folders.entry('runner-parts', key, async (draft) => {
      await sendFiles(this.#machine, this.#files, draft)
      const units = this.#files.flatMap((file) => (file.path.endsWith('.cpp') ? [file.path] : []))
      await this.#compiled(draft, ['-c', ...units])
      await this.#succeed(draft, ['sh', '-c', 'ar rc libcommon.a *.o && rm -f *.o'], 'ar')
    })
    return { key, path }
  }

  async #compiled(cwd: string, args: readonly string[]): Promise<void> {
    const command = ['g++', ...compileFlags, `-I${this.#toolkit.home}/include`, ...args] as const
    await this.#succeed(cwd, [...command], 'g++')
  }

  async #succeed(cwd: string, argv: [string, ...string[]], what: string): Promise<void> {
    const done = await this.#machine.run(inToolkit(this.#toolkit, argv), { cwd, timeoutMs: this.#timeoutMs })
    if (done.exitCode === 0) return
    const said = done.timedOut ? 'it did not end' : done.stderr.trim().split('\n').slice(0, 3).join(' / ')
    throw new InfrastructureError(`${what} cannot build the device runner on ${this.#machine.name}: ${said}`)
  }
}
