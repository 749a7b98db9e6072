import { describe, expect, test } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'

const attrs = ['mode', 'twice', 'cores', 'blocks']
const device = useOperator(interfaceOf('Skeleton', 'skeleton', attrs, ['float32', 'int32']))

interface Options {
  length?: number
  size?: number
  twice?: number
  cores?: number
  blocks?: number
  int?: boolean
  reversed?: boolean
}

/** Launches one mode on x = 1, 2, 3, … of `length` elements; y has `size`. */
async function launch(mode: number, options: Options = {}) {
  const { length = 128, size = 128, twice = 0, cores = 1, blocks = 1, int = false, reversed = false } = options
  const dtype = int ? ('int32' as const) : ('float32' as const)
  const values = Array.from({ length }, (_, i) => i + 1)
  const data = int ? Int32Array.from(values) : Float32Array.from(values)
  return await device.run({
    x: { dtype, shape: [length], data },
    y: { dtype, shape: [size] },
    attrs: { mode, twice, cores, blocks },
    combination: int ? 1 : 0,
    ...(reversed ? { coreOrder: 'reverse' } : {}),
  })
}

async function numbersOf(...request: Parameters<typeof launch>): Promise<number[]> {
  const { result, y } = await launch(...request)
  if (!result.ok) throw new Error(JSON.stringify(result, null, 2))
  expect(result.reports).toEqual([])
  return Array.from(y.data, Number)
}

const counting = (length: number, at: (i: number) => number): number[] => Array.from({ length }, (_, i) => at(i))

describe('a kernel that is a template over its tiling key', () => {
  test.each([
    { twice: 0, int: false },
    { twice: 1, int: false },
    { twice: 0, int: true },
    { twice: 1, int: true },
  ])('runs the instance of the key, in the dtype of the input: %o', async (options) => {
    expect(await numbersOf(0, options)).toEqual(counting(128, (i) => (i + 1) * (options.twice + 1)))
  })

  test('has no instance for a key that no selection names', async () => {
    const { result } = await launch(3, { twice: 1 })
    expect(result).toMatchObject({ ok: false, verdict: { report: { code: 'ParameterRange', instruction: 'launch' } } })
  })

  test('gets no key from values that are not declared', async () => {
    const { result } = await launch(77)
    const message = expect.stringContaining('which is that of no kernel')
    expect(result).toMatchObject({ ok: false, verdict: { kind: 'tiling-failed', message } })
  })
})

describe('data movement', () => {
  test('takes slices of rows', async () => {
    const columns = [...counting(24, (i) => 16 + i), ...counting(24, (i) => 47 + i)]
    const wanted = [0, 2].flatMap((row) => columns.map((column) => row * 87 + column + 1))
    expect(await numbersOf(1, { length: 261, size: 96 })).toEqual(wanted)
  })

  test('stores groups of columns as rows', async () => {
    const wanted = counting(96, (i) => {
      const [row, column] = [Math.floor(i / 32), i % 32]
      return Math.floor(column / 16) * 48 + row * 16 + (column % 16) + 1
    })
    expect(await numbersOf(2, { size: 96 })).toEqual(wanted)
  })

  test('loads rows as groups of columns, filled up with the first element of the last block', async () => {
    const wanted = counting(72, (i) => {
      const [group, row, column] = [Math.floor(i / 24), Math.floor((i % 24) / 8), i % 8]
      return row * 20 + group * 8 + (group * 8 + column < 20 ? column : 0) + 1
    })
    expect(await numbersOf(3, { size: 72 })).toEqual(wanted)
  })
})

/** What `cores` cores leave that store their own block and, after a barrier, that of their neighbour. */
const exchanged = (cores: number): number[] => [
  ...counting(cores * 8, (i) => i + 1),
  ...counting(cores * 8, (i) => ((Math.floor(i / 8) + 1) % cores) * 8 + (i % 8) + 1),
]

describe('cores wait', () => {
  test('for some others at a soft barrier', async () => {
    expect(await numbersOf(104, { cores: 5, blocks: 7, size: 80 })).toEqual(exchanged(5))
  })

  test('for all others at a flag', async () => {
    expect(await numbersOf(105, { blocks: 8, size: 128 })).toEqual(exchanged(8))
  })

  test('for all others at a flag as long as at a barrier, which is made of one', async () => {
    const [flag, barrier] = [await launch(105, { blocks: 8 }), await launch(105, { blocks: 8, twice: 1 })]
    if (!flag.result.ok || !barrier.result.ok) throw new Error(JSON.stringify([flag.result, barrier.result]))
    expect(flag.result.latencyNs).toBeGreaterThan(0.98 * barrier.result.latencyNs)
    expect(flag.result.latencyNs).toBeLessThan(1.02 * barrier.result.latencyNs)
  })

  test('for one other, here backwards', async () => {
    expect((await numbersOf(106, { blocks: 6, size: 1, int: true }))[0]).toBe(543210)
  })

  test('for all that arrive at a group barrier, once per round', async () => {
    const [arrivers, blocks] = [3, 8]
    const y = await numbersOf(110, { cores: arrivers, blocks, size: 2 * blocks * 16, int: true })
    expect(y[1]).toBe((blocks - arrivers) * 512)
    const wanted = counting(2 * blocks, (i) => {
      const [round, core] = [Math.floor(i / blocks), i % blocks]
      return core < arrivers ? core + 1 + 10 * round : 6 + 30 * round
    })
    expect(y.filter((_, i) => i % 16 === 0)).toEqual(wanted)
  })

  test.each([false, true])(
    'for a flag in global memory that guards what was stored before a barrier, in reverse order: %s',
    async (reversed) => {
      const { result, y } = await launch(111, { blocks: 2, size: 1, int: true, reversed })
      expect(result).toMatchObject({ ok: true, reports: [] })
      expect(Array.from(y.data, Number)).toEqual([7])
    },
  )

  test.each([false, true])('for a flag that is written back from the cache, in reverse order: %s', async (reversed) => {
    const { result, y } = await launch(114, { blocks: 2, size: 16, int: true, reversed })
    expect(result).toMatchObject({ ok: true, reports: [] })
    expect(Array.from(y.data, Number)[8]).toBe(7)
  })

  test.each([111, 114])('in vain for a flag that is stored before what it guards is over: mode %i', async (mode) => {
    const { result } = await launch(mode, { blocks: 2, size: 16, int: true, twice: 1 })
    const report = result.reports.find(({ code }) => code === 'GmRace')
    expect(report).toMatchObject({ core: 'AIV 1', severity: 'error' })
  })

  test('for ever when nobody sets the flag, which is reported where they wait', async () => {
    const { result } = await launch(107, { blocks: 3 })
    const report = result.reports.find(({ code }) => code === 'Deadlock')
    expect(report).toMatchObject({ core: 'AIV 0', instruction: 'CrossCoreWaitFlag' })
    expect(device.marked('nobody sets')).toEqual([`${report?.file}:${report?.line}`])
  })
})

test('a list of tensors is read through its descriptor', async () => {
  expect((await numbersOf(108, { size: 16 })).slice(0, 9)).toEqual([2, 2, 5, 6, 1, 30, 15, 1, 13])
})

test('memory is had by hand, by offset, and as what is left', async () => {
  const ub = 196_608
  expect(await numbersOf(109, { size: 8 })).toEqual([20, 128, 96, 1, ub - 1024, 1024, 64, 8])
})

describe('a queue between two positions', () => {
  test('orders the pipes of other positions that the caller names', async () => {
    expect(await numbersOf(115, { size: 64 })).toEqual(counting(64, (i) => 2 * (i + 1)))
  })

  test('orders its own where the caller names none', async () => {
    const { result } = await launch(115, { size: 64, twice: 1 })
    expect(result.reports.map(({ code, severity }) => [code, severity])).toContainEqual(['ErrorSync2', 'error'])
  })
})

test('tensors go through queues as handles, and are put where a buffer is', async () => {
  expect(await numbersOf(117, { size: 64 })).toEqual(counting(64, (i) => 4 * (i + 1)))
})

test('tensors are put at offsets and addresses by hand', async () => {
  const y = await numbersOf(119, { size: 67 })
  expect(y.slice(0, 64)).toEqual(counting(64, (i) => 2 * (i + 1)))
  // bytes of one, floats of the rest of it, and the position A1
  expect(y.slice(64)).toEqual([1, 1, 4096 + (4096 - 512) / 4 + 1])
})

test('integers of one type or several are divided and rounded up', async () => {
  expect(await numbersOf(118, { size: 8, int: true })).toEqual([17, 3, 2, 9, 144, 0, 16, 4])
})

describe('a pool that the kernel divides itself', () => {
  test('gives queues and buffers the places that it names', async () => {
    expect(await numbersOf(112)).toEqual(counting(128, (i) => 2 * (i + 1)))
  })

  test('gives no place outside of itself', async () => {
    const { result } = await launch(112, { twice: 1 })
    const report = { code: 'BufferSize', instruction: 'InitBufHandle' }
    expect(result).toMatchObject({ ok: false, verdict: { report } })
  })
})

test('the bits of a scalar are those of another type, not its value, and those of a register are had', async () => {
  expect(await numbersOf(113, { size: 8, int: true })).toEqual([0x3f80_0000, 5, 7, 255, 0, 1, 56, 1])
})

test('coordinates become an index, with one number for each dimension or one for several', async () => {
  expect(await numbersOf(116, { size: 4, int: true })).toEqual([33, 33, 9, 413])
})
