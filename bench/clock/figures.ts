import { join } from 'node:path'
import { withCaseFile } from '../../plugin/case-file/index.ts'
import type { KernelCase, Sample, TaskInterface } from '../../plugin/model/index.ts'
import { socOf } from '../../plugin/soc/devices.ts'
import { artifactOf, withMachine, type Machine } from '../machine.ts'
import { repository } from '../subjects.ts'

/** A measurement that is published of a device, and what the clock makes of a small kernel like the one that was measured. */
export interface Figure {
  name: string
  unit: string
  published: number
  predicted: number
  /** the error that is within what is known of the device */
  tolerance: number
}

const attributes = ['form', 'blocks', 'tiles', 'bytes', 'rows', 'gap', 'offset', 'how'] as const
type Work = Record<(typeof attributes)[number], number>
/** As in `op_kernel/clock_figures.cpp`. */
const form = {
  streams: 0,
  load: 1,
  loadPieces: 2,
  loadAlone: 3,
  loadAgain: 4,
  loadAgainAlone: 5,
  storeAlone: 6,
  loadTogether: 7,
  vector: 8,
  scalar: 9,
  wholeTwice: 10,
  blockThrice: 11,
  blockAndWhole: 12,
}

const folder = join(repository, 'bench/clock')
const [kernelDir, hostDir] = [join(folder, 'op_kernel'), join(folder, 'op_host')]
const sample: Sample = { task: 'ClockFigures', name: 'bench', root: folder, kernelDir, hostDir, cmakeLists: [] }
const tensor = (name: string) => ({ name, kind: 'tensor' as const, required: true, dtypes: ['int8' as const] })
const task: TaskInterface = {
  name: 'ClockFigures',
  kernel: 'clock_figures',
  suite: 'own',
  group: null,
  category: 'Bench',
  inputs: [tensor('x')],
  outputs: [tensor('y')],
  attrs: attributes.map((name) => ({ name, type: 'int', required: true })),
}

/** The latency of a launch, and of as many steps of one as the difference of two launches tells. */
interface Asked {
  ns: (change: Partial<Work>) => Promise<number>
  /** nanoseconds of a step */
  step: (change: Partial<Work>, tiles: number) => Promise<number>
  /** cycles of a step of one core */
  cycles: (change: Partial<Work>, tiles?: number) => Promise<number>
  /** gigabytes in a second, of all cores */
  rate: (change: Partial<Work>, tiles: number) => Promise<number>
}

const usual: Work = { form: form.load, blocks: 48, tiles: 1, bytes: 16_384, rows: 0, gap: 0, offset: 0, how: 0 }
const { clockGHz } = socOf('Ascend910B2')

function asking(service: Machine['service'], artifact: string): Asked {
  const ns = async (change: Partial<Work>): Promise<number> => {
    const work = { ...usual, ...change }
    const pitch = work.rows > 0 ? work.rows * (work.bytes + work.gap) : work.bytes + (work.offset > 0 ? 512 : 0)
    const all = Math.max(work.blocks * work.tiles * pitch + work.offset, 48 * 512)
    const tensors = work.form === form.streams ? 2 : 1
    const x = { dtype: 'int8' as const, shape: [tensors * all] }
    const kernelCase: KernelCase = {
      task: task.name,
      name: 'bench',
      combination: 0,
      inputs: { x },
      outputs: { y: { dtype: 'int8', shape: [all] } },
      attrs: work,
      seed: 1,
    }
    const data = { ...x, data: new Int8Array(tensors * all) }
    return await withCaseFile(task, kernelCase, { x: data }, async ({ path: file, fileBytes, slots }) => {
      const asked = { artifact, case: kernelCase, poison: 'a5a5a5a5a5a5a5a5', file, fileBytes, slots }
      const answer = await service.launch(asked)
      if (!answer.ok) throw new Error(`${JSON.stringify(change)}: ${JSON.stringify(answer.verdict)}`)
      return answer.latencyNs
    })
  }
  const step = async (change: Partial<Work>, tiles: number): Promise<number> =>
    ((await ns({ ...change, tiles: 2 * tiles })) - (await ns({ ...change, tiles }))) / tiles
  const cycles = async (change: Partial<Work>, tiles = 16): Promise<number> =>
    (await step({ ...change, blocks: 1 }, tiles)) * clockGHz
  const rate = async (change: Partial<Work>, tiles: number): Promise<number> => {
    const { blocks, bytes, rows } = { ...usual, ...change }
    return (blocks * bytes * Math.max(rows, 1)) / (await step(change, tiles))
  }
  return { ns, step, cycles, rate }
}

const KiB = 1024
/** Cycles of one transfer of one core, by KiB. */
const transfers: [name: string, form: number, cycles: Record<number, number>][] = [
  ['from HBM', form.loadAlone, { 1: 235, 2: 255, 4: 291, 8: 321, 16: 404, 32: 712, 64: 1426 }],
  ['from L2', form.loadAgainAlone, { 1: 216, 8: 239, 16: 300, 32: 485, 64: 747, 128: 1229 }],
  ['to global memory', form.storeAlone, { 1: 151, 4: 181, 8: 237, 16: 316, 32: 507, 64: 993 }],
]

type Row = [name: string, unit: string, published: number, tolerance: number, predicted: () => Promise<number>]

const rows = (bytes: number, count: number) => ({ bytes, rows: count, gap: bytes })
const vector = (repeats: number, offset: number) => ({ form: form.vector, rows: repeats, offset })

function rowsOf({ cycles, rate }: Asked): Row[] {
  return [
    ['tiles of 16 KiB, 48 cores', 'GB/s', 1490, 0.1, async () => await rate({}, 48)],
    ['tiles of 16 KiB that begin at 128 bytes of 512', 'GB/s', 1170, 0.1, async () => await rate({ offset: 128 }, 48)],
    ['64 rows of 128 bytes a copy, 48 cores', 'GB/s', 1370, 0.15, async () => await rate(rows(128, 64), 24)],
    [
      'one row of 128 bytes a copy, 48 cores',
      'GB/s',
      550,
      0.15,
      async () => await rate({ ...rows(128, 64), form: form.loadPieces }, 24),
    ],
    ['tiles of 16 KiB out of L2, 48 cores', 'GB/s', 5800, 0.1, async () => await rate({ form: form.loadAgain }, 200)],
    ...transfers.flatMap(([name, kind, sizes]) =>
      Object.entries(sizes).map(([size, published]): Row => [
        `one copy of ${size} KiB ${name}`,
        'cycles',
        published,
        0.15,
        async () => await cycles({ form: kind, bytes: Number(size) * KiB }),
      ]),
    ),
    ['Add of 64 repeats, sources in other banks', 'cycles', 86, 0.1, async () => await cycles(vector(64, 256))],
    ['Add of 64 repeats, sources in the same banks', 'cycles', 150, 0.1, async () => await cycles(vector(64, 0))],
    ['Add of 32 repeats, sources in the same banks', 'cycles', 86, 0.1, async () => await cycles(vector(32, 0))],
    ['Add of 127 repeats', 'cycles', 149.6, 0.1, async () => await cycles(vector(127, 256))],
    [
      'two ReduceRepeat of 256 floats',
      'cycles',
      234,
      0.3,
      async () => await cycles({ form: form.wholeTwice, rows: 4 }),
    ],
    [
      'three ReduceDataBlock of 256 floats',
      'cycles',
      250,
      0.3,
      async () => await cycles({ form: form.blockThrice, rows: 4 }),
    ],
    [
      'ReduceDataBlock and ReduceRepeat of 256 floats',
      'cycles',
      151,
      0.3,
      async () => await cycles({ form: form.blockAndWhole, rows: 4 }),
    ],
    ['a sum of float16 element by element', 'cycles', 34, 0.2, async () => await cycles({ form: form.scalar }, 4000)],
  ]
}

/** Bits of `how`, as in the kernel. */
const how = { oneBuffer: 1, sameBanks: 2, pastL2: 4, byElement: 8 }

/**
 * The steps in which a sample of the vendor (`add_high_performance` of asc-devkit, on an Ascend 910B1) tunes the sum of two
 * float16 tensors of 8192 x 8192. Two buffers take tiles of 30 KiB here: what is left beside the memory of the library.
 */
function sumRows({ ns }: Asked): Row[] {
  const bytesOfAll = 2 * 8192 ** 2
  const sum = (bytes: number, blocks: number, bits: number, part = 1) => {
    const tiles = Math.ceil(bytesOfAll / bytes / blocks / part)
    return async () => ((await ns({ form: form.streams, bytes, blocks, tiles, how: bits })) * part) / 1e3
  }
  const { oneBuffer, sameBanks, pastL2, byElement } = how
  const alone = oneBuffer | sameBanks
  return [
    [
      'sum, step 0: one core, element by element (1/1024 of it)',
      'µs',
      1_239_689,
      0.2,
      sum(8 * KiB, 1, alone | byElement, 1024),
    ],
    ['sum, step 1: one core, vectors, tiles of 8 KiB', 'µs', 6909.6, 0.15, sum(8 * KiB, 1, alone)],
    ['sum, step 2: 48 cores', 'µs', 306.6, 0.1, sum(8 * KiB, 48, alone)],
    ['sum, step 3: tiles of 32 KiB', 'µs', 268.5, 0.1, sum(32 * KiB, 48, alone)],
    ['sum, step 4: two buffers', 'µs', 264.0, 0.1, sum(30 * KiB, 48, sameBanks)],
    ['sum, step 5: what is read goes past L2', 'µs', 187.7, 0.1, sum(30 * KiB, 48, sameBanks | pastL2)],
    ['sum, step 6: sources in other banks', 'µs', 184.5, 0.1, sum(30 * KiB, 48, pastL2)],
  ]
}

/** What is published of single devices, beside the clock. */
export async function figures(cacheDir: string): Promise<Figure[]> {
  return [...(await askedOf(cacheDir, sumRows, 'Ascend910B1')), ...(await askedOf(cacheDir, rowsOf, 'Ascend910B2'))]
}

async function askedOf(cacheDir: string, rowsFor: (asked: Asked) => Row[], soc: string): Promise<Figure[]> {
  const found: Figure[] = []
  const work = async (machine: Machine): Promise<void> => {
    const combinations = [{ inputs: ['int8' as const], outputs: ['int8' as const] }]
    const { artifact } = await artifactOf(machine, { sample, task, combinations })
    for (const [name, unit, published, tolerance, ask] of rowsFor(asking(machine.service, artifact))) {
      const predicted = await ask()
      found.push({ name, unit, published, predicted, tolerance })
      console.log(`${name}: ${predicted.toFixed(1)} of ${published} ${unit}`)
    }
  }
  await withMachine(cacheDir, work, soc)
  return found
}
