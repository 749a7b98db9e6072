import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { matmul, operator as matmulOperator } from '../../../fixtures/matmul_object/product.ts'
import { buildLimitMs, FixtureOperator, interfaceOf, startService } from '../../../fixtures/operator.ts'
import {
  checkedRunner,
  launchMutated,
  recordedLaunches,
  recordLaunches,
  type RecordedLaunch,
} from '../../../fixtures/recorded-launches.ts'
import type { Tensor } from '../../model/index.ts'
import type { RunnerProcess } from '../../runner/runner-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'npu-decoder-'))
let launches: RecordedLaunch[]
let runner: RunnerProcess

/** One launch of each family: a vector kernel, queues, cores of both kinds, and a Matmul object on both. */
beforeAll(async () => {
  const service = await startService()
  const stop = await recordLaunches(folder)
  try {
    const x: Tensor = { dtype: 'float32', shape: [128], data: Float32Array.from({ length: 128 }, (_, i) => i) }
    const y = { dtype: 'float32' as const, shape: [128] }
    const attrs = ['mode', 'twice', 'cores', 'blocks']
    const skeleton = await FixtureOperator.build(service, interfaceOf('Skeleton', 'skeleton', attrs, ['float32']))
    await skeleton.run({ x, y, attrs: { mode: 0, twice: 0, cores: 1, blocks: 1 } })
    const pipes = await FixtureOperator.build(service, interfaceOf('Pipes', 'pipes', ['mode'], ['float32']))
    for (const mode of [0, 2, 6]) await pipes.run({ x, y, attrs: { mode } })
    const product = matmul({ key: 1, combination: 0, m: 40, n: 40, k: 70, baseM: 32, baseN: 32, baseK: 64 })
    await product.run(await matmulOperator(service))
    await product.run(await matmulOperator(service, ['MatmulMixed', 'matmul_mixed']))
  } finally {
    stop()
    await service.close()
  }
  launches = await recordedLaunches(folder)
  runner = await checkedRunner()
}, buildLimitMs)

afterAll(() => {
  runner?.kill()
  rmSync(folder, { recursive: true, force: true })
})

test('what is recorded is right as it is', async () => {
  expect(launches.length).toBeGreaterThan(4)
  for (const launch of launches) expect(await launchMutated(runner, launch)).toBeUndefined()
})

/** Broken streams that are played; a run by night plays many more. */
const streams = Number(process.env['NPU_DECODER_STREAMS'] ?? 80)

test('the device stands whatever is issued: it goes on, reports, or refuses', { timeout: 500 * streams }, async () => {
  const findings: string[] = []
  for (let seed = 0; seed < streams; seed++) {
    const what = await launchMutated(runner, launches[seed % launches.length]!, seed)
    if (what !== undefined) findings.push(`seed ${seed}: ${what}`)
  }
  expect(findings).toEqual([])
})
