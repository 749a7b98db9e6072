// stand-ins have only what is asked of them
// oxlint-disable typescript/no-unsafe-type-assertion
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { notComputedReport } from '../evaluation/not-computed.ts'
import { tilingStateReport } from '../evaluation/tiling-state.ts'
import {
  buildLimitMs,
  fixture,
  FixtureOperator,
  interfaceOf,
  startService,
  type Problem,
} from '../../fixtures/operator.ts'
import { cubeTwins, removeDefects, vectorTwins } from '../../fixtures/reports/twins.ts'
import { findingsOf, otherOrder } from '../evaluation/core-order.ts'
import { emptyTensor, type KernelCase, type NarrowDevice, type Report } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'
import type { KernelTask } from '../task/kernel-task.ts'

/** `trap`: an error that ends the launch; `error`: one that leaves it running; `warning`: harmless by itself. */
type Kind = 'trap' | 'error' | 'warning'
type Defect = readonly [name: string, code: string, kind: Kind]

const ofVectorCores: Defect[] = [
  ['vector read past a buffer', 'ErrorRead3', 'warning'],
  ['vector write past a buffer', 'ErrorWrite2', 'warning'],
  ['strided read past a buffer', 'ErrorRead3', 'warning'],
  ['comparison past a buffer', 'ErrorRead3', 'warning'],
  ['comparison past UB', 'ErrorRead3', 'trap'],
  ['copy in past a buffer', 'ErrorWrite2', 'warning'],
  ['copy out past a buffer', 'ErrorRead3', 'warning'],
  ['scalar read past a buffer', 'ErrorRead3', 'warning'],
  ['scalar write past a buffer', 'ErrorWrite2', 'warning'],
  ['written past a buffer into what is used', 'ErrorWrite2', 'error'],
  ['written past a buffer into what is copied out', 'ErrorWrite2', 'error'],
  ['written past a buffer into what is written in part', 'ErrorWrite2', 'error'],
  ['written past a buffer into what is written anew', 'ErrorWrite2', 'warning'],
  ['written and read past a buffer', 'ErrorWrite2', 'warning'],
  ['vector write past UB', 'ErrorWrite2', 'trap'],
  ['read from an odd address', 'ErrorRead4', 'trap'],
  ['write to an odd address', 'ErrorWrite4', 'trap'],
  ['tensor without memory', 'ErrorBuffer3', 'trap'],
  ['vector work outside of UB', 'ErrorBuffer3', 'trap'],
  ['buffer never initialised', 'ErrorBuffer0', 'trap'],
  ['part of a buffer never initialised', 'ErrorBuffer0', 'trap'],
  ['more than UB', 'UbOverflow', 'warning'],
  ['widened over what is still read', 'OverlapForbidden', 'warning'],
  ['buffer that ends beyond UB', 'ErrorWrite2', 'trap'],
  ['too little temporary memory', 'AssertIgnored', 'warning'],
  ['too little memory to sort in', 'ErrorWrite2', 'warning'],
  ['queue of no bytes', 'ErrorWrite2', 'warning'],
  ['use of a buffer of no bytes', 'ErrorWrite2', 'warning'],
  ['queue of no buffers', 'BufferSize', 'trap'],
  ['too many buffers', 'BufferLimit', 'trap'],
  ['a second pipe', 'PipeTwice', 'error'],
  ['copy in from beyond a tensor', 'ErrorGmRead', 'trap'],
  ['copy out to beyond a tensor', 'ErrorGmWrite', 'trap'],
  ['copy in of the second row from beyond a tensor', 'ErrorGmRead', 'trap'],
  ['scalar read beyond a tensor', 'ErrorGmRead', 'trap'],
  ['scalar write beyond a tensor', 'ErrorGmWrite', 'trap'],
  ['write to an input', 'ErrorInputWrite', 'trap'],
  ['read of the pad', 'GmPadRead', 'warning'],
  ['write of the pad', 'GmPadWrite', 'warning'],
  ['queue never initialised', 'ErrorBuffer0', 'trap'],
  ['all buffers in use', 'QueueExhausted', 'trap'],
  ['more tensors in use than event ids', 'EventId', 'trap'],
  ['queue deeper than its depth', 'QueueOverflow', 'trap'],
  ['taken from an empty queue', 'QueueEmpty', 'trap'],
  ['enqueued twice', 'QueueState', 'trap'],
  ['enqueued after it was freed', 'QueueState', 'trap'],
  ['freed while in its queue', 'QueueState', 'trap'],
  ['freed twice', 'ErrorFree', 'trap'],
  ['tensor of another queue', 'ErrorBuffer3', 'trap'],
  ['freed by a queue of other positions', 'ErrorBuffer3', 'trap'],
  ['freed twice, by two queues', 'ErrorFree', 'trap'],
  ['never freed', 'ErrorLeak', 'warning'],
  ['taken and never freed', 'ErrorLeak', 'warning'],
  ['left in its queue', 'ErrorSync3', 'error'],
  ['read after it was freed', 'ErrorRead1', 'warning'],
  ['written after it was freed', 'ErrorWrite1', 'warning'],
  ['used while in its queue', 'ErrorBuffer2', 'warning'],
  ['wait without set', 'ErrorSync3', 'trap'],
  ['flag left set', 'ErrorSync3', 'error'],
  ['flag set twice', 'ErrorSync4', 'warning'],
  ['barrier of all pipes while a flag is set twice', 'Deadlock', 'trap'],
  ['barrier of the scalar unit', 'ParameterRange', 'trap'],
  ['flag set twice and waited for once', 'ErrorSync3', 'error'],
  ['flag of a queue that the kernel has set', 'ErrorSync4', 'warning'],
  ['flag of a queue that the kernel has waited for', 'ErrorSync3', 'trap'],
  ['event id out of range', 'EventId', 'trap'],
  ['no event id left', 'EventId', 'trap'],
  ['reduction when no event id is left', 'EventId', 'trap'],
  ['flag of a queue when the kernel has all event ids', 'EventId', 'trap'],
  ['flags of a queue of nine buffers', 'EventId', 'trap'],
  ['assertion', 'Assert', 'trap'],
  ['assertion with a message', 'Assert', 'trap'],
  ['trap', 'Assert', 'trap'],
  ['half a block copied in', 'TruncatedCopy', 'warning'],
  ['half a block copied out', 'TruncatedCopy', 'warning'],
  ['half a block moved', 'TruncatedCopy', 'warning'],
  ['too many rows', 'CopyRange', 'trap'],
  ['part of an element', 'CopyRange', 'trap'],
  ['more padding than a block', 'CopyRange', 'trap'],
  ['padding of 64 bits', 'ParameterRange', 'trap'],
  ['segments of 64 KiB', 'ParameterRange', 'trap'],
  ['row too long to store', 'CopyRange', 'trap'],
  ['lanes beyond a repeat', 'MaskRange', 'warning'],
  ['an instruction that the device does not have', 'Unsupported', 'trap'],
  ['too many repeats', 'RepeatRange', 'trap'],
  ['reduction of a negative count', 'ReduceCount', 'trap'],
  ['round mode of another pair', 'CastMode', 'trap'],
  ['comparison of part of a repeat', 'CompareCount', 'warning'],
  ['order of integers', 'CompareMode', 'trap'],
  ['shift by more bits than an element has', 'ParameterRange', 'trap'],
  ['shift by less than none', 'ParameterRange', 'trap'],
  ['blocks written over each other', 'ParameterRange', 'trap'],
  ['blocks of a scalar each over each other', 'ParameterRange', 'trap'],
  ['half a byte of nibbles', 'ParameterRange', 'trap'],
  ['divided by zero', 'DivisionByZero', 'warning'],
  ['function in place', 'OverlapForbidden', 'warning'],
  ['signs over the reserved area', 'ReservedArea', 'warning'],
  ['selection over the reserved area', 'ReservedArea', 'warning'],
  ['computed before it is loaded', 'ErrorSync2', 'error'],
  ['stored before it is computed', 'ErrorSync2', 'error'],
  ['stored before it is computed, beside another result', 'ErrorSync2', 'error'],
  ['every other block stored before it is computed', 'ErrorSync2', 'error'],
  ['stored before it is computed, around a part of a block', 'ErrorSync2', 'error'],
  ['computed over what is being stored', 'ErrorSync1', 'error'],
  ['the same, then others computed over what is being stored', 'ErrorSync1', 'error'],
  ['loaded over what is being read', 'ErrorSync1', 'error'],
  ['sums of pairs over what is being loaded', 'ErrorSync1', 'error'],
  ['sums of blocks over what is being loaded', 'ErrorSync1', 'error'],
  ['blocks broadcast over what is being loaded', 'ErrorSync1', 'error'],
  ['upper lanes over what is being loaded', 'ErrorSync1', 'error'],
  ['computed after the first of two sets, that of another load', 'ErrorSync2', 'error'],
  ['a flag that was set too early', 'ErrorSync2', 'error'],
  ['loaded twice to one place', 'ErrorSync1', 'error'],
  ['loaded over what nobody has used', 'ErrorWrite3', 'warning'],
  ['a pool that was never initialised', 'ErrorBuffer4', 'trap'],
  ['loaded while only the data cache has it', 'ErrorSync2', 'error'],
  ['loaded while only the data cache has it, whose line was asked for', 'ErrorSync2', 'error'],
  ['loaded while only the data cache has it, cleaned for UB', 'ErrorSync2', 'error'],
  ['loaded while only the data cache has it, cleaned for atomic operations', 'ErrorSync2', 'error'],
  ['loaded while only the data cache has it, beside a line of UB', 'ErrorSync2', 'error'],
  ['stored over what the data cache has for itself', 'ErrorSync1', 'error'],
  ['read from the data cache behind a copy', 'ErrorSync2', 'error'],
  ['read from the data cache behind a copy, whose line was asked for', 'ErrorSync2', 'error'],
  ['read from the data cache behind a store past it', 'ErrorSync2', 'error'],
  ['read past the data cache that alone has it', 'ErrorSync2', 'error'],
  ['loaded back before it is stored', 'ErrorSync2', 'error'],
  ['the larger, then the sum of one place', 'ErrorSync1', 'error'],
  ['stored what nothing has written', 'ErrorRead2', 'error'],
  ['computed from what nothing has written', 'ErrorRead2', 'error'],
  ['computed from a few that nothing has written among many', 'ErrorRead2', 'error'],
  ['narrowed and widened from what nothing has written', 'ErrorRead2', 'error'],
  ['computed from an element of which nothing has written a half', 'ErrorRead2', 'error'],
  ['stored blocks of which nothing has written a half', 'ErrorRead2', 'error'],
  ['summed up from what nothing has written', 'ErrorRead2', 'error'],
  ['one row of several summed up from what nothing has written', 'ErrorRead2', 'error'],
  ['computed from an output that nothing has written', 'ErrorRead2', 'error'],
  ['computed from garbage that comes back', 'ErrorRead2', 'error'],
  ['read by the scalar unit from an output that nothing has written', 'ErrorRead2', 'error'],
  ['read by the scalar unit from behind an input', 'ErrorRead2', 'error'],
  ['read by the scalar unit beside a word of its block', 'ErrorRead2', 'error'],
  ['read by the scalar unit before anything is written', 'ErrorRead2', 'error'],
  ['selected by a comparison that nothing has made', 'ErrorRead2', 'error'],
  ['bits of a comparison that nothing has made', 'ErrorRead2', 'error'],
  ['integers scaled by what nothing has set', 'ErrorRead2', 'error'],
  ['sums scaled by what nothing has set', 'ErrorRead2', 'error'],
  ['words scaled by the scale of integers', 'ErrorRead2', 'error'],
  ['integers scaled by the scale of words', 'ErrorRead2', 'error'],
  ['a sum that nothing has made', 'ErrorRead2', 'error'],
  ['a maximum that nothing has found', 'ErrorRead2', 'error'],
  ['lists that nothing has merged', 'ErrorRead2', 'error'],
  ['a count of elements that nothing has kept', 'ErrorRead2', 'error'],
]

/** The same without the defect. */
const inOrder = [
  'read from the data cache beside a copy, in order',
  'read from the data cache behind the same copy of another core, in order',
  'half of it garbage that comes back and is not used, in order',
  'other bytes of a line that the data cache has stored to, in order',
  'copy of a pipe that has ended, in order',
  'buffer that nothing uses never initialised, in order',
  'queue of no bytes that nothing uses, in order',
  'flags of the kernel beside those of a queue, in order',
  'freed and handed on by a queue of the same positions, in order',
  'the same computed over what is being stored, in order',
  'the same loaded over what is being read, in order',
  'sums of few pairs beside what is being loaded, in order',
  'sums of blocks beside what is being loaded, in order',
  'blocks broadcast between what is being loaded, in order',
  'upper lanes beside what is being loaded, in order',
  'computed after the scalar unit has read it, in order',
  'computed after it is loaded, in order',
  'stored after it is computed, in order',
  'loaded over what another chain has read, in order',
  'loaded twice to one place, in order',
  'neighbours of one tensor, in order',
  'every other block, in order',
  'every other block stored while the others are computed, in order',
  'elements of one block, in order',
  'loaded back after it is stored, in order',
  'the same stored by every core, in order',
  'all lanes of a repeat, in order',
  'added by every core, in order',
  'sums and maxima of several cores, in order',
  'the larger, then the sum of one place, in order',
  'stored by one core, then by the next, in order',
  'garbage that is stored over, in order',
  'a row longer than a repeat copied in counter mode, in order',
  'other rows than those summed up from what nothing has written, in order',
  'memory to sort in that SetSize hides',
  'condition that no device asserts',
]

const ofCubeCores: Defect[] = [
  ['a pipe that is destroyed twice', 'ErrorSync3', 'trap'],
  ['source rows without length', 'ParameterRange', 'trap'],
  ['tile past L1', 'ErrorWrite2', 'trap'],
  ['fractals that are being loaded', 'ErrorSync2', 'error'],
  ['fractals past L1', 'ErrorRead3', 'trap'],
  ['fractals past L0A', 'ErrorWrite2', 'trap'],
  ['fractal at an odd place', 'ErrorWrite4', 'trap'],
  ['fractals to L1', 'ErrorBuffer3', 'trap'],
  ['transpose of floats', 'ParameterRange', 'trap'],
  ['product too deep', 'ParameterRange', 'trap'],
  ['product past L0C', 'ErrorWrite2', 'trap'],
  ['sums handed over twice', 'ErrorSync4', 'error'],
  ['sums that no product hands over', 'ErrorSync3', 'error'],
  ['sums that are handed over in part', 'ErrorSync3', 'error'],
  ['sums that Fixpipe reads without a unit flag', 'ErrorSync1', 'error'],
  ['sums that nobody takes', 'ErrorSync3', 'error'],
  ['product of swapped sides', 'ErrorBuffer3', 'trap'],
  ['quantisation of another type', 'FixpipeQuant', 'trap'],
  ['rows that overlap', 'ParameterRange', 'trap'],
  ['columns that overlap', 'ParameterRange', 'trap'],
  ['flag for vector cores that are not there', 'Unsupported', 'trap'],
  ['result past its tensor', 'ErrorGmWrite', 'trap'],
  ['channels of an odd number', 'ParameterRange', 'trap'],
  ['feature map past L1', 'ErrorRead3', 'trap'],
  ['unfolded past L0A', 'ErrorWrite2', 'trap'],
  ['bytes unfolded to L0B', 'ParameterRange', 'trap'],
  ['depth of an odd number of int4', 'ParameterRange', 'trap'],
  ['bias at an odd place', 'ErrorWrite4', 'trap'],
  ['parameters past their table', 'ErrorWrite2', 'trap'],
  ['parameters outside of their table', 'ErrorBuffer3', 'trap'],
  ['rows of an unknown number of matrices', 'ParameterRange', 'trap'],
]

/** Defects of a launch as a whole: no line of the kernel is to blame, or more cores than one take part. */
const ofLaunches: Defect[] = [
  ['blocks beyond the cores', 'BlockDimWaves', 'warning'],
  ['blocks beyond the cores that the platform has told', 'HardCodedSize', 'warning'],
  ['barrier that one core never reaches', 'Deadlock', 'trap'],
  ['endless loop', 'InstructionLimit', 'trap'],
  ['stored by every core', 'GmRace', 'error'],
  ['words of a cache line stored by every core', 'GmRace', 'error'],
  ['stored by the scalar unit of every core while copies are atomic', 'GmRace', 'error'],
  ['loaded what another core stores', 'GmRace', 'error'],
  ['read from the data cache behind a copy of another core', 'ErrorSync2', 'error'],
  ['read from the data cache behind SetValue of another core', 'ErrorSync2', 'error'],
  ['written back over SetValue of another core', 'ErrorSync1', 'error'],
  ['written back unchanged over a copy of another core', 'ErrorSync1', 'error'],
  ['sums and maxima of several cores', 'GmRace', 'error'],
  ['sums of one type and of another', 'GmRace', 'error'],
]

/** What the host side refuses before the device can, and how it says so. */
const refusals = new Map([
  [
    'UnknownSoc',
    { as: 'infrastructure', message: '', fix: 'set the option `soc` to an Atlas A2, such as Ascend910B2' },
  ],
  [
    'BlockDim',
    { as: 'tiling-failed', message: '', fix: 'call SetBlockDim in the tiling function with 1 to 65535 blocks' },
  ],
])

/** What two launches show, and none alone. */
const ofSeveralLaunches = ['CoreOrder']

/** What golden of other inputs shows; plugin/evaluation/not-computed.test.ts has the launches. */
const ofOtherInputs = notComputedReport('x')

/** What a launch with a tiling of later shows; plugin/evaluation/tiling-state.test.ts has the launches. */
const ofLaterCalls = tilingStateReport('static 1', [{ name: 'static 4' }], 'its outputs are wrong then')

/** What the host part is warned of. It has neither a core nor a line, and the kernel runs all the same. */
const ofTheHost = new Map([
  [
    'HostWarning',
    { message: '', fix: 'set every tiling field, and let the inference functions say what the case says' },
  ],
])

/** What functions of the library refuse, and what no kernel that is compiled here can do; their own tests show it. */
const ofTheLibrary = ['OverlapForbidden']
const ofTheStream = new Map([
  [
    'InvalidStream',
    {
      message: 'the kernel’s process does not issue proper instructions: it ends before the kernel does',
      fix: 'leave the runtime of the device alone: a kernel is believed in its instructions only',
    },
  ],
])

/** The first report of each code. */
const examples = new Map<string, Report>()

/** FNV-1a, the key that selects a defect. */
function keyOf(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

const reports = interfaceOf('Reports', 'reports', ['defect', 'blocks'], ['float32'])

const cubeReports = interfaceOf('CubeReports', 'cube_reports', ['defect', 'blocks'], ['float32'])

let service: KernelService
let vector: FixtureOperator
let cube: FixtureOperator

beforeAll(async () => {
  service = await startService()
  vector = await FixtureOperator.build(service, reports)
  cube = await FixtureOperator.build(service, cubeReports)
}, buildLimitMs)
afterAll(async () => await service.close())

const tensor = { dtype: 'float32' as const, shape: [100] }

async function launch(operator: FixtureOperator, name: string, blocks = 1, device?: NarrowDevice) {
  return (await run(operator, name, blocks, { ...(device && { device }) })).result
}

const run = async (
  operator: FixtureOperator,
  name: string,
  blocks: number,
  order: Pick<Problem, 'coreOrder' | 'lateCopies' | 'device'> = {},
) =>
  await operator.run({
    x: { ...tensor, data: Float32Array.from({ length: 100 }, (_, i) => i + 1) },
    y: tensor,
    attrs: { defect: keyOf(name), blocks },
    ...order,
  })

type Launch = Awaited<ReturnType<typeof launch>>

/** The one report with the wanted code; the launch must have ended the way its kind says. */
function found(result: Launch, [, code, kind]: Defect): Report {
  const report = result.reports.find((report) => report.code === code)
  if (!report) throw new Error(`no ${code}, but ${JSON.stringify(result)}`)
  if (!examples.has(code)) examples.set(code, report)
  expect(report.severity).toBe(kind === 'warning' ? 'warning' : 'error')
  if (kind === 'trap') expect(result).toMatchObject({ ok: false, verdict: { kind: 'device-error', report } })
  else expect(result.ok).toBe(true)
  return report
}

const place = ({ file, line }: Report): string => `${file}:${line}`

describe.each([
  ['a vector core', 'AIV 0', ofVectorCores, () => vector],
  ['a cube core', 'AIC 0', ofCubeCores, () => cube],
] as const)('%s', (_, label, defects, operator) => {
  test.each(defects)('names the line of a defect: %s is %s', { timeout: 30_000 }, async (...defect) => {
    const [name, code] = defect
    const result = await launch(operator(), name)
    const report = found(result, defect)
    expect(report.core).toBe(label)
    expect(operator().marked(name)).toEqual([place(report)])
    expect(report.instruction).not.toBe('')
    expect(report.hint).toBeTruthy()
    const others = result.reports.filter((other) => other.code !== code && other.severity === 'error')
    expect(others, 'errors that are not the defect').toEqual([])
  })

  test('finds nothing where there is no defect', async () => {
    expect(await launch(operator(), 'none')).toMatchObject({ ok: true, reports: [] })
  })
})

/** What the core that ran last has stored. */
const last = async (coreOrder?: string) => {
  const { y } = await run(vector, 'stored by every core', 7, { ...(coreOrder !== undefined && { coreOrder }) })
  return y.data[0]
}

/** What another order of cores and copies shows of a kernel; what the race detector says is not looked at. */
async function findingsOfOrder(operator: FixtureOperator, name: string, blocks: number): Promise<Report[]> {
  const first = await run(operator, name, blocks)
  const again = await run(operator, name, blocks, otherOrder)
  if (!first.result.ok || !again.result.ok) throw new Error(JSON.stringify([first.result, again.result]))
  return findingsOf({
    order: otherOrder,
    task: { profiles: {} as KernelTask['profiles'] },
    kernelCase: {} as KernelCase,
    first: { y: first.y },
    again: { ...again.result, reports: again.result.reports.filter(({ code }) => !code.startsWith('ErrorSync')) },
    outputs: { y: again.y },
    accepts: () => true,
  })
}

const pastCache = 'written by every core past its cache'
const ofLateCopies = ['missed by a sum', 'missed by who fills its source', 'missed by a load', 'missed by a store']

describe('a launch', () => {
  test('that leaves cores waiting for ended ones is a deadlock at the barrier', async () => {
    const name = 'barrier that one core never reaches'
    const report = found(await launch(vector, name, 3), [name, 'Deadlock', 'trap'])
    expect(report).toMatchObject({ core: 'AIV 1', message: expect.stringMatching(/2 cores .* AIV 0/) })
    expect(vector.marked(name)).toEqual([place(report)])
  })

  test('reports a defect of every core once, at the first, and counts the others', async () => {
    const name = 'read of the pad'
    expect(found(await launch(vector, name, 5), [name, 'GmPadRead', 'warning'])).toMatchObject({
      core: 'AIV 0',
      count: 5,
    })
  })

  test('leaves nothing where the library writes at the top of UB', async () => {
    const { y: bySigns } = await run(vector, 'signs over the reserved area', 1)
    expect([...bySigns.data].slice(0, 96)).toEqual(Array(96).fill(NaN))
    const { y: bySelection } = await run(vector, 'selection over the reserved area', 1)
    const copies = Array.from({ length: 96 }, (_, i) => (i < 32 ? NaN : 0))
    expect([...bySelection.data].slice(0, 96)).toEqual(copies)
  })

  test('says what an assertion says', async () => {
    const name = 'assertion with a message'
    const report = found(await launch(vector, name, 2), [name, 'Assert', 'trap'])
    expect(report.message).toBe('assertion failed: GetBlockNum() == 77: 2 blocks of 77')
  })

  test('with more blocks than cores warns of a second wave', async () => {
    const report = found(await launch(vector, 'none', 49), ['', 'BlockDimWaves', 'warning'])
    expect(report.message).toMatch(/49 exceeds the 48 vector cores/)
  })

  test('on a device with fewer cores than it takes warns of the line that says how many', async () => {
    const defect: Defect = ['', 'HardCodedSize', 'warning']
    const report = found(await launch(vector, 'none', 3, { cores: 2, unifiedBuffer: 1 }), defect)
    expect(report).toMatchObject({ message: 'block dim 3, and the platform said that there are 2 cores', line: 16 })
    expect(report.file).toMatch(/op_host\/reports\.cpp$/)
    expect((await launch(vector, 'none', 2, { cores: 2, unifiedBuffer: 1 })).reports).toEqual([])
  })

  test('with buffers for more memory than the platform has told warns of the first one too many', async () => {
    const { reports: all } = await launch(vector, 'none', 1, { cores: 48, unifiedBuffer: 1 / 96 })
    expect(all).toMatchObject([
      { code: 'HardCodedSize', instruction: 'InitBuffer', line: expect.any(Number) as unknown },
    ])
    expect(all[0]?.message).toMatch(/^the buffers take 3840 bytes of UB, and GetCoreMemSize said that there are 2048$/)
  })

  test('ends a loop of loads once another core has stored', async () => {
    const { result } = await run(vector, 'loaded until another core has stored', 2)
    expect(result).toMatchObject({ ok: true })
    expect(new Set(result.reports.map(({ code }) => code))).toEqual(new Set(['GmRace']))
  })

  const races = ofLaunches.flatMap(([name, code]) => (code === 'GmRace' ? [name] : []))
  test.each(races)('names both cores: %s', async (name) => {
    const report = found(await launch(vector, name, 3), [name, 'GmRace', 'error'])
    expect(report).toMatchObject({
      core: 'AIV 1',
      message: expect.stringContaining('AIV 0'),
      other: { line: expect.any(Number) },
    })
    expect(vector.marked(name)).toEqual([place(report)])
  })

  const stale = ofLaunches.flatMap(([name, code]) => (code === 'ErrorSync2' ? [name] : []))
  test.each(stale)('says that it was another core: %s', async (name) => {
    const result = await launch(vector, name, 3)
    const report = found(result, [name, 'ErrorSync2', 'error'])
    expect(report).toMatchObject({ core: 'AIV 1', count: 2 })
    expect(report.message).toContain('and another core has stored there since')
    expect(vector.marked(name)).toEqual([place(report)])
    expect(result.reports).toEqual([report])
  })

  test.each([
    ['stored what nothing has written', '0..127'],
    ['computed from what nothing has written', '64..127'],
    ['narrowed and widened from what nothing has written', '64..127'],
    ['computed from an element of which nothing has written a half', '28..31'],
    ['one row of several summed up from what nothing has written', '8..11'],
  ])('names the bytes of an output: %s', async (name, bytes) => {
    const report = found(await launch(vector, name), [name, 'ErrorRead2', 'error'])
    expect(report.message).toContain(`fills bytes ${bytes} of y`)
  })

  test.each(inOrder)('has nothing to report: %s', async (name) => {
    const blocks = name.includes('core') ? 3 : 1
    expect(await launch(vector, name, blocks)).toMatchObject({ ok: true, reports: [] })
  })

  test('goes on behind divisions that the processor of the host refuses', async () => {
    const { y, result } = await run(vector, 'remainders and quotients by zero', 1)
    expect(result).toMatchObject({ ok: true })
    expect(Array.from({ length: 8 }, (_, i) => y.data[i])).toEqual([0, 7, 0, -7, 0, 7, -2147483648, 0])
  })

  test.each([
    'queues between two memories, in order',
    'flags between any two pipes, in order',
    'square turned over another, in order',
    'fractals beside those that are being loaded, in order',
    'sums that unit flags order, in order',
  ])('of cube cores has nothing to report: %s', async (name) => {
    expect(await launch(cube, name)).toMatchObject({ ok: true, reports: [] })
  })

  test('runs its cores in the order that is asked for', async () => {
    expect([await last(), await last('reverse')]).toEqual([6, 0])
    const seeds = Array.from({ length: 8 }, (_, seed) => String(seed))
    const shuffled = await Promise.all(seeds.map(last))
    expect(new Set(shuffled).size).toBeGreaterThan(2)
    expect(await Promise.all(seeds.map(last))).toEqual(shuffled)
  })

  test('leaves other outputs when the order of cores decides, also where no instruction shows it', async () => {
    const findings = await findingsOfOrder(vector, pastCache, 2)
    expect(findings).toMatchObject([
      { code: 'CoreOrder', severity: 'error', message: expect.stringContaining('y differs from byte 0') },
    ])
    examples.set('CoreOrder', findings[0]!)
  })

  test.each(ofLateCopies)('leaves other outputs when a copy is late that is %s, and names its line', async (name) => {
    const findings = await findingsOfOrder(vector, name, 1)
    expect(findings).toMatchObject([{ code: 'LateCopy', severity: 'error', instruction: 'DataCopy' }])
    expect(vector.marked(name)).toEqual([place(findings[0]!)])
    examples.set('LateCopy', findings[0]!)
  })

  test.each(ofLateCopies)('leaves the same outputs when a copy is late that is not %s', async (name) => {
    expect(await findingsOfOrder(vector, `${name}, in order`, 1)).toEqual([])
    expect(await launch(vector, `${name}, in order`)).toMatchObject({ ok: true, reports: [] })
  })

  test('warns of a host part that infers other outputs than those of the case', async () => {
    const outputs = await FixtureOperator.build(
      service,
      interfaceOf('Outputs', 'outputs', ['mode', 'atomic'], ['float32']),
    )
    const y = { dtype: 'float32' as const, shape: [2, 8] }
    const { result } = await outputs.run({ x: emptyTensor(y.dtype, y.shape), y, attrs: { mode: 1, atomic: 1 } })
    const told = result.reports.filter(({ instruction }) => instruction === 'inference')
    expect(told).toMatchObject([{ code: 'HostWarning', severity: 'warning' }])
    ofTheHost.get('HostWarning')!.message = told[0]!.message
  })

  test.each([65_536, 0])('of %d blocks does not start', async (blocks) => {
    const result = await launch(vector, 'none', blocks)
    if (result.ok || result.verdict.kind !== 'tiling-failed') throw new Error(JSON.stringify(result))
    refusals.get('BlockDim')!.message = result.verdict.message
  })

  test('on a SoC that nobody knows does not start', async () => {
    const elsewhere = await startService('Ascend910Z9')
    try {
      const reason: unknown = await FixtureOperator.build(elsewhere, reports).catch((error: unknown) => error)
      if (!(reason instanceof Error)) throw new Error('it started')
      const [told = ''] = /no device profile of Ascend910Z9[^"]*/.exec(reason.message) ?? []
      expect(told).toContain('Ascend910B2')
      refusals.get('UnknownSoc')!.message = told
    } finally {
      await elsewhere.close()
    }
  })

  test('that never ends is stopped where it loops', { timeout: buildLimitMs }, async () => {
    const report = found(await launch(vector, 'endless loop'), ['', 'InstructionLimit', 'trap'])
    expect(vector.marked('endless loop')).toEqual([place(report)])
  })
})

describe('nothing is reported once the defect is removed', () => {
  let folder: string
  let ofVector: FixtureOperator
  let ofCube: FixtureOperator

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'twins-'))
    const twinOf = async (task: typeof reports, twins: typeof vectorTwins): Promise<FixtureOperator> => {
      const root = join(folder, task.kernel)
      removeDefects(fixture(task), root, twins)
      return await FixtureOperator.build(service, task, root)
    }
    ofVector = await twinOf(reports, vectorTwins)
    ofCube = await twinOf(cubeReports, cubeTwins)
  }, buildLimitMs)
  afterAll(() => rmSync(folder, { recursive: true }))

  test.each([
    ...ofVectorCores.map(([name]) => [name, 1, vectorTwins, () => ofVector] as const),
    ...ofCubeCores.map(([name]) => [name, 1, cubeTwins, () => ofCube] as const),
    ...ofLaunches
      .filter(([, code]) => !['BlockDimWaves', 'HardCodedSize'].includes(code))
      .map(([name]) => [name, 3, vectorTwins, () => ofVector] as const),
  ])('%s', async (name, blocks, twins, operator) => {
    expect(Object.keys(twins)).toContain(name)
    expect(await launch(operator(), name, blocks)).toMatchObject({ ok: true, reports: [] })
  })

  test('blocks beyond the cores', async () => {
    expect(await launch(vector, 'none', 48)).toMatchObject({ ok: true, reports: [] })
  })

  test(pastCache, async () => {
    expect(await findingsOfOrder(ofVector, pastCache, 2)).toEqual([])
  })
})

const joined = (literals: string): string => literals.replace(/^"|"$/g, '').replace(/" "/g, '')

/** The table of the runtime: code, severity, meaning, why. Its strings may be split over several literals. */
const checks = (() => {
  const table = readFileSync(new URL('include/ascendc/checks.h', import.meta.url), 'utf8').replace(/\s*\\\n\s*/g, ' ')
  const literals = String.raw`((?:"[^"]*" ?)+)`
  const row = new RegExp(String.raw`CHECK\((\w+), (\w+), ${literals}, ${literals}\)`, 'g')
  return [...table.matchAll(row)].map(([, code = '', severity = '', meaning = '', why = '']) => ({
    code,
    severity: severity.toLowerCase(),
    meaning: joined(meaning),
    why: joined(why),
  }))
})()

test('every code that the device can raise is raised by one of these kernels', () => {
  const folder = fileURLToPath(new URL('./', import.meta.url))
  const sources = ['runtime', 'include/ascendc']
    .flatMap((name) =>
      readdirSync(`${folder}${name}`, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}${name}/${file}`),
    )
    .filter((file) => /\.(h|cpp)$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
  const raised = sources.flatMap((text) => [...text.matchAll(/\bCheck::(\w+)/g)].map(([, code]) => code))
  const covered = [...ofVectorCores, ...ofCubeCores, ...ofLaunches].map(([, code]) => code)
  expect(new Set([...covered, ...refusals.keys(), ...ofTheLibrary, ...ofTheStream.keys(), 'LateCopy'])).toEqual(
    new Set(raised),
  )
  const known = new Set(checks.map(({ code }) => code))
  expect(known).toEqual(
    new Set([...raised, ...ofSeveralLaunches, ofOtherInputs.code, ofLaterCalls.code, ...ofTheHost.keys()]),
  )
})

test('docs/checks.md tells all of them, with what these kernels were told', async () => {
  const sections = checks.map(({ code, severity, meaning, why }) => {
    const example = [ofOtherInputs, ofLaterCalls].find((report) => report.code === code) ?? examples.get(code)
    const refusal = refusals.get(code)
    const ofHost = ofTheHost.get(code) ?? ofTheStream.get(code)
    return [
      `## ${code}`,
      `**${severity}**: ${meaning}.`,
      `Why: ${why}.`,
      ...(example
        ? [
            `Example (\`${example.instruction}\`): ${example.message}.` +
              (example.other ? ` The other side: \`${example.other.instruction}\`.` : ''),
            `Usual fix: ${example.hint}.`,
          ]
        : []),
      ...(refusal
        ? [`Refused before the launch, as \`${refusal.as}\`: ${refusal.message}.`, `Usual fix: ${refusal.fix}.`]
        : []),
      ...(ofHost ? [`Example: ${ofHost.message}.`, `Usual fix: ${ofHost.fix}.`] : []),
    ].join('\n\n')
  })
  const document = [
    '# What the device checks',
    'Each finding has a code. An **error** can corrupt memory, hang or be rejected on a device: right values with an error',
    'beside them are a `hazard`, and an error that ends the launch is a `device-error`. A **warning** is reported and does not',
    'fail. This page is made from the table of the runtime and from the kernels that its tests run.',
    '',
    'Names that begin with `Error` and end in a digit are those of the check of the vendor. Its ErrorBuffer1, a queue that is',
    'used as another kind than it was initialised as, cannot happen here: the kind is part of the type of the queue.',
    '',
    sections.join('\n\n'),
    '',
  ].join('\n')
  expect(document.match(/^Usual fix: ./gm)).toHaveLength(checks.length)
  await expect(document).toMatchFileSnapshot(fileURLToPath(new URL('../../docs/checks.md', import.meta.url)))
})
