import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callBytes, difference, imageBytes, writeCall, type Call } from '../../fixtures/library_norm/call.ts'
import { normFamilies, smallNorms, untiledNorms } from '../../fixtures/library_norm/norm.ts'
import { normSetFamilies, smallNormSets, wrongNormSets } from '../../fixtures/library_norm/norm-sets.ts'
import { withTilings } from '../../fixtures/library_norm/project.ts'
import { quantFamilies, smallQuants } from '../../fixtures/library_norm/quant.ts'
import { generator, softMaxCall, softMaxFamilies, wholeFlashV3 } from '../../fixtures/library_norm/softmax.ts'
import { buildLimitMs, FixtureOperator, interfaceOf, startService, type Run } from '../../fixtures/operator.ts'
import { toFloat64 } from '../inputs/decode.ts'
import { encode } from '../inputs/encode.ts'
import { emptyTensor } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'

let service: KernelService
let device: FixtureOperator
beforeAll(async () => {
  service = await startService()
  const task = interfaceOf('LibraryNorm', 'library_norm', ['blocks'], ['int32'])
  device = await withTilings(async (root) => await FixtureOperator.build(service, task, root))
}, buildLimitMs)
afterAll(async () => await service.close())

async function launch(calls: readonly Call[]): Promise<Run> {
  const words = new Int32Array((callBytes / 4) * calls.length)
  const view = new DataView(words.buffer)
  calls.forEach((call, i) => writeCall(view, i * callBytes, call))
  return await device.run({
    x: { dtype: 'int32', shape: [words.length], data: words },
    y: { dtype: 'int32', shape: [(imageBytes / 4) * calls.length] },
    attrs: { blocks: calls.length },
  })
}

const families = { ...softMaxFamilies, ...normFamilies, ...normSetFamilies, ...quantFamilies }

describe('the library does what is documented', () => {
  test.each(Object.keys(families))('for %s', { timeout: 120_000 }, async (family) => {
    const calls = families[family]
    if (!calls) throw new Error(family)
    const property = fc.asyncProperty(fc.array(calls, { minLength: 24, maxLength: 40 }), async (drawn) => {
      const { result, y } = await launch(drawn)
      if (!result.ok) throw new Error(JSON.stringify(result, null, 2))
      const { buffer, byteOffset } = y.data
      drawn.forEach((call, i) =>
        expect(difference(call, new DataView(buffer, byteOffset + i * imageBytes, imageBytes))).toBeUndefined(),
      )
    })
    await fc.assert(property, { numRuns: 4, endOnFailure: true })
  })
})

/** `code` as the emulator reports it, and what the report says. */
type Rejection = [name: string, call: Call, code: string, text: RegExp]

/** The library only asserts that there is enough temporary memory; past it lies what nobody needs. */
const starved: [name: string, call: Call, text: RegExp][] = [
  ['SoftMax', softMaxCall({ op: 'SoftMax', work: 32 }), /GetSoftMaxMinTmpSize/],
  ['SoftmaxFlash', softMaxCall({ op: 'SoftmaxFlash', work: 32 }), /GetSoftMaxFlashMinTmpSize/],
  ['SoftmaxFlashV2', softMaxCall({ op: 'SoftmaxFlashV2', work: 32 }), /GetSoftMaxFlashV2MinTmpSize/],
  ['SoftmaxGrad', softMaxCall({ op: 'SoftmaxGrad', work: 32 }), /GetSoftMaxGradMinTmpSize/],
  ['all rows of SoftmaxFlashV3', wholeFlashV3({ less: 32 }), /GetSoftMaxFlashV3MaxMinTmpSize/],
  ['LogSoftMax', softMaxCall({ op: 'LogSoftMax', work: 32 }), /GetLogSoftMaxMinTmpSize/],
  ...[...smallNorms, ...smallNormSets, ...smallQuants].map<[string, Call, RegExp]>(([call, wanted]) => [
    call.op,
    call,
    wanted,
  ]),
]

test.each(starved)(
  'a call in too little temporary memory is warned of: %s',
  { timeout: 60_000 },
  async (_, call, text) => {
    const { result } = await launch([call])
    expect(result.ok, JSON.stringify(result)).toBe(true)
    const report = result.reports.find(({ code }) => code === 'AssertIgnored')
    expect(report?.severity).toBe('warning')
    expect(`${report?.message} ${report?.hint}`).toMatch(text)
  },
)

const rejections: Rejection[] = [
  ...untiledNorms.map<Rejection>(([call, wanted]) => [call.op, call, 'any', wanted]),
  ...wrongNormSets.map<Rejection>(([call, wanted]) => [`${call.op}: ${wanted.source}`, call, 'any', wanted]),
  ['no rows', softMaxCall({ op: 'SoftMax', work: 32, tiled: true }), 'ParameterRange', /has no rows.*GetSoftMaxMin/],
  [
    'a tail of all rows',
    softMaxCall({ allInTail: true }),
    'ParameterRange',
    /takes 1 rows at a time, and then 4 at once/,
  ],
  ['20 floats', softMaxCall({ op: 'SoftMax', k: 20 }), 'ParameterRange', /multiple of 32 bytes/],
  ['no shape', softMaxCall({ op: 'SoftMax', m: 0 }), 'ParameterRange', /SetShapeInfo/],
  ['logarithms of columns', softMaxCall({ op: 'LogSoftMax', nz: true }), 'Unsupported', /what dst holds/],
]

describe('a call is rejected with what to do about it', () => {
  test.each(rejections)('for %s', { timeout: 60_000 }, async (_, call, code, wanted) => {
    const { result } = await launch([call])
    const report = result.reports.find((candidate) => code === 'any' || candidate.code === code)
    expect(result).toMatchObject({ ok: false, verdict: { kind: 'device-error', report } })
    expect(`${report?.message} ${report?.hint}`).toMatch(wanted)
  })
})

describe('an operator whose tiling holds that of the library', () => {
  let operator: FixtureOperator
  beforeAll(async () => {
    operator = await FixtureOperator.build(
      service,
      interfaceOf('RowSoftmax', 'row_softmax', [], ['float32', 'float16']),
    )
  }, buildLimitMs)

  test.each([
    [3, 5],
    [16, 128],
    [40, 77],
    [7, 200],
  ])('computes rows of any width: %d x %d', { timeout: 60_000 }, async (rows, width) => {
    for (const [combination, dtype] of (['float32', 'float16'] as const).entries()) {
      const next = generator(rows * width)
      const x = emptyTensor(dtype, [rows, width])
      encode(
        Float64Array.from({ length: rows * width }, () => next() * 8),
        x,
      )
      const { result, y } = await operator.run({ x, y: { dtype, shape: [rows, width] }, combination })
      expect(result).toMatchObject({ ok: true, reports: [] })
      const [given, found] = [toFloat64(x), toFloat64(y)]
      for (let r = 0; r < rows; r++) {
        const row = given.subarray(r * width, (r + 1) * width)
        const largest = Math.max(...row)
        const raised = row.map((value) => Math.exp(value - largest))
        const sum = raised.reduce((a, b) => a + b, 0)
        raised.forEach((value, c) => {
          const [wanted, actual] = [value / sum, found[r * width + c] ?? NaN]
          const bound = dtype === 'float32' ? wanted * 2 ** -18 : wanted * 2 ** -10 + 2 ** -24
          expect(Math.abs(actual - wanted)).toBeLessThanOrEqual(bound)
        })
      }
    }
  })
})
