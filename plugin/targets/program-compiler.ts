import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  compileAnswer,
  compileGreeting,
  refusal,
  type CompileAnswer,
  type CompileRequest,
} from '../dsl/compile-answer.ts'
import { InfrastructureError } from '../model/index.ts'
import { LineProcess } from '../process/line-process.ts'
import { Semaphore } from '../process/semaphore.ts'

/** The program beside this file; sources start the one of the built package. */
const program = [`../dsl/compile-process.js`, `../../dist/dsl/compile-process.js`]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path))

const startLimitMs = 30_000
/** The process keeps the time of what it compiles. When it is this late, it is dead. */
const answerLimitMs = 120_000

/**
 * Compiles the programs of candidates in a process of its own, which is started for the first of them: what a text does to its
 * compiler costs nobody else anything.
 */
export class ProgramCompiler {
  readonly #turn = new Semaphore(1)
  #process: LineProcess | undefined
  #closed = false

  /** Rejects with `InfrastructureError` where there is no compiler. */
  async compile(request: CompileRequest): Promise<CompileAnswer> {
    return await this.#turn.run(async () => {
      // what ends a new process as well has ended both
      for (let attempt = 1; ; attempt++) {
        const running = await this.#running()
        try {
          return await running.request('a program', request, compileAnswer, answerLimitMs)
        } catch {
          this.#process = undefined
          if (attempt === 2)
            return refusal('the compiler ends at this program', 'nest less, and write shorter expressions')
        }
      }
    })
  }

  close(): void {
    this.#closed = true
    this.#turn.close()
    this.#process?.kill()
  }

  async #running(): Promise<LineProcess> {
    if (this.#process?.alive) return this.#process
    if (this.#closed) throw new InfrastructureError('the run was stopped')
    const started = new LineProcess(process.execPath, {
      name: 'the compiler of programs',
      args: [program ?? 'dist/dsl/compile-process.js'],
      // options for this process are not for that one
      env: { ...process.env, NODE_OPTIONS: '' },
    })
    await started.greeting(compileGreeting, startLimitMs)
    return (this.#process = started)
  }
}
