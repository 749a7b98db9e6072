import { constant, integer, sample } from 'fast-check'
import { expect, test } from 'vitest'
import type { Outcome } from '../evaluation/evaluate.ts'
import type { KernelCase, NarrowDevice, Report, Verdict } from '../model/index.ts'
import { describeCase } from './describe-case.ts'
import { judgeOnDevice, onNarrowDevices } from './narrow-device.ts'

const whole: KernelCase = { task: 'T', name: 'generated', combination: 0, inputs: {}, outputs: {}, attrs: {}, seed: 1 }
const device: NarrowDevice = { cores: 3, unifiedBuffer: 0.25 }
const onDevice = { ...whole, device }

const outcome = (verdict: Verdict, reports: Report[] = []): Outcome => ({ verdict, reports, log: '' })
const wrong = outcome({ kind: 'wrong-structure', message: 'no' })
const hardCoded: Report = {
  code: 'HardCodedSize',
  severity: 'warning',
  message: '',
  core: 'host',
  instruction: 'SetBlockDim',
  count: 1,
}

/** The verdict of a case on a device, and the devices that it was tried on. */
async function judged(kernelCase: KernelCase, onNarrow: Outcome, onWhole: Outcome) {
  const tried: (NarrowDevice | undefined)[] = []
  const { verdict } = await judgeOnDevice(kernelCase, async (one) => {
    tried.push(one.device)
    return one.device ? onNarrow : onWhole
  })
  return { kind: verdict.kind, tried }
}
const correct = outcome({ kind: 'correct' })
const declined = outcome({ kind: 'tiling-failed', message: 'too small' })

const drawnDevices = () => sample(onNarrowDevices(constant(whole)), { numRuns: 400, seed: 5 }).map((one) => one.device)

test('half of the cases run on a narrow device, the same ones under the same seed', () => {
  const devices = drawnDevices()
  const narrow = devices.filter((one) => one !== undefined)
  expect(narrow.length).toBeGreaterThan(150)
  expect(narrow.length).toBeLessThan(250)
  expect(new Set(narrow.map(({ cores }) => cores))).toEqual(new Set([1, 2, 3, 7]))
  expect(new Set(narrow.map(({ unifiedBuffer }) => unifiedBuffer))).toEqual(new Set([1, 0.5, 0.25]))
  expect(drawnDevices()).toEqual(devices)
})

test('those on narrow devices are large enough for several tiles, and not much larger', () => {
  const sized = integer({ min: 1, max: 100_000 }).map((size): KernelCase => {
    return { ...whole, inputs: { x: { dtype: 'float32', shape: [size] }, none: null } }
  })
  const sizes = sample(onNarrowDevices(sized), { numRuns: 400, seed: 5 })
    .filter((one) => one.device)
    .map(({ inputs }) => [inputs['x'] ?? []].flat()[0]?.shape[0] ?? 0)
    .toSorted((a, b) => a - b)
  const median = sizes[Math.floor(sizes.length / 2)]!
  expect(median).toBeGreaterThan(12_000)
  expect(median).toBeLessThan(32_768)
})

test('what is wrong on a narrow device only is wrong', async () => {
  expect(await judged(onDevice, wrong, correct)).toEqual({ kind: 'wrong-structure', tried: [device] })
})

test('where the host part declines it, the whole device decides', async () => {
  const tried = [device, { ...device, unifiedBuffer: 1 }, undefined]
  expect(await judged(onDevice, declined, correct)).toEqual({ kind: 'correct', tried })
  expect(await judged(onDevice, declined, wrong)).toMatchObject({ kind: 'wrong-structure' })
  expect(await judged(whole, declined, declined)).toEqual({ kind: 'tiling-failed', tried: [undefined] })
})

test('few cores are no reason to decline a device: what is wrong there is wrong, and who declines them is told of', async () => {
  const on = async (few: Outcome): Promise<Outcome> =>
    await judgeOnDevice(onDevice, (one) =>
      Promise.resolve(one.device === undefined ? correct : one.device.unifiedBuffer < 1 ? declined : few),
    )
  expect((await on(wrong)).verdict).toEqual(wrong.verdict)
  expect(await on(correct)).toEqual(correct)
  expect((await on(declined)).reports.map(({ code, message }) => [code, message])).toEqual([
    ['HardCodedSize', 'the host part declines a device of 3 cores and a whole unified buffer'],
  ])
})

test('so it does where sizes do not follow the platform', async () => {
  const wrongThere = outcome(wrong.verdict, [hardCoded])
  expect(await judged(onDevice, wrongThere, correct)).toEqual({ kind: 'correct', tried: [device, undefined] })
  expect(await judged(onDevice, outcome({ kind: 'correct' }, [hardCoded]), wrong)).toMatchObject({ kind: 'correct' })
})

/** An outcome whose launch has reached blocks, a bit for each. */
const reaching = (bits: number | undefined, verdict: Verdict, reports: Report[] = []): Outcome => ({
  ...outcome(verdict, reports),
  launch: {
    latencyNs: 1,
    hostMs: 0,
    source: 'emulated',
    addsFloats: false,
    profile: '',
    pipes: {},
    blockDim: 1,
    tilingKey: 0,
    ...(bits !== undefined && { reached: Buffer.from([bits]).toString('base64') }),
  },
})

/** The blocks that a case has reached, as numbers of eight bits. */
const reachedBy = async (onNarrow: Outcome, onWhole: Outcome): Promise<number[]> => {
  const { launch } = await judgeOnDevice(onDevice, async (one) => (one.device ? onNarrow : onWhole))
  return [...Buffer.from(launch?.reached ?? '', 'base64')]
}

test('a case has reached what both of its launches have', async () => {
  const right = reaching(0b0101, { kind: 'correct' })
  expect(await reachedBy(reaching(0b0010, wrong.verdict, [hardCoded]), right)).toEqual([0b0111])
  expect(await reachedBy(reaching(0b0010, { kind: 'correct' }), right)).toEqual([0b0010])
  expect(await reachedBy(declined, right)).toEqual([0b0101])
  // what one of them does not tell is not known of the case
  expect(await reachedBy(reaching(undefined, wrong.verdict, [hardCoded]), right)).toEqual([])
  expect(await reachedBy(outcome(wrong.verdict, [hardCoded]), right)).toEqual([])
})

test('a person reads which device it is', () => {
  expect(describeCase({ ...whole, attrs: { n: 1 }, device })).toBe('n 1, on 3 cores, 1/4 of UB')
  expect(describeCase({ ...whole, device: { cores: 1, unifiedBuffer: 1 } })).toBe('on 1 core')
})
