import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Semaphore } from '../process/semaphore.ts'
import { LimitedSlots } from './compile-time.ts'

const limited = { stage: 'host', what: 'the sources of the host part take' } as const

test('the sources of one host part end where they take too long together, and others go on', async () => {
  const semaphore = new Semaphore(2)
  const slots = new LimitedSlots(semaphore, 2.5, limited)
  const run = async () => await slots.run(async () => await setTimeout(30, 'done'))
  expect(await Promise.all([run(), run()])).toEqual(['done', 'done'])
  await expect(run()).rejects.toThrow(
    'the sources of the host part take more than 0.05 s to compile, 20 times compileTimeoutMs',
  )
  const other = new LimitedSlots(semaphore, 2.5, limited)
  expect(await other.run(async () => await Promise.resolve(1))).toBe(1)
})
