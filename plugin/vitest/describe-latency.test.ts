import { expect, test } from 'vitest'
import { describeEstimate, describeSpeedup } from './describe-latency.ts'

test('a speedup whose band reaches over 1 says so', () => {
  expect(describeSpeedup(0.97, 0.15)).toBe('0.97x ±0.15, which may as well be 1,')
  expect(describeSpeedup(1.5, 0.2)).toBe('1.50x ±0.20')
  expect(describeSpeedup(1, 0)).toBe('1.00x')
  expect(describeSpeedup(2, undefined)).toBe('2.00x')
})

test('an estimate is a line', () => {
  expect(describeEstimate({ band: 0.123, bound: 'HBM', share: 0.61, utilisation: 0.9, bytesPerNs: 1402 })).toBe(
    '±12 %, 61 % of it HBM, the busiest pipe at 90 %, 1402 GB/s',
  )
})
