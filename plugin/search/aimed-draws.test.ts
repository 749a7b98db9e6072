import { record } from 'fast-check'
import { expect, test } from 'vitest'
import type { KernelCase } from '../model/index.ts'
import { dim } from '../task/index.ts'
import { aimedDraws } from './aimed-draws.ts'
import { Draws, type DrawName } from './draws.ts'
import type { Sketched } from './tiling-novelty.ts'

const cores = 3
const tile = 1000

const domain = record({ rows: dim({ max: 16 }), size: dim({ max: 16_384 }) }).map(({ rows, size }): KernelCase => ({
  task: 'T',
  name: 'generated',
  combination: 0,
  inputs: { x: { dtype: 'float32', shape: [rows, size] } },
  outputs: {},
  attrs: {},
  seed: 0,
}))

interface Split {
  length: number
  /** elements of each core, and what is left over */
  share: number
  rest: number
}

function splitOf({ inputs }: KernelCase): Split {
  const length = ([inputs['x'] ?? []].flat()[0]?.shape ?? []).reduce((product, extent) => product * extent, 1)
  return { length, share: Math.floor(length / cores), rest: length % cores }
}

/** Shares of whole tiles. */
const isWhole = ({ share }: Split): boolean => share > 0 && share % tile === 0

/** The tile hangs on the case as well, as that of a narrow device does. */
const sketched = (draws: Draws, names: readonly DrawName[]): (Sketched & { name: DrawName })[] =>
  names.map((name, i) => {
    const kernelCase = draws.value(name).value
    const { length, share } = splitOf(kernelCase)
    const words = Uint32Array.from([length, share, i % 2 === 0 ? tile : 2 * tile, 7])
    return {
      name,
      case: kernelCase,
      sketch: { blockDim: cores, tilingKey: '0', tiling: Buffer.from(words.buffer).toString('base64') },
    }
  })

const seeds = Array.from({ length: 20 }, (_, i) => i)
const numbers = Array.from({ length: 200 }, (_, i) => String(i))

test('shares of whole tiles are met, which other draws hardly meet', () => {
  const found = seeds.map((seed) => {
    const draws = new Draws(domain, seed)
    const whole = (names: readonly DrawName[]): number =>
      names.filter((name) => isWhole(splitOf(draws.value(name).value))).length
    return { blind: whole(numbers), aimed: whole(aimedDraws(sketched(draws, numbers), draws, 200)) }
  })
  expect(found.filter(({ blind }) => blind > 1).length).toBeLessThan(seeds.length / 2)
  for (const { aimed } of found) expect(aimed).toBeGreaterThan(0)
})

test('so is what 16 bits do not hold', () => {
  const draws = new Draws(domain, 1)
  const short = sketched(draws, numbers).filter(({ case: kernelCase }) => splitOf(kernelCase).length < 2 ** 16)
  const longest = aimedDraws(short, draws, 200).map((name) => splitOf(draws.value(name).value).length)
  expect(longest.some((length) => length >= 2 ** 16 && length < 2 ** 16 + 16)).toBe(true)
})

test('no more are made than asked for, each once, and the same ones again', () => {
  const draws = new Draws(domain, 2)
  const surveyed = sketched(draws, numbers)
  const names = aimedDraws(surveyed, draws, 5)
  expect(names).toHaveLength(5)
  expect(new Set(names).size).toBe(5)
  expect(aimedDraws(surveyed, new Draws(domain, 2), 5)).toEqual(names)
})

test('what shows no words leads nowhere', () => {
  const draws = new Draws(domain, 3)
  const empty = sketched(draws, numbers).map((each) => ({ ...each, sketch: { ...each.sketch, tiling: '' } }))
  expect(aimedDraws(empty, draws, 5)).toEqual([])
  expect(aimedDraws([], draws, 5)).toEqual([])
})
