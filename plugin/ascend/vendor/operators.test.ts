import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { loadSpecs } from '../../../references/load-specs.ts'
import { npuKernelBench } from '../../suites/index.ts'
import type { KernelTask } from '../../task/kernel-task.ts'
import { vendorOperators } from './operators.ts'
import { sourceOf } from './vendor-operator.ts'

let tasks: KernelTask[]
beforeAll(async () => {
  tasks = (await loadSpecs()).filter((task) => task.interface.suite === npuKernelBench.name)
}, 60_000)

test('every task of NPUKernelBench has the vendor’s operator or a reason, and nothing else has', () => {
  expect(Object.keys(vendorOperators).toSorted()).toEqual(tasks.map((task) => task.interface.name).toSorted())
  expect(tasks).toHaveLength(157)
})

test('what calls are given is what their tasks have', () => {
  for (const { interface: task } of tasks) {
    const operator = vendorOperators[task.name]!
    if ('none' in operator) continue
    for (const [, ...given] of operator) for (const each of given) expect(() => sourceOf(each, task)).not.toThrow()
  }
})

test('every output is written by some call', () => {
  const unwritten = tasks.flatMap(({ interface: task }) => {
    const operator = vendorOperators[task.name]!
    if ('none' in operator) return []
    const given = new Set(operator.flatMap(([, ...all]) => all.filter((each) => typeof each === 'string')))
    return task.outputs.flatMap(({ name }) => (given.has(name) ? [] : [`${task.name}.${name}`]))
  })
  expect(unwritten).toEqual([])
})

test('what is passed on from one call to the next is written before it is read', () => {
  for (const [name, operator] of Object.entries(vendorOperators)) {
    if ('none' in operator) continue
    const seen = new Map<string, number>()
    for (const [, ...given] of operator)
      for (const each of given)
        if (typeof each === 'object' && each !== null && 'between' in each)
          seen.set(each.between, (seen.get(each.between) ?? 0) + 1)
    for (const [between, uses] of seen) expect(`${name}.${between}: ${uses > 1}`).toBe(`${name}.${between}: true`)
  }
})

test('the document says how many tasks have one', () => {
  const all = Object.values(vendorOperators)
  const count = (holds: (calls: number) => boolean): number =>
    all.filter((each) => !('none' in each) && holds(each.length)).length
  const text = readFileSync(new URL('../../../docs/ascend.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ')
  const said = /(\d+) of the 157 tasks of NPUKernelBench are one call, (\d+) several, and (\d+) none/
    .exec(text)
    ?.slice(1)
  const none = all.filter((each) => 'none' in each).length
  expect(said?.map(Number)).toEqual([count((n) => n === 1), count((n) => n > 1), none])
})
