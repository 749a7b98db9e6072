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
]

test.each(functions)('%s take as long as the instructions that they are made of', async (_, number, shapes) => {
  for (const [rows, columns] of shapes) {
    const call = await nsOfCall({ function: number, rows, columns, written: 0 })
    const written = await nsOfCall({ function: number, rows, columns, written: 1 })
    expect.soft(call / written, `${rows} x ${columns}`).toBeGreaterThan(0.8)
    expect.soft(call / written, `${rows} x ${columns}`).toBeLessThan(1.25)
  }
})
