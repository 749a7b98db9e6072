import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  areaBytes,
  asSource,
  bytesOf,
  commandBytes,
  forms,
  imageBytes,
  plainCommand,
  resultsIn,
  sourcesIn,
  stepsBetween,
  writeCommand,
  type Command,
  type Form,
  type Type,
} from '../../fixtures/library_math/command.ts'
import { functions, type LibraryFunction } from '../../fixtures/library_math/functions.ts'
import { digamma, erf, erfc, lgamma } from '../../fixtures/library_math/references.ts'
import { reusing, sizes } from '../../fixtures/library_math/sizes.ts'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'
import { bytesView } from '../model/index.ts'

const device = useOperator(interfaceOf('LibraryMath', 'library_math', ['blocks'], ['int32']))

/** One launch: a block for each command, and the image each leaves. */
async function launch(commands: readonly Command[]) {
  const words = new Int32Array((commandBytes / 4) * commands.length)
  commands.forEach((c, i) => writeCommand(new DataView(words.buffer), i * commandBytes, c))
  const { result, y } = await device.run({
    x: { dtype: 'int32', shape: [words.length], data: words },
    y: { dtype: 'int32', shape: [(imageBytes / 4) * commands.length] },
    attrs: { blocks: commands.length },
  })
  const { buffer, byteOffset } = bytesView(y)
  return { result, images: commands.map((_, i) => new DataView(buffer, byteOffset + i * imageBytes, imageBytes)) }
}

/** Images of commands that nothing is wrong with. */
async function run(commands: readonly Command[]): Promise<DataView[]> {
  const { result, images } = await launch(commands)
  if (!result.ok || result.reports.length > 0) throw new Error(JSON.stringify(result, null, 2))
  return images
}

const formsOf: Record<LibraryFunction['forms'], readonly Form[]> = {
  all: forms,
  count: ['count', 'count and temporary'],
  plain: ['count', 'whole'],
  'count only': ['count'],
  'temporary only': ['count and temporary'],
}

const special = [0, -0, NaN, Infinity, -Infinity, 1, -1, 0.5, 2, -3, 65504, 70000, 1e-7]
type Ranges = LibraryFunction['ranges']

/** `count` elements of a source: some special ones, the others evenly from the ranges. */
function valuesOf(type: Type, ranges: Ranges, count: number, random: () => number): number[] {
  const isInteger = type.includes('int')
  return Array.from({ length: count }, () => {
    if (!isInteger && random() < 1 / 8) return asSource(type, special[Math.floor(random() * special.length)] ?? 0)
    const [low, high] = ranges[Math.floor(random() * ranges.length)] ?? [0, 1]
    const value = low + random() * (high - low)
    return asSource(type, isInteger ? Math.round(value) : value)
  })
}

/** Evenly from 0 to 1, the same for one seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Draw {
  key: string
  type: Type
  form: Form
  count: number
  seed: number
}

function commandOf({ key, type, form, count, seed }: Draw, change: Partial<Command> = {}): Command {
  const { ranges, others = ranges, name = key } = known(key)
  const random = randomOf(seed)
  const [scalar = 0] = valuesOf(type, others, 1, () => 0.3 + 0.7 * random())
  const a = valuesOf(type, ranges, count, random)
  const b = valuesOf(type, others, count, random)
  return { ...plainCommand, function: name, type, form, count, scalar, a, b, ...change }
}

function known(key: string): LibraryFunction {
  const found = functions[key]
  if (!found) throw new Error(key)
  return found
}

/** The first wrong element, as a sentence; undefined when all are within one step of the exact result. */
function difference(key: string, c: Command, image: DataView): string | undefined {
  const { element, slack = 0 } = known(key)
  const results = resultsIn(c, image)
  for (const [i, actual] of results.entries()) {
    const [a = 0, b = 0] = [c.a[i], key === 'Axpy' ? 1 : c.b[i]]
    const wanted = element(a, b, c.scalar)
    if (stepsBetween(c.type, actual, wanted) <= 1) continue
    if (Math.abs(actual - wanted) <= slack * Math.max(1, Math.abs(wanted))) continue
    return `${key} of ${a}, ${b} and ${c.scalar} as ${c.type} in form ${c.form}: ${actual}, should be ${wanted}`
  }
  return undefined
}

describe('a function of the library is exact to one step', { timeout: 120_000 }, () => {
  test.each(Object.keys(functions))('%s', async (key) => {
    const { types, forms: kind } = known(key)
    const draws = types.flatMap((type) =>
      formsOf[kind].map((form) => ({ key: fc.constant(key), type: fc.constant(type), form: fc.constant(form) })),
    )
    const program = fc.tuple(
      ...draws.map((fixed) =>
        fc.record({ ...fixed, count: fc.integer({ min: 1, max: 1024 }), seed: fc.integer({ min: 0, max: 2 ** 31 }) }),
      ),
    )
    await fc.assert(
      fc.asyncProperty(program, async (drawn) => {
        const commands = drawn.map((draw) => commandOf(draw))
        const images = await run(commands)
        commands.forEach((c, i) => {
          const image = images[i]
          if (!image) throw new Error('an image is missing')
          expect(difference(key, c, image)).toBeUndefined()
          const resultBytes = c.type === 'mixed' ? 4 : bytesOf(c.type)
          const behind = resultsIn(c, image, areaBytes / resultBytes).slice(c.count)
          expect(behind.every((value) => value === 1)).toBe(true)
          const overwrites = key.startsWith('reusing') && c.type === 'float'
          expect(sourcesIn(c, image)).toEqual(overwrites ? c.a.map(() => NaN) : c.a)
        })
      }),
      { numRuns: 6, endOnFailure: true },
    )
  })
})

test('the references agree with published digits', () => {
  const digits: [found: number, published: number][] = [
    [erf(0.5), 0.5204998778130465],
    [erf(2.9), 0.9999589021219005],
    [erfc(1), 0.15729920705028513],
    [erfc(3), 2.209049699858544e-5],
    [erfc(8), 1.1224297172982926e-29],
    [lgamma(0.1), 2.252712651734206],
    [lgamma(-0.5), 1.2655121234846454],
    [lgamma(100), 359.1342053695754],
    [digamma(0.1), -10.423754940411078],
    [digamma(1), -0.5772156649015329],
    [digamma(-2.5), 1.103156640645243],
  ]
  for (const [found, published] of digits) expect(found / published).toBeCloseTo(1, 12)
})

/** What the host says, read from the tiling data. */
async function hostSizes(): Promise<number[]> {
  const count = 2 * (4 * sizes.length + reusing.length)
  const [image] = await run([{ ...plainCommand, function: 'sizes', type: 'sizes', count }])
  return Array.from({ length: count }, (_, i) => image?.getUint32(4 * i, true) ?? 0)
}

const rows = (kind: 'half' | 'float') =>
  sizes.flatMap(({ [kind]: [max, min, factor = 0, extra = 0] }) => [max, min, factor, extra])

test('the host tells the documented sizes of temporary memory', async () => {
  const found = await hostSizes()
  const wanted = [
    ...rows('half'),
    ...reusing.map(([, half]) => half),
    ...rows('float'),
    ...reusing.map(([, , float]) => float),
  ]
  const mattering = found.map((value, i) => (isUnusedOfIntegers(i) ? 0 : value))
  expect(mattering).toEqual(wanted)
})

/** Powers of integers do not come in 16 bits. */
function isUnusedOfIntegers(index: number): boolean {
  return index < 4 * sizes.length && sizes[Math.floor(index / 4)]?.name.startsWith('integer') === true
}

const needed = sizes.flatMap(({ helper, functions: keys, half, float }) =>
  keys.flatMap((key) =>
    known(key).types.flatMap((type): [key: string, type: Type, helper: string, least: number][] => {
      if (type === 'mixed' || type === 'bfloat16') return []
      const least = bytesOf(type) === 2 ? half[1] : float[1]
      return least === 0 ? [] : [[key, type, helper, least]]
    }),
  ),
)

/** What a launch with one command leaves where the library only asserts. */
async function asserted(key: string, command: Command) {
  const { result, images } = await launch([command])
  return { result, wrong: images[0] && difference(key, command, images[0]) }
}

test.each(needed)('%s of %s works in what %s says, and warns of less', async (key, type, helper, least) => {
  const form = 'count and temporary'
  const command = commandOf({ key, type, form, count: 700, seed: 3 })
  const [image] = await run([{ ...command, temporaryBytes: least }])
  expect(image && difference(key, command, image)).toBeUndefined()
  const { result, wrong } = await asserted(key, { ...command, temporaryBytes: least - 32 })
  const report = expect.objectContaining({
    code: 'AssertIgnored',
    severity: 'warning',
    message: `sharedTmpBuffer has ${least - 32} bytes, ${least} are needed`,
    hint: `take the size from ${key === 'Log2' ? 'GetLog2MaxMinTmpSize' : helper} on the host`,
  })
  expect(result).toMatchObject({ ok: true, reports: expect.arrayContaining([report]) })
  // four parts of a block each, where the helper counts two of a repeat: nothing is left over
  const takesAll = (key === 'Acos' || key === 'Asin') && type === 'float'
  if (takesAll) expect(wrong).toMatch(/: NaN, should be/)
  else expect(wrong).toBeUndefined()
})

test('in less than a block of each temporary tensor, a function computes garbage', async () => {
  const command = commandOf({ key: 'Tanh', type: 'float', form: 'count and temporary', count: 200, seed: 1 })
  expect((await asserted('Tanh', { ...command, temporaryBytes: 128 })).wrong).toBeUndefined()
  const { result, wrong } = await asserted('Tanh', { ...command, temporaryBytes: 96 })
  expect(result).toMatchObject({ ok: true, reports: [{ code: 'AssertIgnored' }] })
  expect(wrong).toMatch(/: NaN, should be/)
})

/** What comes of a function whose destination is its first source. */
async function inPlace(key: string, type: Type) {
  const command = commandOf({ key, type, form: formsOf[known(key).forms][0] ?? 'count', count: 100, seed: 5 })
  const moved = { ...command, dstAt: areaBytes }
  const { result, images } = await launch([moved])
  return { result, wrong: images[0] && difference(key, moved, images[0]) }
}

describe('a destination that is the source', () => {
  test.each(['Gelu', 'FasterGelu', 'FasterGeluV2', 'Trunc', 'Round'])('is documented for %s', async (key) => {
    expect(await inPlace(key, 'float')).toMatchObject({ result: { ok: true, reports: [] }, wrong: undefined })
  })

  test.each(['Sigmoid', 'Tanh', 'Log', 'Erf', 'Sin'])('is a warning for %s', async (key) => {
    const { result, wrong } = await inPlace(key, 'half')
    expect(result).toMatchObject({ ok: true, reports: [{ code: 'OverlapForbidden', severity: 'warning' }] })
    expect(wrong).toBeUndefined()
  })

  test.each(['Silu', 'Swish', 'Sign', 'Acos', 'Power', 'SwiGLU'])('is a warning and garbage for %s', async (key) => {
    const { result, wrong } = await inPlace(key, 'float')
    expect(result).toMatchObject({ ok: true, reports: [{ code: 'AssertIgnored', message: /dst overlaps src/ }] })
    expect(wrong).toMatch(/: NaN, should be/)
  })
})

const overlapping: [what: string, message: RegExp, change: Partial<Command>][] = [
  ['a destination that begins inside of the source', /dst overlaps src/, { dstAt: areaBytes + 64 }],
  ['temporary memory inside of the source', /sharedTmpBuffer overlaps src/, { temporaryAt: areaBytes + 256 }],
  ['temporary memory inside of the destination', /sharedTmpBuffer overlaps dst/, { temporaryAt: 0 }],
]

test.each(overlapping)('the library warns of %s, and loses data', async (_, message, change) => {
  const draw: Draw = { key: 'Tanh', type: 'float', form: 'count and temporary', count: 200, seed: 1 }
  const { result, wrong } = await asserted('Tanh', commandOf(draw, change))
  expect(result).toMatchObject({ ok: true, reports: [{ code: 'AssertIgnored', severity: 'warning', message }] })
  expect(wrong).toMatch(/: NaN, should be/)
  expect(await asserted('Tanh', commandOf(draw))).toMatchObject({ result: { reports: [] }, wrong: undefined })
})

const refused: [what: string, code: string, change: Partial<Command>][] = [
  ['an odd destination', 'ErrorWrite4', { dstAt: 8 }],
  ['odd temporary memory', 'ErrorWrite4', { temporaryAt: imageBytes + 8 }],
  ['more elements than UB has', 'ErrorWrite2', { count: 60_000 }],
]

test.each(refused)('the library refuses %s', async (_, code, change) => {
  const draw: Draw = { key: 'Tanh', type: 'float', form: 'count and temporary', count: 200, seed: 1 }
  const { result } = await launch([commandOf(draw, change)])
  expect(result).toMatchObject({ ok: false, reports: [{ code, severity: 'error' }] })
})

test('without a tensor for it, a function works in what no buffer has taken', async () => {
  const command = commandOf({ key: 'Tan', type: 'float', form: 'count', count: 300, seed: 4 })
  const [image] = await run([{ ...command, leftBytes: 512 }])
  expect(image && difference('Tan', command, image)).toBeUndefined()
  const { result } = await launch([{ ...command, leftBytes: 512 - 32 }])
  const message = 'the temporary memory of the library takes 512 bytes, 480 are left in UB'
  expect(result).toMatchObject({ ok: false, reports: [{ code: 'BufferSize', message }] })
})

test.each<[type: Type, worked: number]>([
  ['float', 704 * 4],
  // two tensors, as far apart as there is room
  ['half', areaBytes / 2 + 700 * 4],
])('of longer temporary memory a function of %s leaves nothing of what it works in', async (type, worked) => {
  const command = commandOf({ key: 'Tanh', type, form: 'count and temporary', count: 700, seed: 2 })
  const before = Array<number>(areaBytes / bytesOf(type)).fill(1)
  const [image] = await run([{ ...command, temporaryAt: 2 * areaBytes, temporaryBytes: areaBytes, b: before }])
  const after = image ? resultsIn({ ...command, dstAt: 2 * areaBytes }, image, before.length) : []
  expect(after).toEqual(before.map((value, i) => (i * bytesOf(type) < worked ? NaN : value)))
})

test('functions take less time in more temporary memory', async () => {
  const command = commandOf({ key: 'Tanh', type: 'half', form: 'count and temporary', count: 1024, seed: 1 })
  const time = async (temporaryBytes: number) => {
    const { result } = await launch([{ ...command, temporaryBytes }])
    if (!result.ok) throw new Error(JSON.stringify(result))
    return result.latencyNs
  }
  expect(await time(8192)).toBeLessThan(await time(1024))
})
