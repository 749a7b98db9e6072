import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { z } from 'zod'
import { readLedger, type LedgerEntry } from '../../ledger/index.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const fake = fileURLToPath(new URL('fake-service.mjs', import.meta.url))
export const timeout = 60_000

const assertion = z.object({
  title: z.string(),
  ancestorTitles: z.array(z.string()),
  status: z.string(),
  failureMessages: z.array(z.string()),
})
const jsonReport = z.object({ testResults: z.array(z.object({ assertionResults: z.array(assertion) })) })

export type Assertion = z.infer<typeof assertion>

export interface Result {
  exitCode: number | undefined
  stdout: string
  stderr: string
  tests: Assertion[]
}

/** A Vitest that watches, and what it has printed so far. */
export interface Watching {
  text: string
  stop: () => Promise<void>
}

/**
 * Whole Vitest runs with the built package, in a project inside it. Compiler and device are a stand-in: a candidate's
 * source names the way in which it behaves.
 */
export class Project {
  readonly folder: string
  readonly #limitMs: number

  /** `limitMs` is for one run. */
  constructor(limitMs = timeout) {
    this.#limitMs = limitMs
    mkdirSync(join(root, '.npu'), { recursive: true })
    this.folder = mkdtempSync(join(root, '.npu', 'end-to-end-'))
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true })
    writeFileSync(join(this.folder, path), text)
  }

  config(options: string): void {
    const imports = `import { npuKernels } from 'vitest-npu/plugin'\nimport { fakeService } from '${fake}'\n`
    // as where the package is installed: Vite reads nothing of it
    const test = '{ server: { deps: { external: [/\\/dist\\//] } } }'
    const config = `{ test: ${test}, plugins: [fakeService(), npuKernels(${options})] }`
    this.write('vitest.config.ts', `${imports}export default ${config}\n`)
  }

  /** A task y = 2x. `change` is more of its definition. */
  spec(operator: string, change = '', folder = 'tasks/level1/math'): void {
    this.write(
      `${folder}/${operator.toLowerCase()}.spec.ts`,
      `import { dim, exact, kernelSuite, tensor, uniform } from 'vitest-npu'
kernelSuite('${operator}', {
  category: 'Math', kernel: 'twice',
  inputs: { x: tensor({ dtype: 'float32', shape: ['...any'], draw: uniform(0.5, 1) }) },
  outputs: { y: tensor.like('x') },
  golden: ({ x }) => ({ y: { values: Float64Array.from(x.data as Float32Array, (v) => 2 * v) } }),
  domain: { any: dim.list({ max: 2 }) }, strict: exact,
  cases: [{ x: [8] }, { x: [64, 16] }, { x: [100] }],
  ${change}
})\n`,
    )
  }

  candidate(operator: string, mode: string, folder = 'candidates'): void {
    this.write(`${folder}/${operator}/op_kernel/kernel.cpp`, `// mode: ${mode}\n__global__ void twice() {}\nhalff x;\n`)
  }

  run(args: string[] = [], env: Record<string, string> = {}): Promise<Result> {
    return this.#vitest(['run', ...args], env)
  }

  /** Runs the specs that these files are part of. */
  related(files: string[], args: string[] = []): Promise<Result> {
    return this.#vitest(['related', '--run', ...args, ...files], {})
  }

  /** Starts Vitest in watch mode; whoever starts it kills it. */
  watch(): Watching {
    const options = { cwd: this.folder, env: { NO_COLOR: '1', CI: '', NPU_SEED: '7' } }
    const child = execa(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), '--watch'], {
      ...options,
      reject: false,
      buffer: false,
      forceKillAfterDelay: 2000,
    })
    const watching: Watching = { text: '', stop: () => (child.kill(), child.then(() => {})) }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (watching.text += text.toString()))
    return watching
  }

  list(args: string[] = []): Promise<Result> {
    return this.#vitest(['list', ...args], {})
  }

  async #vitest(args: string[], env: Record<string, string>): Promise<Result> {
    const command = [join(root, 'node_modules/vitest/vitest.mjs'), ...args]
    const options = {
      cwd: this.folder,
      reject: false,
      timeout: this.#limitMs,
      env: { NO_COLOR: '1', CI: '1', NPU_SEED: '7', ...env },
    }
    const { exitCode, stdout, stderr } = await execa(process.execPath, command, options)
    const tests = stdout.startsWith('{')
      ? jsonReport.parse(JSON.parse(stdout)).testResults.flatMap((file) => file.assertionResults)
      : []
    return { exitCode, stdout, stderr, tests }
  }

  ledger(): LedgerEntry[] {
    return readLedger(join(this.folder, '.npu/ledger.jsonl'))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
