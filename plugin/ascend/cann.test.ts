import { describe, expect, test } from 'vitest'
import { inToolkit, missingOf, readProbe, toolkitOf } from './cann.ts'
import { parseClock, parseDriverListing } from './npu-smi.ts'

const listing = `
+--------------------------------------------------------------------------------+
| npu-smi 25.5.1                   Version: 25.5.1                                |
+---------------------------+---------------+------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)                |
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)       |
+===========================+===============+====================================+
| 3     910B2               | OK            | 89.9        39                     |
| 0                         | 0000:41:00.0  | 0           0    / 0               |
+===========================+===============+====================================+
| 5     910B2               | Warning       | 91.0        41                     |
| 0                         | 0000:42:00.0  | 0           0    / 0               |
+---------------------------+---------------+------------------------------------+
| NPU     Chip              | Process id    | Process name                       |
| 3       0                 | 4711          | python                             |
`

const complete = [
  'arch=aarch64',
  'home=/usr/local/Ascend/cann',
  'version=8.5.0',
  'file=set_env.sh',
  'file=acl/acl.h',
  'file=aclnn/acl_meta.h',
  'file=libascendcl.so',
  ...['msopgen', 'cmake', 'g++', 'python3', 'bash', 'npu-smi'].map((name) => `program=${name}:/usr/bin/${name}`),
]

const probed = (lines: readonly string[], smi = listing) => readProbe(`${lines.join('\n')}\nnpu-smi=\n${smi}`)

test('the driver lists chips in the order of the runtime, and processes are none', () => {
  expect(parseDriverListing(listing)).toEqual({
    version: '25.5.1',
    chips: [
      { card: 3, chip: 0, name: '910B2', health: 'OK' },
      { card: 5, chip: 0, name: '910B2', health: 'Warning' },
    ],
  })
})

test('cards of two chips have two devices', () => {
  const rows = [
    '| 0     Ascend910           | OK            | 178.9       36 |',
    '| 0     0                   | 0000:9D:00.0  | 0           0  |',
    '| 0     Ascend910           | OK            | -           36 |',
    '| 1     1                   | 0000:9F:00.0  | 0           0  |',
  ]
  expect(parseDriverListing(rows.join('\n')).chips.map(({ card, chip }) => [card, chip])).toEqual([
    [0, 0],
    [0, 1],
  ])
})

test('the clock is read where the driver tells it', () => {
  expect(parseClock('Aicore Freq(MHZ)      : 1800\nAicore curFreq(MHZ)   : 800\n')).toEqual({ rated: 1800, now: 800 })
  expect(parseClock('Unsupported')).toEqual({ rated: null, now: null })
})

describe('a machine lacks', () => {
  test('nothing where all is there', () => {
    expect(missingOf(probed(complete))).toEqual([])
  })

  test.each([
    ['home=/usr/local/Ascend/cann', /ASCEND_HOME_PATH is not set/],
    ['file=acl/acl.h', /^acl\/acl.h in/],
    ['program=msopgen:/usr/bin/msopgen', /^msopgen$/],
    ['program=g++:/usr/bin/g++', /^g\+\+$/],
    ['program=npu-smi:/usr/bin/npu-smi', /^npu-smi$/],
  ])('what %s stands for', (line, named) => {
    const [first] = missingOf(probed(complete.filter((each) => each !== line)))
    expect(first?.what).toMatch(named)
    expect(first?.remedy).not.toBe('')
  })

  test('a device where the driver lists none', () => {
    expect(missingOf(probed(complete, '| npu-smi 25.5.1 Version: 25.5.1 |'))[0]?.what).toBe(
      'a device: npu-smi lists none',
    )
  })

  test('a newer toolkit', () => {
    const old = complete.map((line) => (line.startsWith('version=') ? 'version=7.0.0' : line))
    expect(missingOf(probed(old))[0]?.what).toBe('CANN 8 or newer (/usr/local/Ascend/cann is 7.0.0)')
  })
})

test.each([
  ['8.0.RC3', '8.0'],
  ['8.3.RC2', '8.0'],
  ['8.5.0', '8.5'],
  ['9.1.0', '8.5'],
])('what holds for CANN %s is in the row of %s', (version, from) => {
  expect(toolkitOf(version)?.from).toBe(from)
})

test('variables of a command are set after those of the toolkit, whatever they hold', () => {
  expect(inToolkit({ home: '/a' }, ['run', 'x'], { PLACE: "it's" })).toEqual([
    'bash',
    '-c',
    String.raw`. '/a/set_env.sh' >/dev/null 2>&1; export PLACE='it'\''s'; exec "$@"`,
    'bash',
    'run',
    'x',
  ])
})
