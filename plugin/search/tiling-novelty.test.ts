import { expect, test } from 'vitest'
import type { KernelCase } from '../model/index.ts'
import { TilingNovelty, type Sketched } from './tiling-novelty.ts'

const kernelCase: KernelCase = {
  task: 'T',
  name: 'generated',
  combination: 0,
  inputs: {},
  outputs: {},
  attrs: {},
  seed: 0,
}

const sketched = (blockDim: number, ...words: number[]): Sketched => ({
  case: kernelCase,
  sketch: { blockDim, tilingKey: '0', tiling: Buffer.from(Uint32Array.from(words).buffer).toString('base64') },
})

test('an exact multiple is new where several cores share, also when one core has shown it', () => {
  const [alone, rest, shared] = [sketched(1, 40, 20), sketched(3, 41, 21), sketched(3, 40, 20)]
  const [restAlone, again] = [sketched(1, 41, 21), sketched(1, 40, 20)]
  const novelty = new TilingNovelty([alone, rest, restAlone, shared])
  for (const each of [alone, rest, restAlone]) novelty.note(each)
  expect(novelty.of(again)).toBe(0)
  expect(novelty.of(shared)).toBeGreaterThan(0)
})
