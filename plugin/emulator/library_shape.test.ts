import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandBytes, imageBytes, writeCommand, type Command } from '../../fixtures/library_shape/command.ts'
import { filled, fills } from '../../fixtures/library_shape/fill.ts'
import { buildLimitMs, FixtureOperator, interfaceOf, startService } from '../../fixtures/operator.ts'
import { bytesView } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'

let service: KernelService
let device: FixtureOperator
beforeAll(async () => {
  service = await startService()
  device = await FixtureOperator.build(service, interfaceOf('LibraryShape', 'library_shape', ['blocks'], ['int32']))
}, buildLimitMs)
afterAll(async () => await service.close())

/** Commands of one launch: a block each. */
const blocks = 16

async function launch(commands: readonly Command[]) {
  const words = new Int32Array((commandBytes / 4) * commands.length)
  commands.forEach((c, i) => writeCommand(new DataView(words.buffer), i * commandBytes, c))
  return await device.run({
    x: { dtype: 'int32', shape: [words.length], data: words },
    y: { dtype: 'int32', shape: [(imageBytes / 4) * commands.length] },
    attrs: { blocks: commands.length },
  })
}

/** What the device leaves in the output of each command. */
async function run(commands: readonly Command[]): Promise<DataView[]> {
  const { result, y } = await launch(commands)
  const errors = result.reports.filter(({ severity }) => severity === 'error')
  if (!result.ok || errors.length > 0) throw new Error(JSON.stringify([result, commands], null, 2))
  const bytes = bytesView(y)
  return commands.map((_, i) => new DataView(bytes.buffer, bytes.byteOffset + i * imageBytes, imageBytes))
}

async function check(commands: fc.Arbitrary<Command>, verify: (c: Command, left: DataView) => void) {
  const programs = fc.array(commands, { minLength: 1, maxLength: blocks })
  await fc.assert(
    fc.asyncProperty(programs, async (drawn) => {
      const left = await run(drawn)
      drawn.forEach((c, i) => left[i] && verify(c, left[i]))
    }),
    { numRuns: 25, endOnFailure: true },
  )
}

describe('the library does what is documented', { timeout: 120_000 }, () => {
  test('when it fills global memory', async () => {
    const untouched = new Uint8Array(imageBytes).fill(0xa5)
    await check(fills, (c, left) => {
      const bytes = new Uint8Array(left.buffer, left.byteOffset, left.byteLength)
      const wanted = filled(c, untouched)
      const at = bytes.findIndex((byte, i) => byte !== wanted[i])
      expect(at, `${JSON.stringify(c)}: byte ${at} holds ${bytes[at]}, should be ${wanted[at]}`).toBe(-1)
    })
  })
})

const padded = (...extents: number[]): number[] => Array.from({ length: 8 }, (_, i) => extents[i] ?? 0)

test('a tensor keeps the shape that was noted on it', async () => {
  const args = [3, 5, 7, 2, 11]
  const [left] = await run([{ op: 'SetShapeInfo', type: 'int32', form: 0, tmpBytes: 0, args, seed: 1 }])
  const wanted = [...padded(3, 5, 7), ...padded(2, 11), ...padded(3, 5), 32, 10, 105, 0]
  expect(wanted.map((_, i) => left?.getInt32(4 * i, true))).toEqual(wanted)
})

/** Calls that cannot be carried out, the code each is reported by, and what the message says. */
const refused: [what: string, code: string, message: RegExp, change: Partial<Command>][] = [
  [
    'a fill when nothing is left of the memory',
    'BufferSize',
    /no byte of UB is left/,
    { op: 'Fill', form: 1, args: [0, 8, 1] },
  ],
]

test.each(refused)('the library refuses %s', async (_, code, message, change) => {
  const { result } = await launch([{ op: '', type: 'float', form: 0, tmpBytes: 0, args: [], seed: 1, ...change }])
  const found = expect.objectContaining({ code, severity: 'error', message: expect.stringMatching(message) as unknown })
  expect(result.reports).toContainEqual(found)
})
