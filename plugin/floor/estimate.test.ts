import { expect, test } from 'vitest'
import { bandOfQuotient, estimateOf } from './estimate.ts'

const shares = {
  launchNs: 1500,
  coreNs: 8000,
  waitedNs: 0,
  hbmSaturatedNs: 0,
  l2SaturatedNs: 0,
  hbmBytes: 6000,
  l2Bytes: 4000,
  warmNs: 0,
}
const launch = { latencyNs: 10_000, pipes: { V: 7000, S: 500 }, shares }

test('a latency is bound by what most of it is spent on', () => {
  expect(estimateOf(launch)).toMatchObject({ bound: 'vector', share: 0.8, utilisation: 0.875, bytesPerNs: 1 })
  expect(estimateOf({ ...launch, shares: { ...shares, hbmSaturatedNs: 7000 } })).toMatchObject({ bound: 'HBM' })
  expect(estimateOf({ ...launch, shares: { ...shares, waitedNs: 5000 } })).toMatchObject({ bound: 'cores', share: 0.5 })
  expect(estimateOf({ ...launch, latencyNs: 30_000 })).toMatchObject({ bound: 'launch' })
})

test('the band is wider where more rests on estimates', () => {
  const [measured, estimated] = [estimateOf(launch)!, estimateOf({ ...launch, pipes: { S: 7000 } })!]
  expect(measured.band).toBeCloseTo(0.2 * 0.3 + 0.8 * 0.15)
  expect(estimated.band).toBeCloseTo(0.2 * 0.3 + 0.8 * 0.4)
  expect(bandOfQuotient(measured, estimated)).toBeGreaterThan(estimated.band)
})

test('what was not recorded may be off by all of it', () => {
  const told = { ...launch, shares: { ...shares, unrecordedNs: 6000 } }
  expect(estimateOf(told)).toMatchObject({ bound: 'unrecorded', share: 0.6 })
  expect(estimateOf(told)!.band).toBeCloseTo(0.2 * 0.3 + 0.2 * 0.15 + 0.6)
})

test('without what a latency is made of there is no estimate, and no band', () => {
  const { latencyNs, pipes } = launch
  expect(estimateOf({ latencyNs, pipes })).toBeUndefined()
  expect(bandOfQuotient(estimateOf(launch), undefined)).toBeUndefined()
})
