import { constantFrom, integer, record } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KernelCase, NarrowDevice, TilingSketch } from '../model/index.ts'
import { dim } from '../task/index.ts'
import { Draws, type DrawName } from './draws.ts'
import { Guide, type GuideOptions } from './guide.ts'

const caseOf = (rows: number, size: number, device?: NarrowDevice): KernelCase => ({
  task: 'T',
  name: 'generated',
  combination: 0,
  inputs: { x: { dtype: 'float32', shape: [rows, size] } },
  outputs: {},
  attrs: {},
  seed: 0,
  ...(device && { device }),
})
const shapeOf = ({ inputs }: KernelCase): number[] => [inputs['x'] ?? []].flat()[0]?.shape ?? []
const device: NarrowDevice = { cores: 1, unifiedBuffer: 1 }
const domain = record({
  rows: integer({ min: 1, max: 64 }),
  size: integer({ min: 1, max: 4096 }),
  device: constantFrom(undefined, device),
}).map((drawn) => caseOf(drawn.rows, drawn.size, drawn.device))

/** The same, of extents that can be named. */
const domainOfExtents = record({ rows: dim({ max: 64 }), size: dim({ max: 4096 }) }).map((drawn) =>
  caseOf(drawn.rows, drawn.size),
)

const wordsOf = (...words: number[]): string => Buffer.from(Uint32Array.from(words).buffer).toString('base64')
const sketchOf = (tilingKey: number, ...words: number[]): TilingSketch => ({
  blockDim: 1,
  tilingKey: String(tilingKey),
  tiling: wordsOf(...words),
})
const always = () => sketchOf(0)

const runs = 20
const seeds = Array.from({ length: 20 }, (_, i) => i)

interface Tried {
  name: DrawName
  case: KernelCase
}

/** What a guide has a search try; `reached`: the blocks of a case, a bit for each. */
async function tried(
  seed: number,
  sketch: (kernelCase: KernelCase) => TilingSketch | null,
  reached: (kernelCase: KernelCase) => number = () => 1,
  change: Partial<GuideOptions> = {},
  until = runs,
): Promise<Tried[] & { guide: Guide }> {
  const draws = new Draws(domain, seed)
  const all: Tried[] = []
  const guide = new Guide({
    draws,
    runs,
    besides: [],
    budgetMs: 30_000,
    sketch: async (cases) => cases.map(sketch),
    ...change,
  })
  for (let run = change.earlier?.draws.length ?? 0; run < until; run++) {
    const name = await guide.next()
    const kernelCase = draws.value(name).value
    all.push({ name, case: kernelCase })
    guide.note(Buffer.from([reached(kernelCase)]).toString('base64'))
  }
  return Object.assign(all, { guide })
}

const isRare = (kernelCase: KernelCase): boolean => shapeOf(kernelCase)[1]! % 89 === 3

const rareKey = (one: KernelCase) => sketchOf(isRare(one) ? 1 : 0)
const byShape = (one: KernelCase) => sketchOf(isRare(one) ? 1 : 0, ...shapeOf(one))
/** Declines many cases of the whole device, of which a search tries one. */
const manyDeclined = (one: KernelCase) => (!one.device && shapeOf(one)[0]! <= 8 ? null : byShape(one))
const reachedByShape = (one: KernelCase): number =>
  1 | (shapeOf(one)[0]! > 32 ? 2 : 0) | (shapeOf(one)[1]! > 4000 ? 4 : 0)

describe('which cases are tried', () => {
  test('half of them are drawn whatever the candidate says', async () => {
    const plain = Array.from({ length: runs / 2 }, (_, i) => String(i))
    const hostile = [() => null, always, (one: KernelCase) => sketchOf(shapeOf(one)[1]!, ...shapeOf(one))]
    for (const sketch of hostile) {
      const all = await tried(1, sketch, ({ inputs }) => JSON.stringify(inputs).length & 255)
      const names = all.map(({ name }) => name)
      expect(names.filter((name) => plain.includes(name))).toEqual(plain)
      for (const [run, name] of names.entries()) if (run % 2 === 0) expect(name).not.toContain('.')
      expect(new Set(all.map(({ name }) => name)).size).toBe(runs)
    }
  })

  test('a tiling key that is rare among the draws is tried soon', async () => {
    const guided = await Promise.all(seeds.map((seed) => tried(seed, rareKey)))
    expect(guided.filter((all) => all.slice(0, 4).some((each) => isRare(each.case))).length).toBeGreaterThan(14)
    const plain = await Promise.all(seeds.map((seed) => tried(seed, always)))
    expect(plain.filter((all) => all.some((each) => isRare(each.case))).length).toBeLessThan(10)
  })

  test('so is what the words of the tiling data tell: counts of loops, with a tail and without', async () => {
    const tile = 512
    // five tiles and a tail of nothing, which one draw of 500 has
    const hasNoTail = (one: KernelCase) => shapeOf(one)[1]! % tile === 0
    const found = await Promise.all(
      seeds.map((seed) =>
        tried(seed, (one) => sketchOf(0, shapeOf(one)[1]!, tile + (shapeOf(one)[0]! > 60 ? tile : 0))),
      ),
    )
    expect(found.filter((all) => all.some((each) => hasNoTail(each.case))).length).toBeGreaterThan(11)
    const blind = await Promise.all(seeds.map((seed) => tried(seed, always)))
    expect(blind.filter((all) => all.some((each) => hasNoTail(each.case))).length).toBeLessThan(6)
  })

  test('what other cases show is not looked for again', async () => {
    const besides = [caseOf(1, 3)]
    const found = await Promise.all(seeds.map((seed) => tried(seed, rareKey, undefined, { besides })))
    expect(found.filter((all) => isRare(all[1]!.case)).length).toBeLessThan(3)
  })

  test('a case that the tiling function declines on the whole device is tried first', async () => {
    const all = await tried(3, (one) => (one.device || shapeOf(one)[0]! > 1 ? sketchOf(0) : null))
    expect(all[1]?.case.device).toBeUndefined()
    expect(shapeOf(all[1]!.case)[0]).toBe(1)
    const narrow = await tried(3, (one) => (one.device ? null : sketchOf(0)))
    expect(narrow.map(({ name }) => name)).toEqual(numbersOf(runs))
  })

  test('neighbours of a case that has reached new code are tried', async () => {
    const reached = (one: KernelCase) => 1 | (shapeOf(one)[0]! > 48 ? 2 : 0)
    const all = await tried(
      seeds.find((seed) => shapeOf(new Draws(domain, seed).value('0').value)[0]! < 48)!,
      always,
      reached,
    )
    const parent = all.findIndex((each) => reached(each.case) === 3)
    expect(all.guide.course.opening).toEqual([all[parent]?.name])
    const children = all.filter(({ name }) => name.startsWith(`${all[parent]?.name}.`))
    expect(children.length).toBeGreaterThan(2)
    const [rows, size] = shapeOf(all[parent]!.case)
    const near = children.filter((each) => shapeOf(each.case)[0] === rows || shapeOf(each.case)[1] === size)
    expect(near.length).toBeGreaterThan(children.length / 2)
  })

  test('where tilings cannot be had the draws come one after the other', async () => {
    const failing = { sketch: () => Promise.reject(new Error('gone')) }
    expect((await tried(5, always, undefined, failing)).map(({ name }) => name)).toEqual(numbersOf(runs))
    const none = { sketch: () => Promise.resolve(null) }
    expect((await tried(5, always, undefined, none)).map(({ name }) => name)).toEqual(numbersOf(runs))
  })

  test('tilings take a part of the time budget, and are asked for twice', async () => {
    const limits: number[] = []
    const sketch: GuideOptions['sketch'] = async (cases, timeoutMs) => {
      limits.push(timeoutMs)
      return cases.map(byShape)
    }
    const draws = new Draws(domainOfExtents, 5)
    await tried(5, byShape, undefined, { draws, sketch, budgetMs: 30_000 })
    expect(limits).toEqual([450, 450])
  })

  test('a search that was cut short goes on as it would have', async () => {
    let opening = 0
    for (const sketch of [byShape, manyDeclined]) {
      for (const seed of seeds.slice(0, 5)) {
        const whole = await tried(seed, sketch, reachedByShape)
        opening += whole.guide.course.opening.length
        for (const cut of [1, 2, 6, 11, 19]) {
          const { guide } = await tried(seed, sketch, reachedByShape, {}, cut)
          const rest = await tried(seed, sketch, reachedByShape, { earlier: guide.course })
          expect(rest.map(({ name }) => name)).toEqual(whole.slice(cut).map(({ name }) => name))
          expect(rest.guide.course).toEqual(whole.guide.course)
        }
      }
    }
    expect(opening).toBeGreaterThan(seeds.length / 2)
  })
})

const numbersOf = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i))
