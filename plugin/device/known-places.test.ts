import { beforeEach, expect, test } from 'vitest'
import { KnownPlaces } from './known-places.ts'

let asked: string[]
let isBroken: boolean
let known: KnownPlaces
beforeEach(() => {
  asked = []
  isBroken = false
  known = new KnownPlaces(async (library, offsets) => {
    asked.push(`${library} ${offsets.join(',')}`)
    return isBroken ? null : offsets.map((line) => [{ file: library, line }])
  })
})

const linesIn = async (library: string, ...offsets: number[]) => {
  const places = await known.in(library, offsets)
  return offsets.map(
    (offset) =>
      places
        .get(offset)
        ?.map(({ file, line }) => `${file}:${line}`)
        .join() ?? 'unknown',
  )
}

test('a place is asked for once, and only those that are not known yet', async () => {
  expect(await linesIn('a', 1, 2)).toEqual(['a:1', 'a:2'])
  expect(await linesIn('a', 2, 1)).toEqual(['a:2', 'a:1'])
  expect(await linesIn('a', 2, 3)).toEqual(['a:2', 'a:3'])
  expect(await linesIn('b', 1)).toEqual(['b:1'])
  expect(asked).toEqual(['a 1,2', 'a 3', 'b 1'])
})

test('what could not be told is asked for again', async () => {
  isBroken = true
  expect(await linesIn('a', 1)).toEqual(['unknown'])
  isBroken = false
  expect(await linesIn('a', 1)).toEqual(['a:1'])
  expect(asked).toEqual(['a 1', 'a 1'])
})

test('neither many libraries nor many places of one stay for ever', async () => {
  for (let library = 0; library < 65; library++) await linesIn(String(library), 1)
  await linesIn('64', 1)
  await linesIn('0', 1)
  expect(asked.slice(65)).toEqual(['0 1'])

  const all = Array.from({ length: 4096 }, (_, offset) => offset)
  await known.in('many', all)
  expect((await known.in('many', [4096])).size).toBe(1)
})
