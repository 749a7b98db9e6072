import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeReply, launchReply, tileReply } from './protocol.ts'

const report = {
  code: 'ErrorRead3',
  severity: 'error',
  message: 'DataCopy reads past x',
  hint: '',
  core: 'AIV 0',
  instruction: 'DataCopy',
  frames: [{ lib: 'aiv', offset: 4096 }],
  otherInstruction: '',
  otherFrames: [],
  count: 1,
}
const launched = {
  trapped: false,
  latencyNs: 3968,
  hostMs: 0.5,
  addsFloats: false,
  polls: false,
  meets: false,
  profile: 'Ascend910B2 v1',
  pipes: { MTE2: 100, VECTOR: 20.5 },
  reports: [report],
  coverage: [{ slot: 'x', bytes: 64, read: 64, written: 0 }],
  reached: { aiv: 'gAE=', aic: '' },
}
const tiled = {
  blockDim: 8,
  blockDimCaller: 0,
  tilingKey: '18446744073709551615',
  tiling: 'AQIDBA==',
  workspaceBytes: 0,
  initial: [null, '0000000000000000'],
  shapedOutputs: 0,
  warnings: [],
  reached: 'gAE=',
}

const launch = (change: object) => launchReply.parse({ ok: true, result: { ...launched, ...change }, log: 'printed' })
const tile = (change: object) => tileReply.parse({ ok: true, result: { ...tiled, ...change }, log: '' })

test('what a device answers is taken as it is', () => {
  expect(launch({})).toEqual({ ok: true, result: launched, log: 'printed' })
  expect(tile({})).toEqual({ ok: true, result: tiled, log: '' })
})

test.each<[unknown]>([[undefined], [null], ['gAE='], [{ aiv: 'gAE=' }], [{ aiv: 'x'.repeat(300_000), aic: '' }]])(
  'what no kernel says of the code that it has reached is nothing, and no failure: %#',
  (reached) =>
    expect(launch({ reached })).toEqual({
      ok: true,
      result: { ...launched, reached: { aiv: '', aic: '' } },
      log: 'printed',
    }),
)

test.each<[unknown]>([[undefined], [null], [{ aiv: 'gAE=' }], [['gAE=']], ['x'.repeat(300_000)]])(
  'nor is what no host part says of its code: %#',
  (reached) => {
    expect(tile({ reached })).toEqual({ ok: true, result: { ...tiled, reached: '' }, log: '' })
    const inferred = { ok: true, result: { findings: [], reached }, log: '' }
    const { inferred: told } = launchReply.parse({ ok: true, result: launched, log: '', inferred })
    expect(told).toEqual({ ...inferred, result: { findings: [], reached: '' } })
  },
)

const at = (place: string) => ({ kind: 'malformed', message: expect.stringContaining(` at ${place}: `) as unknown })

describe('an answer that no device gives is a failure of the candidate', () => {
  test.each<[unknown]>([[-1], [null], ['1'], [1e300], [3.7e12], [undefined]])('a latency of %j', (latencyNs) => {
    expect(launch({ latencyNs })).toMatchObject({
      ok: false,
      failure: { kind: 'malformed', code: 'ImplausibleLatency', message: /^the latency .* ns is implausible$/ },
      log: 'printed',
    })
  })

  test.each<[string, object]>([
    ['trapped', { trapped: 'no' }],
    ['profile', { profile: 'x\n::error::y' }],
    [String.raw`pipes.\x1b[31m`, { pipes: { '\u001B[31m': 1 } }],
    ['pipes.MTE2', { pipes: { MTE2: -1 } }],
    ['reports', { reports: Array.from({ length: 5000 }, () => report) }],
    ['reports.0.code', { reports: [{ ...report, code: 'Error Read' }] }],
    ['reports.0.count', { reports: [{ ...report, count: 0 }] }],
    ['reports.0.instruction', { reports: [{ ...report, instruction: 'x'.repeat(2000) }] }],
    ['reports.0.frames', { reports: [{ ...report, frames: Array.from({ length: 65 }, () => report.frames[0]) }] }],
    ['reports.0.frames.0.offset', { reports: [{ ...report, frames: [{ lib: 'aiv', offset: -1 }] }] }],
  ])('of a launch, at %s', (place, change) => {
    expect(launch(change)).toMatchObject({ ok: false, failure: at(place) })
  })

  test.each<[string, object]>([
    ['blockDim', { blockDim: -1 }],
    ['blockDim', { blockDim: 2 ** 32 }],
    ['tilingKey', { tilingKey: '-5' }],
    ['tilingKey', { tilingKey: '18446744073709551616' }],
    ['tiling', { tiling: '%' }],
    ['workspaceBytes', { workspaceBytes: 0.5 }],
    ['initial.0', { initial: ['00'] }],
  ])('of a tiling function, at %s: the runner would take it for a mistake of ours', (place, change) => {
    expect(tile(change)).toMatchObject({ ok: false, failure: at(place) })
  })

  test('whatever is in it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(describeReply, launchReply, tileReply), (result, reply) => {
        expect(reply.parse({ ok: true, result, log: '' })).toMatchObject({
          ok: false,
          failure: { kind: 'malformed' },
        })
      }),
    )
  })
})

test('a long text is cut, and not held against anybody', () => {
  const { ok, ...rest } = launch({ reports: [{ ...report, message: 'x'.repeat(100_000) }] })
  expect(ok).toBe(true)
  expect(JSON.stringify(rest).length).toBeLessThan(20_000)
})

test("nonsense in the runner's own words is nobody else's fault", () => {
  for (const words of [{}, { ok: true }, { ok: false, failure: { kind: 'malformed' }, log: '' }, null])
    expect(launchReply.safeParse(words).success).toBe(false)
})
