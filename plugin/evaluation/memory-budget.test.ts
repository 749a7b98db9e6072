import { expect, test } from 'vitest'
import { MemoryBudget } from './memory-budget.ts'

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('small work runs together, in order, and what is too large runs alone', async () => {
  const budget = new MemoryBudget(10)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string, bytes: number): void =>
    void budget.run(bytes, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
    })
  run('a', 4)
  run('b', 6)
  run('huge', 100)
  run('c', 1)
  await settled()
  expect(begun).toEqual(['a', 'b'])
  ends.get('a')?.()
  await settled()
  // c would fit, and comes after
  expect(begun).toEqual(['a', 'b'])
  ends.get('b')?.()
  await settled()
  expect(begun).toEqual(['a', 'b', 'huge'])
  ends.get('huge')?.()
  await settled()
  expect(begun).toEqual(['a', 'b', 'huge', 'c'])
  await expect(budget.run(9, () => Promise.reject(new Error('of the work')))).rejects.toThrow('of the work')
  expect(await budget.run(9, async () => 'its share is free')).toBe('its share is free')
})
