import { expect, test } from 'vitest'
import { confinementRefusal } from './run.ts'

test('nothing runs without a layer that nobody has named, and the line says why', () => {
  expect(confinementRefusal(['landlock'], ['landlock'])).toBeUndefined()
  expect(confinementRefusal(['landlock', 'seccomp'], ['landlock'])).toBe(
    "this machine has no seccomp, without which no candidate is run: nothing is judged; allowWeakConfinement: ['seccomp'] does without, for kernels of your own alone",
  )
  expect(confinementRefusal(['seccomp'], [], 'nothing confines it')).toMatch(
    /^nothing confines it: nothing is judged; /,
  )
})
