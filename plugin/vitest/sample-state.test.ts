import { expect, test } from 'vitest'
import type { BuildArgs, Sample } from '../model/index.ts'
import { newSample, registerSample } from './sample-state.ts'

test('nobody waits for the end of a sample that another has taken the name of', async () => {
  const name = { model: null, task: 'Twice', sample: 'a' }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing looks at the sample
  const buildArgs = { sample: {} as Sample } as BuildArgs
  const [first, second] = [newSample(buildArgs), newSample(buildArgs)]
  registerSample('/twice.spec.ts', name, first)
  expect(first.isOver).toBe(false)
  registerSample('/twice.spec.ts', name, second)
  await first.over
  expect([first.isOver, second.isOver]).toEqual([true, false])
})
