import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

test('no more run at once than there are slots, and urgent work overtakes', async () => {
  const slots = new Slots(1)
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
    slots.run(work('first')),
    slots.run(work('expected'), () => false),
    slots.run(work('promoted'), () => promoted),
    slots.run(work('urgent')),
    Promise.resolve().then(() => (promoted = true)),
  ])
  expect(order).toEqual(['first', 'promoted', 'urgent', 'expected'])
  expect(most).toBe(1)
})

test('once closed, nothing that waits begins', async () => {
  const slots = new Slots(1)
  let begun = false
  const first = slots.run(async () => slots.close())
  const second = slots.run(async () => {
    begun = true
  })
  await first
  await expect(second).rejects.toThrow('the run was stopped')
  expect(begun).toBe(false)
})

test('a failure gives its slot back', async () => {
  const slots = new Slots(1)
  await expect(slots.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await slots.run(async () => 'served')).toBe('served')
})
