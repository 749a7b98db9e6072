import { expect, test, vi } from 'vitest'
import { damages } from '../mutation/edits.ts'
import { mutateOptionsOf, mutateUsage } from './mutate-options.ts'

test('reads what StrykerJS users expect to write', () => {
  expect(mutateOptionsOf(['X'])).toMatchObject({
    task: 'X',
    sample: undefined,
    patterns: [],
    kinds: damages,
    every: 1,
    seed: undefined,
    reporters: ['text', 'json', 'html'],
    reportsDir: 'reports/mutation',
    dryRun: false,
  })
  const args = ['X', 'mine', '-m', '*.{h,cpp},!x.h:3', '--kinds=tiling,queues', '--kinds', 'offsets', '--sample=7']
  const more = [
    '--seed',
    '9',
    '--concurrency',
    '3',
    '--reporter',
    'json',
    '--reports-dir',
    'r',
    '--threshold-break=80.5',
  ]
  expect(mutateOptionsOf([...args, ...more, '--dry-run'])).toMatchObject({
    sample: 'mine',
    patterns: [
      { glob: '*.{h,cpp}', not: false },
      { glob: 'x.h', not: true, lines: [3, 3] },
    ],
    kinds: ['queues', 'offsets', 'tiling'],
    count: 7,
    seed: 9,
    concurrency: 3,
    reporters: ['json'],
    reportsDir: 'r',
    thresholdBreak: 80.5,
    dryRun: true,
  })
})

test.each([
  [[], 'mutate: name a task, e.g. vitest-npu mutate AddCustom'],
  [['X', 'a', 'b'], 'mutate: too many names; see vitest-npu mutate --help'],
  [
    ['X', '--kinds', 'branch'],
    `--kinds branch: there is none (did you mean branches?); there are ${damages.join(', ')}`,
  ],
  [['X', '--reporter', 'dots'], '--reporter dots: there is none; there are text, json, html'],
  [['X', '--sample', '0'], '--sample 0: give a whole number from 1 to 2147483648'],
  [['X', '--concurrency', 'many'], '--concurrency many: give a whole number from 1 to 64'],
  [['X', '--threshold-break', '101'], '--threshold-break 101: give a number of percent, from 0 to 100'],
])('%j is said to be wrong', (args, message) => {
  expect(() => mutateOptionsOf(args)).toThrow(message)
})

test('help names every option, with examples', () => {
  const log = vi.spyOn(console, 'log').mockReturnValue()
  expect(mutateOptionsOf(['X', '--help'])).toBeUndefined()
  expect(log).toHaveBeenCalledOnce()
  log.mockRestore()
  expect(mutateUsage.split('\n').filter((line) => /^ {2}npx vitest-npu mutate /.test(line)).length).toBeGreaterThan(2)
  const options = ['mutate', 'kinds', 'every', 'sample', 'seed', 'concurrency', 'reporter', 'reports-dir']
  for (const name of [...options, 'threshold-break', 'dry-run', 'tasks']) expect(mutateUsage).toMatch(`--${name}`)
})
