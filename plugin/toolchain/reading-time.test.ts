import { expect, test } from 'vitest'
import { BuildError } from './build-failure.ts'
import { reading, withReadingTime } from './reading-time.ts'

const forever = (): void => {
  for (;;);
}

function readFor(ms: number): number {
  const until = performance.now() + ms
  while (performance.now() < until);
  return ms
}

const tooSlow = (limit: string): string =>
  `reading the sources, or what compilers make of them, takes more than ${limit} s: make them shorter`

test('what is read of a candidate has a limit, for all of it together', async () => {
  const late = withReadingTime(600, async () => {
    expect(reading('kernel', () => readFor(200))).toBe(200)
    await Promise.resolve()
    // what is read within it counts once
    expect(reading('kernel', () => reading('host', () => readFor(200)))).toBe(200)
    expect(reading('kernel', () => readFor(50))).toBe(50)
    reading('host', forever)
  })
  const error: unknown = await late.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(BuildError)
  // on a faster machine it may be read
  expect(error).toMatchObject({ lasting: false, message: tooSlow('0.6'), failure: { stage: 'host' } })
})

test('once it is over, nothing more is read', async () => {
  const late = withReadingTime(100, async () => {
    expect(() => reading('kernel', forever)).toThrow(tooSlow('0.1'))
    await Promise.resolve()
    return reading('kernel', () => 'read')
  })
  await expect(late).rejects.toThrow(tooSlow('0.1'))
})

test('another candidate has a time of its own', async () => {
  const one = withReadingTime(300, async () => {
    reading('kernel', () => readFor(200))
    await Promise.resolve()
    return reading('kernel', () => 1)
  })
  const other = withReadingTime(300, async () => {
    await Promise.resolve()
    return reading('kernel', () => readFor(200))
  })
  expect(await Promise.all([one, other])).toEqual([1, 200])
})
