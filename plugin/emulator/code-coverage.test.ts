import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { coveredHostLines, coveredLines, coveredRoot } from '../../fixtures/covered.ts'
import { buildLimitMs, FixtureOperator, interfaceOf, startService } from '../../fixtures/operator.ts'
import { eitherOf } from '../evaluation/reached.ts'
import type { CodeSide } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'
import { coverageOf } from '../vitest/code-coverage.ts'

const task = interfaceOf('Covered', 'covered', ['way'], ['float32', 'int32'])
interface Launch {
  way: number
  dtype: 'float32' | 'int32'
  first?: number
}

vi.setConfig({ testTimeout: buildLimitMs })

describe.each(['clang++-16', 'g++'])('%s', (compiler) => {
  let service: KernelService
  let operator: FixtureOperator
  beforeAll(async () => {
    vi.stubEnv('NPU_CXX', compiler)
    service = await startService()
    operator = await FixtureOperator.build(service, task)
  }, buildLimitMs)
  afterAll(async () => {
    vi.unstubAllEnvs()
    await service.close()
  })

  /** What the kernel has reached in a launch of some elements. */
  async function reachedBy({ way, dtype, first = 1 }: Launch): Promise<string> {
    const values = [first, 2, 3, 4, 5, 6, 7, 8]
    const data = dtype === 'float32' ? Float32Array.from(values) : Int32Array.from(values)
    const x = { dtype, shape: [8], data }
    const combination = dtype === 'float32' ? 0 : 1
    const { result, y } = await operator.run({ x, y: { dtype, shape: [8] }, attrs: { way }, combination })
    if (!result.ok || result.reached === undefined) throw new Error(JSON.stringify(result))
    expect(Array.from(y.data, Number)).toEqual(values.map((value) => 2 * value))
    return result.reached
  }

  async function coverageBy(...launches: Launch[]) {
    let all: string | undefined
    for (const launch of launches) all = eitherOf(all, await reachedBy(launch))
    const code = await service.code(operator.artifact)
    if (!code) throw new Error('no code')
    const coverage = coverageOf(code, { reached: all, tilingKeys: [] }, coveredRoot)
    const missedOn = (side: CodeSide): string[] => {
      const { missed } = side === 'host' ? (coverage.host ?? { missed: [] }) : coverage
      const linesIn = (index: number): number[] =>
        code.blocks.flatMap((block) => (block.file === index && block.side === side ? block.lines : []))
      return missed
        .flatMap(({ file, lines }) =>
          lines.flatMap(([from, to]) =>
            [...new Set(linesIn(code.files.indexOf(join(coveredRoot, file))))]
              .filter((line) => line >= from && line <= to)
              .map((line) => `${basename(file)}:${line}`),
          ),
        )
        .sort()
    }
    return { ...coverage, missed: missedOn('kernel'), missedOfHost: missedOn('host') }
  }

  test('tells the lines that a launch has not reached', async () => {
    const { missed } = await coverageBy({ way: 1, dtype: 'float32' })
    expect(missed).toEqual(coveredLines('way 2', 'nobody', 'int32', 'negative int32'))
  })

  test('sums up launches, dtypes and instances of templates', async () => {
    const { missed } = await coverageBy({ way: 1, dtype: 'float32' }, { way: 2, dtype: 'int32' })
    expect(missed).toEqual(coveredLines('nobody', 'negative int32'))
  })

  test('tells of a launch what it has reached itself, and the same each time', async () => {
    const first = await reachedBy({ way: 2, dtype: 'int32', first: -1 })
    await reachedBy({ way: 1, dtype: 'int32' })
    expect(await reachedBy({ way: 2, dtype: 'int32', first: -1 })).toBe(first)
    const { missed } = await coverageBy({ way: 2, dtype: 'int32', first: -1 })
    expect(missed).toEqual(coveredLines('way 1', 'nobody', 'float32'))
  })

  test('of an object that nobody launches, no line is reached', async () => {
    const { reached, missed, host } = await coverageBy()
    expect(reached).toBe(0)
    expect(host?.reached).toBe(0)
    expect(missed).toEqual(expect.arrayContaining(coveredLines('way 1', 'way 2', 'nobody', 'float32', 'int32')))
  })

  test('tells the lines of the host part that no request has reached', async () => {
    const one = await coverageBy({ way: 1, dtype: 'float32' })
    expect(one.missedOfHost).toEqual(coveredHostLines('way 2', 'nobody').sort())
    const both = await coverageBy({ way: 1, dtype: 'float32' }, { way: 2, dtype: 'float32' })
    expect(both.missedOfHost).toEqual(coveredHostLines('nobody').sort())
  })

  test('tells of a tiling that is remembered what it has reached', async () => {
    const launch = { way: 2, dtype: 'int32', first: 4 } as const
    expect(await reachedBy(launch)).toBe(await reachedBy(launch))
  })

  test('sees an edge of the host part that skips a body, where the compiler does; exceptions are no branches', async () => {
    const { host } = await coverageBy({ way: 1, dtype: 'float32' }, { way: 2, dtype: 'float32' })
    const inPart = (host?.partial ?? [])
      .filter(({ file }) => basename(file) === 'covered.cpp')
      .flatMap(({ lines }) => lines.map((range) => range.join('-')))
    const [half = ''] = coveredHostLines('half').map((place) => place.split(':')[1])
    expect(inPart).toEqual(compiler === 'clang++-16' ? [`${half}-${half}`] : [])
  })

  test('lists the keys that a template was compiled for, with their fields', async () => {
    const template = interfaceOf('Skeleton', 'skeleton', ['mode', 'twice', 'cores', 'blocks'], ['int32'])
    const { artifact } = await FixtureOperator.build(service, template)
    const keys = (await service.code(artifact))?.tilingKeys ?? []
    // modes 0 to 3 and 104 to 119, and six of these twice
    expect(keys.length).toBe(26)
    expect(keys).toContainEqual({ key: '259', fields: 'ELEMENT=C_DT_INT32, MODE=1, TWICE=0' })
    expect(keys).toContainEqual({ key: '11011', fields: 'ELEMENT=C_DT_INT32, MODE=111, TWICE=1' })
  })
})
