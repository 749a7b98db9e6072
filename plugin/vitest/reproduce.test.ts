import { expect, test } from 'vitest'
import { commandFor } from './reproduce.ts'

const base = { root: '/home/me', spec: '/home/me/tasks/level1/sqrt.spec.ts', title: 'static 3:', environment: [] }

/** What the shell and then Vitest make of the `-t` argument. */
function patternOf(command: string): RegExp {
  const quoted = /-t "((?:[^"\\]|\\.)*)"$/.exec(command)?.[1] ?? ''
  return new RegExp(quoted.replace(/\\([\\"`$])/g, '$1'))
}

test('the command names the spec relative to the root and the test by its own words', () => {
  expect(commandFor({ ...base, environment: ['NPU_SEED=7'] })).toBe(
    'NPU_SEED=7 npx vitest run tasks/level1/sqrt.spec.ts -t "static 3:"',
  )
})

test('among several samples the pattern finds the one, in the full names of Vitest 4 and 5', () => {
  const pattern = patternOf(commandFor({ ...base, sample: 'answer/1 (v1.0)' }))
  expect('Sqrt answer/1 (v1.0) static 3: x float16[8]').toMatch(pattern)
  expect('Sqrt > answer/1 (v1.0) > static 3: x float16[8]').toMatch(pattern)
  expect('Sqrt answer/1 (v1x0) static 3: x').not.toMatch(pattern)
  expect('Sqrt answer/1 (v1.0) static 13: x').not.toMatch(pattern)
})

test('what a shell would read otherwise is quoted', () => {
  const command = commandFor({ ...base, spec: "/home/me/it's here/a.spec.ts", environment: ['NPU_CANDIDATES=my runs'] })
  expect(command).toBe(String.raw`NPU_CANDIDATES='my runs' npx vitest run 'it'\''s here/a.spec.ts' -t "static 3:"`)
})
