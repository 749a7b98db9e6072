import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cast } from '../../fixtures/instructions/casts.ts'
import {
  areaBytes,
  commandBytes,
  imageBytes,
  imageOf,
  plainCommand,
  writeCommand,
  type Command,
} from '../../fixtures/instructions/command.ts'
import { compare, select } from '../../fixtures/instructions/comparisons.ts'
import { families, programs } from '../../fixtures/instructions/draw.ts'
import { elementwise, rules } from '../../fixtures/instructions/elementwise.ts'
import { formats, ulps } from '../../fixtures/instructions/formats.ts'
import { copy, move } from '../../fixtures/instructions/moves.ts'
import { reduce } from '../../fixtures/instructions/reductions.ts'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'
import { bytesView } from '../model/index.ts'

const device = useOperator(interfaceOf('Instructions', 'instructions', ['blocks'], ['int32']))

const oracles = [elementwise, cast, compare, select, reduce, move, copy]

/** The image as the documentation says it is after the command. */
function expected(c: Command): DataView {
  const image = imageOf(c)
  if (!oracles.some((oracle) => oracle(c, image))) throw new Error(`nothing is known of ${c.op}`)
  return image
}

/** The images that the device leaves, one for each command, and the codes of what it warns of. */
async function runWithWarnings(commands: readonly Command[]): Promise<{ images: DataView[]; warnings: string[] }> {
  const words = new Int32Array((commandBytes / 4) * commands.length)
  const view = new DataView(words.buffer)
  commands.forEach((c, i) => writeCommand(view, i * commandBytes, c))
  const { result, y } = await device.run({
    x: { dtype: 'int32', shape: [words.length], data: words },
    y: { dtype: 'int32', shape: [(imageBytes / 4) * commands.length] },
    attrs: { blocks: commands.length },
  })
  if (!result.ok) throw new Error(JSON.stringify(result, null, 2))
  const errors = result.reports.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Error(JSON.stringify(errors, null, 2))
  const bytes = bytesView(y)
  const images = commands.map((_, i) => new DataView(bytes.buffer, bytes.byteOffset + i * imageBytes, imageBytes))
  return { images, warnings: result.reports.map(({ code }) => code) }
}

const run = async (commands: readonly Command[]): Promise<DataView[]> => (await runWithWarnings(commands)).images

/** The first element that is not what it should be, as a sentence; undefined when all are. */
function difference(c: Command, actual: DataView): string | undefined {
  const wanted = expected(c)
  const before = imageOf(c)
  const { bytes, read, floating } = formats[c.type]
  const allowed = rules[c.op]?.ulps ?? 0
  for (let at = 0; at < imageBytes; at += bytes) {
    const [a, b] = [read(actual, at), read(wanted, at)]
    if (Object.is(a, b) || (floating && Number.isNaN(a) && Number.isNaN(b))) continue
    if (allowed > 0 && (c.type === 'half' || c.type === 'float') && ulps(c.type, a, b) <= allowed) continue
    const sources = [1, 2].map((i) => read(before, (c.at[i] ?? 0) + at - c.at[0])).join(', ')
    const shown = JSON.stringify(c, (_, value: unknown) =>
      typeof value === 'bigint' ? `0x${value.toString(16)}` : value,
    )
    return `${c.op} ${c.type}: byte ${at} holds ${a}, should be ${b}, was ${read(before, at)}; sources near ${sources}\n${shown}`
  }
  return undefined
}

/** int64 elements are compared as numbers; these differ by less than that can show only in their low bits. */
function lowBits(c: Command, actual: DataView): string | undefined {
  if (c.type !== 'int64') return undefined
  const wanted = expected(c)
  for (let at = 0; at < imageBytes; at += 8)
    if (actual.getBigInt64(at) !== wanted.getBigInt64(at)) return `${c.op}: 64-bit element at byte ${at} differs`
  return undefined
}

describe('the device does what is documented', () => {
  test.each(Object.keys(families))('for %s', { timeout: 120_000 }, async (family) => {
    await fc.assert(
      fc.asyncProperty(programs(family, 2), async (commands) => {
        const images = await run(commands)
        commands.forEach((c, i) => {
          const image = images[i]
          if (image) expect(difference(c, image) ?? lowBits(c, image)).toBeUndefined()
        })
      }),
      { numRuns: 5, endOnFailure: true },
    )
  })
})

test.each(['half', 'float'] as const)(
  'a repeat of Copy in counter mode is as long as the mask, for %s',
  async (type) => {
    const counted = { ...plainCommand, op: 'Copy', type, sourceType: type, form: 'counter' as const }
    const commands: Command[] = [
      { ...counted, count: 200, repeats: 3, repeatStride: [25, 0, 0] },
      { ...counted, count: 136, repeats: 2, blockStride: [2, 1, 1], repeatStride: [40, 20, 0] },
    ]
    const images = await run(commands)
    commands.forEach((c, i) => expect(images[i] && difference(c, images[i])).toBeUndefined())
  },
)

const floats = { ...plainCommand, type: 'float', sourceType: 'float', form: 'lanes', count: 64 } as const
const lanes = (op: string, repeats: number, strides: [number, number, number], at: [number, number, number]) =>
  ({ ...floats, op, repeats, repeatStride: strides, at, palette: 'plain' }) as const

describe('a repeat that reads what an earlier one has written', () => {
  const chains: [what: string, command: Command][] = [
    ['sums', { ...lanes('Add', 9, [7, 7, 7], [32, 0, 32]), count: 56 }],
    ['sums to the first source', lanes('Add', 4, [0, 0, 8], [0, 0, areaBytes])],
    [
      'ands to the second source',
      { ...lanes('And', 4, [0, 8, 0], [0, areaBytes, 0]), type: 'uint16', sourceType: 'uint16' },
    ],
    ['a broadcast block', lanes('Max', 4, [8, 8, 0], [32, 0, 64])],
    ['one element in place', lanes('Adds', 4, [0, 0, 0], [0, 0, 0])],
    ['moves to the next repeat', lanes('Copy', 4, [8, 8, 8], [256, 0, 0])],
    ['moves on in a long repeat', { ...lanes('Copy', 1, [8, 8, 8], [256, 0, 0]), form: 'counter', count: 500 }],
    ['long repeats of rows', { ...lanes('Copy', 3, [10, 10, 8], [320, 0, 0]), form: 'counter', count: 80 }],
  ]
  test.each(chains)('finds garbage there: %s', async (_, command) => {
    const { images, warnings } = await runWithWarnings([command])
    expect(images[0] && difference(command, images[0])).toBeUndefined()
    expect(warnings).toEqual(['OverlapForbidden'])
  })

  const defined: [what: string, command: Command][] = [
    ['sums to the second source, which stays', lanes('Add', 4, [0, 8, 0], [0, areaBytes, 0])],
    ['accumulation in dst', lanes('MulAddDst', 4, [0, 8, 8], [0, areaBytes, 2 * areaBytes])],
    ['each repeat in its place', lanes('Add', 4, [8, 8, 8], [0, 0, areaBytes])],
    ['moves to the repeat before', lanes('Copy', 4, [8, 8, 8], [0, 256, 0])],
    ['moves back in a long repeat', { ...lanes('Copy', 1, [8, 8, 8], [0, 256, 0]), form: 'counter', count: 500 }],
    ['long rows moved together', { ...lanes('Copy', 3, [10, 20, 8], [0, 0, 0]), form: 'counter', count: 80 }],
    ['rows between rows', { ...lanes('Add', 4, [8, 8, 8], [0, 0, 128]), count: 32 }],
  ]
  test.each(defined)('is no other than %s', async (_, command) => {
    const { images, warnings } = await runWithWarnings([command])
    expect(images[0] && difference(command, images[0])).toBeUndefined()
    expect(warnings).toEqual([])
  })
})
