import { describe, expect, test } from 'vitest'
import type { TargetFactory } from '../model/index.ts'
import { resolveOptions } from './options.ts'

const second = { name: 'second', title: 'Second' }

describe('a bad option is one line that says what is allowed', () => {
  test.each([
    [{ fuzzRuns: -1 }, 'npuKernels(): fuzzRuns is -1; allowed: a whole number, 0 or more'],
    [{ profile: 'lenient' }, 'npuKernels(): profile is "lenient"; allowed: "standard", "strict" or "benchmark"'],
    [{ candidates: [] }, 'npuKernels(): candidates is []; allowed: a folder or a list of folders'],
    [{ latencyCase: 'smallest' }, 'npuKernels(): latencyCase is "smallest"; allowed: "largest" or the id'],
    [{ seed: 0.5 }, 'npuKernels(): seed is 0.5; allowed: a whole number of 32 bits'],
    [{ soc: 'H100' }, 'npuKernels(): soc is "H100"; allowed: the name of an Ascend SoC'],
    [{ fuzRuns: 3 }, 'npuKernels(): no option is called "fuzRuns"; there are tasks, suites, candidates,'],
    [{ suites: 'second' }, 'npuKernels(): suites is "second"; allowed: a list of suites'],
    [{ suites: [{ name: 'second' }] }, 'npuKernels(): suites[0].title is undefined; allowed: a text'],
    [{ suites: [{ ...second, name: 'My Suite' }] }, 'npuKernels(): suites[0].name is "My Suite"; allowed: lower-case'],
    [
      { suites: [{ ...second, layouts: ['answers/<sample>'] }] },
      'npuKernels(): suites[0].layouts is ["answers/<sample>"]',
    ],
    [
      { suites: [second, { ...second, groops: [] }] },
      'npuKernels(): suites[1]: no field is called "groops"; there are name',
    ],
    [{ suites: ['second'] }, 'npuKernels(): suites[0]: expects an object with name, title, folder'],
    [{ suites: [second, second] }, 'npuKernels(): suites: two suites are called "second"; rename one'],
    [
      { suites: [{ ...second, name: 'npukernelbench' }] },
      'npuKernels(): suites: two suites are called "npukernelbench"',
    ],
    ['tasks', 'npuKernels(): expects an object of options'],
  ])('%j', (options, message) => {
    expect(() => resolveOptions(options, {})).toThrow(message)
    expect(() => resolveOptions(options, {})).toThrow(/^[^\n]*$/)
  })

  test.each([
    [{ NPU_SEED: 'abc' }, 'NPU_SEED is "abc"; allowed: a whole number of 32 bits'],
    [{ NPU_SEED: '1e999' }, 'NPU_SEED is Infinity; allowed: a whole number of 32 bits'],
    [{ NPU_FUZZ_RUNS: '-3' }, 'NPU_FUZZ_RUNS is -3; allowed: a whole number, 0 or more'],
    [{ NPU_MAX_ELEMENTS: '2^20' }, 'NPU_MAX_ELEMENTS is "2^20"; allowed: a whole number, 1 or more'],
    [{ NPU_WARNINGS: 'error' }, 'NPU_WARNINGS is "error"; allowed: "report" or "fail"'],
    [
      { NPU_ALLOW_WEAK_CONFINEMENT: 'all' },
      'NPU_ALLOW_WEAK_CONFINEMENT is ["all"]; allowed: a list of "landlock" and "seccomp"',
    ],
    [{ NPU_TIMELINE: 'yes' }, 'NPU_TIMELINE is "yes"; allowed: true or false; 1 or 0 in the environment'],
    [{ NPU_TARGET: 'gpu' }, 'NPU_TARGET is "gpu"; allowed: "emulator" or "ascend"'],
  ])('%j', (env, message) => {
    expect(() => resolveOptions({}, env)).toThrow(message)
  })
})

test('the device has options of its own', () => {
  expect(resolveOptions({ target: { kind: 'ascend', host: 'me@box', devices: [0, 1] } }, {}).target.name).toBe('ascend')
  expect(resolveOptions({}, { NPU_TARGET: 'ascend' }).target.name).toBe('ascend')
  expect(() => resolveOptions({ target: { kind: 'ascend', hosts: 'me@box' } }, {})).toThrow(
    /target is .*kind: 'ascend'/,
  )
})

test('a target is known by its name, or brought along', () => {
  const own: TargetFactory = { name: 'own', create: () => expect.unreachable() }
  expect(resolveOptions({}, {}).target.name).toBe('emulator')
  expect(resolveOptions({ target: own }, {}).target).toBe(own)
  expect(resolveOptions({ target: own }, { NPU_TARGET: 'emulator' }).target.name).toBe('emulator')
  expect(() => resolveOptions({ target: { name: 'own' } }, {})).toThrow(
    'npuKernels(): target is {"name":"own"}; allowed: "emulator" or "ascend", or a target of your own',
  )
})

test('no layer of the confinement may be missing unless it is named', () => {
  expect(resolveOptions({}, {}).allowWeakConfinement).toEqual([])
  const env = { NPU_ALLOW_WEAK_CONFINEMENT: 'landlock, seccomp' }
  expect(resolveOptions({}, env).allowWeakConfinement).toEqual(['landlock', 'seccomp'])
})

test('the standard profile decides where none is named', () => {
  expect(resolveOptions({}, {}).profile).toBe('standard')
  expect(resolveOptions({ profile: 'strict' }, {}).profile).toBe('strict')
})

test('the environment wins over the configuration, and an empty variable is none', () => {
  const env = { NPU_CANDIDATES: 'a, b', NPU_FUZZ_RUNS: '5', NPU_SEED: '-9', NPU_SOC: '', NPU_WARNINGS: 'fail' }
  expect(resolveOptions({ candidates: 'c', fuzzRuns: 1 }, env)).toMatchObject({
    candidates: ['a', 'b'],
    fuzzRuns: 5,
    seed: -9,
    soc: 'Ascend910B2',
    warnings: 'fail',
  })
})
