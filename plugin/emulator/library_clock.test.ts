import { expect, test, vi } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'

// processes take their time on a loaded machine
vi.setConfig({ testTimeout: 120_000 })

const attributes = ['function', 'rows', 'columns', 'times', 'written']
const operator = useOperator(interfaceOf('LibraryLaws', 'library_laws', attributes, ['float32']))

const shape = [32]
const x = { dtype: 'float32', shape, data: new Float32Array(32) } as const

async function ns(attrs: Record<string, number>): Promise<number> {
  const { result } = await operator.run({ x, y: { dtype: 'float32', shape }, attrs, clock: true })
  if (!result.ok) throw new Error(JSON.stringify(result.verdict))
  const errors = result.reports.filter((report) => report.severity === 'error')
  expect(errors).toEqual([])
  return result.latencyNs
}

/** The time of one call: what is left when the launch is taken away. */
const nsOfCall = async (attrs: Record<string, number>): Promise<number> =>
  ((await ns({ ...attrs, times: 22 })) - (await ns({ ...attrs, times: 2 }))) / 20

/**
 * A function of the fixture by its number there, and shapes that take each of the ways that the library has.
 */
const functions: [string, number, [rows: number, columns: number][]][] = [
  [
    'maxima of rows',
    0,
    [
      [20, 5],
      [16, 8],
      [20, 20],
      [40, 32],
      [20, 100],
      [12, 2040],
      [11, 2176],
      [36, 640],
      [30, 576],
    ],
  ],
  [
    'minima of rows of float16',
    1,
    [
      [20, 5],
      [20, 16],
      [20, 50],
      [20, 200],
      [12, 4096],
    ],
  ],
  [
    'sums of rows',
    2,
    [
      [20, 5],
      [20, 40],
      [20, 65],
      [3, 500],
      [4, 2048],
      [40, 128],
      [50, 320],
      [260, 72],
    ],
  ],
  [
    'means of rows',
    3,
    [
      [20, 40],
      [20, 100],
    ],
  ],
  [
    'products of rows',
    4,
    [
      [10, 5],
      [10, 8],
      [10, 64],
      [10, 100],
    ],
  ],
  [
    'truth of rows of bytes',
    5,
    [
      [10, 20],
      [10, 64],
      [10, 200],
    ],
  ],
  [
    'sums of columns',
    6,
    [
      [8, 40],
      [13, 40],
      [64, 100],
    ],
  ],
  [
    'sums by repeats',
    7,
    [
      [40, 40],
      [128, 128],
      [3, 5000],
    ],
  ],
  [
    'means of float16 in float',
    8,
    [
      [20, 40],
      [20, 200],
    ],
  ],
  [
    'a sum of differing bits',
    9,
    [
      [1, 112],
      [1, 2048],
    ],
  ],
  ['running sums of columns', 10, [[20, 64]]],
  [
    'maxima of rows that are used up',
    11,
    [
      [20, 20],
      [20, 100],
      [6, 2176],
    ],
  ],
  [
    'exponentials of rows by their sum',
    14,
    [
      [64, 16],
      [64, 64],
      [24, 128],
      [16, 320],
      [8, 512],
      [8, 1024],
    ],
  ],
  [
    'rows by the root of their mean square',
    13,
    [
      [20, 40],
      [20, 200],
      [2, 2048],
      [64, 32],
    ],
  ],
  [
    'heads that change places with rows',
    15,
    [
      [16, 64],
      [64, 128],
    ],
  ],
  [
    'heads that are split off the last axis',
    16,
    [
      [32, 16],
      [16, 24],
      [16, 5],
    ],
  ],
  [
    'channels that become the last axis',
    17,
    [
      [4, 64],
      [3, 32],
    ],
  ],
  [
    'channels that are no longer the last axis',
    18,
    [
      [4, 64],
      [3, 24],
    ],
  ],
  [
    'rows that are padded to whole blocks',
    19,
    [
      [40, 11],
      [8, 77],
    ],
  ],
  [
    'exponentials of columns of 16 by their sum',
    20,
    [
      [16, 16],
      [16, 512],
      [64, 128],
    ],
  ],
  [
    'elements that bytes keep, in little memory',
    21,
    [
      [4, 32],
      [20, 96],
    ],
  ],
  [
    'elements that bytes choose, in little memory',
    22,
    [
      [4, 32],
      [20, 96],
    ],
  ],
  [
    'rows times their scales',
    23,
    [
      [1, 1984],
      [20, 200],
    ],
  ],
  [
    'rows that are made bytes, in little memory',
    24,
    [
      [4, 32],
      [10, 640],
      [10, 288],
    ],
  ],
  [
    'columns that are spread along rows, in little memory',
    25,
    [
      [200, 64],
      [60, 40],
      [40, 20],
    ],
  ],
  [
    'rows that are repeated',
    26,
    [
      [20, 64],
      [8, 128],
    ],
  ],
  [
    'running sums of rows',
    27,
    [
      [16, 64],
      [64, 24],
    ],
  ],
  [
    'the largest of rows',
    28,
    [
      [3, 1024],
      [4, 128],
      [2, 2048],
      [1, 64],
      [2, 32],
    ],
  ],
  [
    'bytes that columns scale',
    29,
    [
      [16, 128],
      [4, 1024],
      [300, 32],
      [20, 160],
    ],
  ],
  [
    'bytes that rows scale',
    30,
    [
      [16, 64],
      [32, 128],
      [16, 416],
    ],
  ],
  [
    'bytes that columns scale in float',
    31,
    [
      [16, 64],
      [4, 1024],
      [100, 96],
    ],
  ],
  [
    'bytes that rows scale in float',
    32,
    [
      [16, 64],
      [64, 256],
      [16, 96],
    ],
  ],
  [
    'bytes that a number scales in float, in little memory',
    33,
    [
      [1, 128],
      [10, 640],
    ],
  ],
  [
    'bytes that columns scale without an offset',
    34,
    [
      [4, 32],
      [10, 640],
    ],
  ],
  ['blocks that change places, by their addresses', 35, [[20, 1]]],
  [
    'logarithms of the shares of exponentials',
    42,
    [
      [64, 32],
      [16, 64],
      [16, 256],
      [4, 1024],
    ],
  ],
  [
    'elements by one and a power of e',
    43,
    [
      [1, 64],
      [4, 1024],
    ],
  ],
  [
    'tangents of elements',
    44,
    [
      [1, 64],
      [4, 1024],
    ],
  ],
  [
    'elements by the share of a bell below them',
    45,
    [
      [1, 64],
      [4, 1024],
    ],
  ],
  [
    'halves that are made whole',
    46,
    [
      [1, 128],
      [4, 1024],
    ],
  ],
  [
    'elements by a gate',
    47,
    [
      [1, 64],
      [4, 1024],
    ],
  ],
  [
    'powers of integers, by their exponent',
    48,
    [
      [1, 64],
      [2, 64],
      [7, 512],
      [64, 64],
      [100, 512],
    ],
  ],
  [
    'gradients of rows',
    37,
    [
      [64, 32],
      [16, 256],
      [4, 1024],
      [12, 72],
    ],
  ],
  [
    'sums for gradients of rows',
    38,
    [
      [64, 32],
      [16, 256],
      [4, 1024],
      [12, 72],
    ],
  ],
  [
    'variances that go on, in little memory',
    39,
    [
      [1, 512],
      [4, 1000],
    ],
  ],
  [
    'rows by a mean and a deviation that are given',
    40,
    [
      [64, 32],
      [16, 256],
      [4, 1024],
    ],
  ],
  [
    'rows and what is added to them, by their deviation',
    41,
    [
      [20, 72],
      [16, 256],
      [4, 1024],
    ],
  ],
  [
    'channels that become blocks',
    49,
    [
      [32, 16],
      [8, 48],
    ],
  ],
  [
    'channels that were blocks',
    50,
    [
      [32, 32],
      [8, 32],
    ],
  ],
  [
    'rows in columns of 16 that are filled',
    51,
    [
      [16, 1024],
      [64, 32],
    ],
  ],
  [
    'rows that are filled',
    52,
    [
      [16, 1024],
      [64, 32],
    ],
  ],
  [
    'running sums of rows, in little memory',
    53,
    [
      [128, 32],
      [40, 16],
      [72, 8],
    ],
  ],
  ['the largest of rows of 32', 54, [[64, 1]]],
  [
    'exponentials of rows that means shift',
    56,
    [
      [8, 512],
      [16, 512],
      [8, 1024],
    ],
  ],
  [
    'a variance of parts, in little memory',
    55,
    [
      [1, 1024],
      [1, 4032],
    ],
  ],
  [
    'sums of rows that are used up',
    12,
    [
      [20, 65],
      [3, 500],
      [4, 2048],
      [40, 128],
    ],
  ],
  [
    'rows by the root of their mean square, in basic blocks of float16',
    213,
    [
      [16, 64],
      [32, 256],
    ],
  ],
  [
    'groups by their mean and deviation',
    200,
    [
      [16, 256],
      [4, 1024],
    ],
  ],
  [
    'short groups by their mean and deviation',
    201,
    [
      [8, 64],
      [16, 128],
      [32, 32],
    ],
  ],
  [
    'batches by their mean and deviation',
    202,
    [
      [16, 64],
      [8, 512],
    ],
  ],
  [
    'batches by their mean and deviation, in basic blocks',
    203,
    [
      [8, 64],
      [16, 256],
    ],
  ],
  [
    'gradients of rows that are by their mean and deviation',
    204,
    [
      [16, 64],
      [4, 512],
      [13, 72],
    ],
  ],
  [
    'gradients of weights',
    205,
    [
      [16, 64],
      [4, 512],
    ],
  ],
  [
    'rows by their mean and deviation',
    206,
    [
      [16, 64],
      [4, 1024],
      [20, 72],
    ],
  ],
  [
    'the largest of a tensor and where it is',
    207,
    [
      [1, 1024],
      [1, 1000],
      [1, 4096],
      [1, 20000],
    ],
  ],
  [
    'the largest of a tensor of float16',
    208,
    [
      [1, 100],
      [1, 1024],
      [1, 1000],
    ],
  ],
  [
    'the sum of some repeats',
    209,
    [
      [1, 1],
      [16, 1],
      [200, 1],
    ],
  ],
  [
    'lists that are sorted',
    210,
    [
      [2, 1],
      [7, 1],
      [64, 1],
    ],
  ],
  [
    'values and indices of a sorted list',
    211,
    [
      [2, 1],
      [32, 1],
    ],
  ],
  ['indices of some lanes', 212, [[4, 1]]],
  [
    'elements that bits keep',
    214,
    [
      [1, 256],
      [16, 256],
    ],
  ],
  [
    'rows without their margins',
    215,
    [
      [4, 32],
      [20, 64],
    ],
  ],
  [
    'a matrix whose axes change places',
    216,
    [
      [64, 64],
      [16, 16],
    ],
  ],
  [
    'sums of rows in basic blocks, by their deviation',
    217,
    [
      [16, 64],
      [16, 256],
    ],
  ],
  [
    'the smallest of rows that are finished',
    218,
    [
      [4, 32],
      [2, 512],
    ],
  ],
  [
    'elements that longer rows of bytes choose',
    219,
    [
      [4, 64],
      [16, 96],
    ],
  ],
  [
    'bytes that are spread along rows',
    220,
    [
      [40, 64],
      [40, 128],
    ],
  ],
  [
    'rows by a mean and a deviation that are told',
    221,
    [
      [64, 32],
      [16, 256],
      [4, 1024],
    ],
  ],
  [
    'means of two powers of e',
    100,
    [
      [1, 64],
      [4, 1024],
    ],
  ],
  ['logarithms of halves and the root of their squares', 101, [[4, 1024]]],
  [
    'angles of tangents',
    102,
    [
      [1, 64],
      [4, 1024],
    ],
  ],
  ['tangents of angles', 103, [[4, 1024]]],
  [
    'shares of a bell below halves',
    104,
    [
      [1, 128],
      [4, 1024],
    ],
  ],
  [
    'signs',
    105,
    [
      [1, 64],
      [4, 1024],
    ],
  ],
  ['halves by a gate', 106, [[4, 1024]]],
  [
    'powers of e by their series',
    107,
    [
      [1, 128],
      [4, 1024],
    ],
  ],
  [
    'angles of cosines of halves',
    108,
    [
      [1, 128],
      [4, 1024],
    ],
  ],
  ['halves by the share of a bell, in float', 109, [[4, 1024]]],
  [
    'elements by one and a power of e, without a division',
    110,
    [
      [1, 64],
      [4, 1024],
    ],
  ],
  ['what divisions of halves leave', 111, [[1, 1000]]],
  ['bytes that columns scale in float, in little memory', 112, [[96, 64]]],
  [
    'rows times scales of words',
    113,
    [
      [1, 64],
      [20, 192],
    ],
  ],
  ['slopes of the logarithm of gamma, of halves', 114, [[1, 2560]]],
  ['shares of a bell beyond elements', 115, [[4, 1024]]],
  ['halves times a number that are added to floats', 116, [[4, 1024]]],
  [
    'exponentials of rows beside those before them',
    117,
    [
      [8, 1024],
      [16, 256],
      [2, 2048],
    ],
  ],
  [
    'exponentials of basic blocks by sums that are given',
    118,
    [
      [8, 1024],
      [64, 64],
      [24, 128],
    ],
  ],
  [
    'exponentials of columns of 16 by sums that are given',
    119,
    [
      [64, 64],
      [32, 192],
      [16, 256],
    ],
  ],
  ['sums under the mask that is set', 300, [[1, 64]]],
  [
    'indices of lanes',
    301,
    [
      [1, 16],
      [1, 64],
      [3, 20],
    ],
  ],
  ['indices of few lanes that bits name', 302, [[3, 1]]],
  [
    'values and indices of a sorted list of float16',
    303,
    [
      [1, 1],
      [8, 1],
    ],
  ],
]

test.each(functions)('%s take as long as the instructions that they are made of', async (_, number, shapes) => {
  for (const [rows, columns] of shapes) {
    const call = await nsOfCall({ function: number, rows, columns, written: 0 })
    const written = await nsOfCall({ function: number, rows, columns, written: 1 })
    expect.soft(call / written, `${rows} x ${columns}`).toBeGreaterThan(0.8)
    expect.soft(call / written, `${rows} x ${columns}`).toBeLessThan(1.25)
  }
})

test('addresses of blocks are read out of their tensors before blocks change places', async () => {
  const byTensors = await nsOfCall({ function: 36, rows: 20, columns: 1, written: 0 })
  const byAddresses = await nsOfCall({ function: 36, rows: 20, columns: 1, written: 1 })
  expect(byTensors).toBeGreaterThan(1.5 * byAddresses)
})
