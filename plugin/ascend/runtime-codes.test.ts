import { expect, test } from 'vitest'
import { meaningOf, runtimeCodes, verdictOfCall } from './runtime-codes.ts'

/** What names of codes say of them: written apart from the table, and the first that holds counts. */
const byName: readonly (readonly [RegExp, string])[] = [
  [/TILING|INFERSHAPE|ACLNN_ERR_PARAM/, 'tiling-failed'],
  [/ACLNN_ERR_INNER_|KERNEL_LOOKUP/, 'device-error'],
  [/(?:TASK|AICORE|AICPU|VECTOR_CORE|STREAM_SYNC|EVENT_SYNC|FFTS_PLUS)_TIMEOUT/, 'timeout'],
  [/_EXCEPTION|_OVERFLOW|MODEL_EXECUTE|SYS_DMA/, 'device-error'],
  [/./, 'infrastructure'],
]

test.each(Object.entries(runtimeCodes))('the code %i is the verdict that its name says', (code, { name }) => {
  const [, kind] = byName.find(([pattern]) => pattern.test(name))!
  const verdict = verdictOfCall({ call: 'aclrtSynchronizeStreamWithTimeout', code: Number(code) }, 20_000)
  expect(verdict.kind).toBe(kind)
  const said = 'report' in verdict ? verdict.report.message : 'message' in verdict ? verdict.message : undefined
  if (said !== undefined) expect(said).toContain(`${code} (${name})`)
})

test('what a fault leaves on a device is reset', () => {
  for (const [code, { name, resets, means }] of Object.entries(runtimeCodes)) {
    const isFault = Number(code) >= 507_010 && Number(code) < 508_000 && means !== 'package'
    if (isFault) expect(`${name}: ${resets}`).toBe(`${name}: true`)
    if (name.startsWith('ACLNN_')) expect(`${name}: ${resets}`).toBe(`${name}: false`)
  }
})

test('a code that is in no list is a fault where its number says so', () => {
  expect(meaningOf(507_777)).toMatchObject({ means: 'exception', resets: true })
  expect(meaningOf(100_000)).toMatchObject({ means: 'infrastructure', resets: false })
})
