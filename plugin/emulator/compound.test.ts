import * as fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import {
  areaBytes,
  commandBytes,
  formats,
  imageBytes,
  imageOf,
  isElementType,
  writeCommand,
  type Command,
  type ElementType,
} from '../../fixtures/compound/command.ts'
import { approximations, families } from '../../fixtures/compound/draw.ts'
import { expected } from '../../fixtures/compound/oracle.ts'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'

const device = useOperator(interfaceOf('Compound', 'compound', ['blocks'], ['int32']))

/** The images that the device leaves, one for each command. */
async function run(commands: readonly Command[]): Promise<DataView[]> {
  const words = new Int32Array((commandBytes / 4) * commands.length)
  const view = new DataView(words.buffer)
  commands.forEach((c, i) => writeCommand(view, i * commandBytes, c))
  const { result, y } = await device.run({
    x: { dtype: 'int32', shape: [words.length], data: words },
    y: { dtype: 'int32', shape: [(imageBytes / 4) * commands.length] },
    attrs: { blocks: commands.length },
  })
  if (!result.ok) throw new Error(JSON.stringify(result, null, 2))
  const { buffer, byteOffset } = y.data
  return commands.map((_, i) => new DataView(buffer, byteOffset + i * imageBytes, imageBytes))
}

/** The type that the destination is compared in. */
function typeOfResult(c: Command): ElementType {
  const named = c.op.split(' ')[1]
  if (c.op.startsWith('scalar')) return c.op === 'scalar bfloat16_t' ? 'float' : 'int32_t'
  if (c.op === 'saturated Cast') return 'half'
  if (c.op === 'Compare' || /^[<>=!]/.test(c.op) || c.op.startsWith('Cast int4')) return 'uint8_t'
  return isElementType(named) && !c.op.startsWith('saturated') ? named : c.type
}

/** The first element that is not what it should be, as a sentence; undefined when all are. */
function difference(c: Command, actual: DataView): string | undefined {
  const wanted = expected(c)
  const before = imageOf(c)
  const { bytes, read } = formats[typeOfResult(c)]
  for (let at = 0; at < imageBytes; at += at < areaBytes ? bytes : 1) {
    const { read: readHere } = at < areaBytes ? { read } : formats.uint8_t
    const [a, b] = [readHere(actual, at), readHere(wanted, at)]
    if (Object.is(a, b)) continue
    const shown = JSON.stringify(c, (_, value: unknown) =>
      typeof value === 'bigint' ? `0x${value.toString(16)}` : value,
    )
    return `${c.op}: byte ${at} holds ${a}, should be ${b}, was ${readHere(before, at)}\n${shown}`
  }
  return undefined
}

describe('the device does what is documented', () => {
  test.each(Object.keys(families))('for %s', { timeout: 120_000 }, async (family) => {
    const draw = families[family]
    if (!draw) throw new Error(family)
    const programs = fc.array(draw, { minLength: 30, maxLength: 48 })
    await fc.assert(
      fc.asyncProperty(programs, async (commands) => {
        const images = await run(commands)
        commands.forEach((c, i) => {
          const image = images[i]
          if (image) expect(difference(c, image)).toBeUndefined()
        })
      }),
      { numRuns: 6, endOnFailure: true },
    )
  })
})

describe('Reciprocal and Rsqrt', () => {
  afterEach(() => {
    delete process.env['NPU_EXACT_APPROX']
  })

  test('are as coarse as the tables of the device, and exact on demand', { timeout: 60_000 }, async () => {
    const coarse = await run(approximations)
    process.env['NPU_EXACT_APPROX'] = '1'
    const exact = await run(approximations)
    approximations.forEach((c, i) => {
      const [byTable, onDemand] = [coarse[i], exact[i]]
      if (!byTable || !onDemand) throw new Error('an image is missing')
      expect(difference(c, byTable)).toBeDefined()
      expect(difference(c, onDemand)).toBeUndefined()
    })
  })
})
