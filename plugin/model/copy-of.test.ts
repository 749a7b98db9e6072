import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { copyOf } from './copy-of.ts'

const objectsIn = (data: unknown): object[] =>
  typeof data === 'object' && data !== null ? [data, ...Object.values(data).flatMap(objectsIn)] : []

test('a copy is alike and shares no object', () => {
  const data = fc.anything({ key: fc.string().filter((key) => key !== '__proto__'), withNullPrototype: false })
  fc.assert(
    fc.property(data, (original) => {
      const copy = copyOf(original)
      expect(copy).toEqual(original)
      const originals = new Set(objectsIn(original))
      expect(objectsIn(copy).filter((each) => originals.has(each))).toEqual([])
    }),
  )
})
