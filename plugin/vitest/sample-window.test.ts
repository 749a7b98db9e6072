import { expect, test } from 'vitest'
import { SampleWindow } from './sample-window.ts'

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('as many are under way as it is wide, in order, and they are neighbours', async () => {
  const window = new SampleWindow(3)
  const begun: number[] = []
  for (let i = 0; i < 8; i++) void window.enter().then((place) => begun.push(place))
  await settled()
  expect(begun).toEqual([0, 1, 2])
  window.leave(1)
  window.leave(2)
  await settled()
  // the first one holds the others up
  expect(begun).toEqual([0, 1, 2])
  window.leave(0)
  await settled()
  expect(begun).toEqual([0, 1, 2, 3, 4, 5])
  window.leave(3)
  await settled()
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6])
  for (const place of [4, 5, 6]) window.leave(place)
  await settled()
  expect(begun).toHaveLength(8)
})
