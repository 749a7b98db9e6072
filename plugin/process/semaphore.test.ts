import { expect, test } from 'vitest'
import { Semaphore } from './semaphore.ts'

test('no more run at once than there are slots, and urgent work overtakes', async () => {
  const semaphore = new Semaphore(1)
  const order: string[] = []
  let running = 0
  let most = 0
  const work = (name: string) => async () => {
    most = Math.max(most, ++running)
    order.push(name)
    await new Promise((resolve) => setTimeout(resolve, 1))
    running--
  }
  let promoted = false
  await Promise.all([
    semaphore.run(work('first')),
    semaphore.run(work('expected'), () => false),
    semaphore.run(work('promoted'), () => promoted),
    semaphore.run(work('urgent')),
    Promise.resolve().then(() => (promoted = true)),
  ])
  expect(order).toEqual(['first', 'promoted', 'urgent', 'expected'])
  expect(most).toBe(1)
})

test('once closed, nothing that waits begins', async () => {
  const semaphore = new Semaphore(1)
  let begun = false
  const first = semaphore.run(async () => semaphore.close())
  const second = semaphore.run(async () => {
    begun = true
  })
  await first
  await expect(second).rejects.toThrow('the run was stopped')
  expect(begun).toBe(false)
})

test('a failure gives its slot back', async () => {
  const semaphore = new Semaphore(1)
  await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await semaphore.run(async () => 'served')).toBe('served')
})
