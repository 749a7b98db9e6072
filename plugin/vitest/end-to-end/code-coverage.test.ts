import { cpSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { coveredHostLines, coveredLines, coveredRoot } from '../../../fixtures/covered.ts'
import { cacheFolderOf } from '../../cache/cache.ts'
import type { CodeCoverage } from '../../ledger/index.ts'
import { Project, timeout, type Result } from './project.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The first run on a machine builds the emulator. */
const buildLimitMs = 900_000

const project = new Project(buildLimitMs)
const environment = { NPU_CACHE_DIR: cacheFolderOf(root), NPU_FUZZ_RUNS: '2' }

const spec = `import * as fc from 'fast-check'
import { attr, byDtype, exact, kernelSuite, randint, tensor, uniform } from 'vitest-npu'
kernelSuite('Covered', {
  category: 'Math', kernel: 'covered',
  inputs: { x: tensor({ dtype: ['float32', 'int32'], shape: ['n'], draw: byDtype(uniform(1, 9), { int32: randint(1, 9) }) }) },
  outputs: { y: tensor.like('x') },
  attrs: { way: attr.int(1) },
  golden: ({ x }) => ({ y: { ...x, data: (x.data as Float32Array).map((value) => 2 * value) } }),
  domain: fc.record({ x: fc.constant([8]), dtype: fc.constantFrom(0, 1), way: fc.constant(1) }), strict: exact,
  cases: [{ x: [8], dtype: 'float32', way: 1 }, { x: [8], dtype: 'int32', way: 2 }],
})\n`

/** A run, which reports what it has reached where it is asked to. */
const run = async (args: string[] = [], env: Record<string, string> = {}): Promise<Result> =>
  await project.run(['--reporter=verbose', ...args], { ...environment, ...env })

/** What the ledger says that the sample has reached. */
const ledgerCode = (): CodeCoverage | undefined => project.ledger().find(({ stage }) => stage === 'latency')?.code

/** Lines with code in a range, as \`file:line\`. */
const linesOf = (ranges: CodeCoverage['missed'], among: readonly string[]): string[] =>
  ranges
    .flatMap(({ file, lines }) =>
      lines.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => `${basename(file)}:${from + i}`)),
    )
    .filter((line) => among.includes(line))
    .sort()

const never = coveredLines('nobody', 'negative int32')
const neverOfHost = coveredHostLines('nobody')

beforeAll(async () => {
  cpSync(coveredRoot, join(project.folder, 'candidates/Covered'), { recursive: true })
  project.write('tasks/level1/math/covered.spec.ts', spec)
  project.write(
    'vitest.config.ts',
    `import { npuKernels } from 'vitest-npu/plugin'
const coverage = { provider: 'custom', customProviderModule: 'vitest-npu/coverage', reporter: ['lcovonly', 'text'], thresholds: { lines: 95 } }
export default { test: { coverage }, plugins: [npuKernels()] }\n`,
  )
})
afterAll(() => project.remove())

test(
  'the last test of a sample and the ledger say what no case has reached; so does a run that remembers',
  async () => {
    const first = await run()
    expect(first.exitCode, first.stdout + first.stderr).toBe(0)
    expect(first.stdout).toMatch(
      /the cases reach \d\d% of the blocks of its kernel; never: op_kernel\/covered\.cpp:24-25, op_kernel\/covered\.cpp:41-42, op_kernel\/covered_twice\.h:12; never launched: tiling key 3; \d\d% of those of its host part; never: op_host\/covered\.cpp:\d+/,
    )
    expect(first.stdout).toMatch(
      /the cases of 1 sample do not reach all of the kernel code: Covered › candidates \(80%\)/,
    )
    const code = ledgerCode()
    expect(linesOf(code?.missed ?? [], coveredLines('nobody', 'negative int32', 'way 1', 'way 2', 'int32'))).toEqual(
      never,
    )
    expect(code?.tilingKeys).toEqual(['3'])
    const ofHost = coveredHostLines('nobody', 'way 1', 'way 2')
    expect(linesOf(code?.host?.missed ?? [], ofHost)).toEqual(neverOfHost)
    expect(code?.partial.map(({ file }) => basename(file))).toEqual([])

    await run([], { NPU_REMEMBER: '0' })
    expect(ledgerCode()).toEqual(code)

    const { stdout } = await run()
    expect(stdout).toContain('remembered from earlier runs')
    expect(ledgerCode()).toEqual(code)
  },
  buildLimitMs,
)

test(
  'reports of the run have every line, and thresholds hold',
  async () => {
    const { exitCode, stdout, stderr } = await run(['--coverage'])
    const lcov = readFileSync(join(project.folder, 'coverage/lcov.info'), 'utf8')
    const missed = lcov
      .split('end_of_record')
      .flatMap((record) => {
        const name = basename(/^SF:(.*)$/m.exec(record)?.[1] ?? '')
        return [...record.matchAll(/^DA:(\d+),0$/gm)].map(([, line]) => `${name}:${line}`)
      })
      .sort()
    expect(missed, stdout + stderr).toEqual([...never, ...neverOfHost].sort())
    expect(stdout).toMatch(/covered_twice\.h +\| +[\d.]+ \| +\d+ \| +\d+ \| +[\d.]+ \| 12/)
    expect(stderr).toMatch(/Coverage for lines \([\d.]+%\) does not meet global threshold \(95%\)/)
    expect(exitCode).toBe(1)
  },
  timeout,
)

test(
  'a kernel of which no launch comes to its end is reported with nothing reached',
  async () => {
    const kernel = 'candidates/Covered/op_kernel/covered.cpp'
    const text = readFileSync(join(project.folder, kernel), 'utf8')
    project.write(kernel, text.replace('y_.SetGlobalBuffer', 'ascendc_assert(length == 0); y_.SetGlobalBuffer'))
    await run(['--coverage', '--coverage.reportOnFailure'])
    const lcov = readFileSync(join(project.folder, 'coverage/lcov.info'), 'utf8')
    expect(lcov.match(/^DA:\d+,/gm)?.length).toBeGreaterThan(10)
    expect(lcov).not.toMatch(/^DA:\d+,1$/m)
  },
  timeout,
)
