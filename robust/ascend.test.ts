import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FakeCann } from '../fixtures/fake-cann/fake-cann.ts'
import { readLedger } from '../plugin/ledger/index.ts'
import type { TaskInterface } from '../plugin/model/index.ts'
import { Project } from './project.ts'

const repository = fileURLToPath(new URL('../', import.meta.url))
const baseline = join(repository, 'references/baseline/AddCustom')
const cli = join(repository, 'dist/cli/main.js')
const vitest = join(repository, 'node_modules/vitest/vitest.mjs')

const argument = (name: string) => ({ name, kind: 'tensor' as const, required: true, dtypes: ['float16' as const] })
const task: TaskInterface = {
  name: 'AddCustom',
  kernel: 'add_custom',
  suite: 'own',
  group: null,
  category: 'Math',
  attrs: [],
  inputs: [argument('x'), argument('y')],
  outputs: [argument('z')],
}

const spec = `import { dim, exact, kernelSuite, tensor, uniform } from 'vitest-npu'
const half = (bits: number): number => {
  const [sign, exponent, rest] = [bits >> 15, (bits >> 10) & 31, bits & 1023]
  return (sign ? -1 : 1) * (exponent === 0 ? rest * 2 ** -24 : (1 + rest / 1024) * 2 ** (exponent - 15))
}
kernelSuite('AddCustom', {
  category: 'Math', kernel: 'add_custom',
  inputs: { x: tensor({ dtype: 'float16', shape: ['...any'], draw: uniform(0.5, 1) }), y: tensor.like('x') },
  outputs: { z: tensor.like('x') },
  golden: ({ x, y }) => ({ z: { values: Float64Array.from(x.data as Uint16Array, (bits, i) => half(bits) + half((y.data as Uint16Array)[i])) } }),
  domain: { any: dim.list({ max: 2 }) }, strict: exact,
  cases: [{ x: [100] }, { x: [8, 33] }],
})
`

describe('the same specs on a device and on the emulator', () => {
  const project = new Project()
  let fake: FakeCann

  /** A kernel without a host part. */
  function candidate(sample: string, from = '', to = ''): void {
    const folder = join(project.folder, 'candidates/AddCustom', sample, 'op_kernel')
    mkdirSync(folder, { recursive: true })
    cpSync(join(baseline, 'op_kernel'), folder, { recursive: true })
    const path = join(folder, 'add_custom.cpp')
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
  }

  const command = async (...args: string[]) =>
    await execa(process.execPath, [cli, ...args], {
      cwd: project.folder,
      reject: false,
      env: environment(),
    })
  const environment = (): Record<string, string> => ({
    ...fake.env,
    NPU_CACHE_DIR: fake.cacheDir('whole', { withEmulator: true }),
    NPU_ALLOW_WEAK_CONFINEMENT: 'landlock,seccomp',
  })

  beforeAll(async () => {
    const combinations = [{ inputs: ['float16' as const, 'float16' as const], outputs: ['float16' as const] }]
    fake = await FakeCann.start({ tasks: [{ task, combinations }] })
    project.write('tasks/add-custom.spec.ts', spec)
    const options = `{ tasks: 'tasks', baseline: '${join(repository, 'references/baseline')}', fuzzRuns: 0, latencyIterations: 1 }`
    project.config(options)
    candidate('right')
    candidate('wrong', 'Add(z, x, y,', 'Sub(z, x, y,')
    candidate('broken', 'Add(z, x, y,', 'Addition(z, x, y,')
  })
  afterAll(async () => {
    await fake.close()
    project.remove()
  })

  test('come to the same verdicts, by differ', async () => {
    fake.faults.clock = (ns) => 2 * ns
    const out = join(project.folder, 'differences.json')
    const ran = await command('differ', '--target', 'emulator,ascend', '--seed', '7', '--out', out, 'candidates')
    expect(ran.exitCode, ran.stderr).toBe(0)
    const found = JSON.parse(readFileSync(out, 'utf8'))
    expect(found.differences, ran.stderr).toEqual([])
    expect(found.compared).toBeGreaterThanOrEqual(7)
    expect(found.ratios).toMatchObject([{ sample: 'right', ratio: expect.closeTo(2, 3) }])
  })

  test('have the times of the vendor beside theirs, once a device has told them', async () => {
    const own = new Project()
    try {
      const level1 = {
        tasks: 'tasks',
        latencyIterations: 1,
        fuzzRuns: 0,
        baseline: join(repository, 'references/baseline'),
      }
      own.write('tasks/level1/math/add-custom.spec.ts', spec)
      own.config(JSON.stringify(level1))
      mkdirSync(join(own.folder, 'candidates'), { recursive: true })
      cpSync(join(project.folder, 'candidates/AddCustom/right'), join(own.folder, 'candidates/AddCustom/right'), {
        recursive: true,
      })
      const run = async (args: readonly string[], env: Record<string, string> = {}) =>
        await execa(process.execPath, args, { cwd: own.folder, reject: false, env: { ...environment(), ...env } })
      fake.faults.clock = (ns) => 2 * ns
      const recorded = await run([cli, 'baseline', 'record', 'AddCustom', '--rounds', '2', '--seed', '7'])
      expect(recorded.stdout, recorded.stderr).toBe('references/vendor/Ascend910B2.json: 1 operators, 0 tasks without')
      const file = join(own.folder, 'references/vendor/Ascend910B2.json')
      const figures = JSON.parse(readFileSync(file, 'utf8'))
      expect(figures).toMatchObject({ v: 1, soc: 'Ascend910B2', cann: '8.3.RC2', clockMHz: { rated: 1800, now: 1800 } })
      expect(figures.operators).toMatchObject([
        { task: 'AddCustom', case: expect.stringMatching(/^static 1/), calls: ['aclnnAdd'], driftPercent: 0 },
      ])
      const { mean, sd, samples } = figures.operators[0].latency
      expect([mean > 0, sd, samples]).toEqual([true, 0, 20])

      fake.faults.clock = (ns) => ns
      for (const [target, vendor] of [
        ['ascend', /; 2\.00x of the \d+ ns of the vendor's aclnnAdd \(measured \d{4}-\d\d-\d\d, CANN 8\.3\.RC2\)/],
        ['emulator', /; for reference, on hardware: \d+ ns of the vendor's aclnnAdd \(measured/],
      ] as const) {
        const judged = await run([vitest, 'run', '--reporter=verbose'], { NPU_TARGET: target })
        expect(judged.stdout, judged.stderr).toMatch(vendor)
        const entries = readLedger(join(own.folder, '.npu/ledger.jsonl'))
        const [timed] = entries.filter(({ stage }) => stage === 'latency')
        expect(timed).toMatchObject({
          verdict: { kind: 'correct' },
          vendor: { calls: ['aclnnAdd'], latency: { mean } },
        })
      }

      writeFileSync(file, JSON.stringify({ ...figures, cann: 8 }))
      const refused = await run([vitest, 'run'])
      expect(refused.exitCode).not.toBe(0)
      expect(`${refused.stdout}${refused.stderr}`).toMatch(/vendorFigures: .*Ascend910B2\.json: cann: /)
    } finally {
      delete fake.faults.clock
      own.remove()
    }
  })

  test('doctor tells what is there', async () => {
    const { stdout, exitCode } = await command('doctor')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^emulator: ready\n {2}found {4}C\+\+ compiler: /)
    expect(stdout).toContain('ascend: ready')
    expect(stdout).toContain('CANN: 8.3.RC2 at')
    expect(stdout).toContain('device 0: 910B2, OK (card 0, chip 0)')
  })
})
