import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, FixtureOperator, interfaceOf, startService } from '../../fixtures/operator.ts'
import {
  commandBytes,
  imageBytes,
  imageOf,
  outcomeBytes,
  resultWords,
  writeCommand,
  type Command,
} from '../../fixtures/rearrange/command.ts'
import { gather, gatherings } from '../../fixtures/rearrange/gathering.ts'
import { reduce, reductions } from '../../fixtures/rearrange/reductions.ts'
import { sort, sortings } from '../../fixtures/rearrange/sorting.ts'
import { transpose, transposings } from '../../fixtures/rearrange/transposing.ts'
import { bytesView } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'

let service: KernelService
let device: FixtureOperator
beforeAll(async () => {
  service = await startService()
  device = await FixtureOperator.build(service, interfaceOf('Rearrange', 'rearrange', ['blocks'], ['int32']))
}, buildLimitMs)
afterAll(async () => await service.close())

/** Image and results as the documentation says they are after the command. */
function expected(c: Command): { image: DataView; results: number[] } {
  const image = imageOf(c)
  for (const oracle of [reduce, gather, transpose, sort]) {
    const results = oracle(c, image)
    if (results) return { image, results }
  }
  throw new Error(`nothing is known of ${c.op}`)
}

/** What the device leaves of each command. */
async function run(commands: readonly Command[]): Promise<DataView[]> {
  const words = new Int32Array((commandBytes / 4) * commands.length)
  commands.forEach((c, i) => writeCommand(new DataView(words.buffer), i * commandBytes, c))
  const { result, y } = await device.run({
    x: { dtype: 'int32', shape: [words.length], data: words },
    y: { dtype: 'int32', shape: [(outcomeBytes / 4) * commands.length] },
    attrs: { blocks: commands.length },
  })
  if (!result.ok) throw new Error(JSON.stringify([result, commands], null, 2))
  const errors = result.reports.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Error(JSON.stringify([errors, commands], null, 2))
  const bytes = bytesView(y)
  return commands.map((_, i) => new DataView(bytes.buffer, bytes.byteOffset + i * outcomeBytes, outcomeBytes))
}

const hex = (word: number): string => word.toString(16)

/** The first word that is not what it should be, as a sentence; undefined when all are. */
function difference(c: Command, actual: DataView): string | undefined {
  const wanted = expected(c)
  const before = imageOf(c)
  const shown = JSON.stringify({ ...c, patches: c.patches.length })
  for (let at = 0; at < imageBytes; at += 4) {
    const [a, b] = [actual.getUint32(at, true), wanted.image.getUint32(at, true)]
    if (a !== b) return `byte ${at}: ${hex(a)}, should be ${hex(b)}, was ${hex(before.getUint32(at, true))} ${shown}`
  }
  for (let i = 0; i < resultWords; ++i) {
    const [a, b] = [actual.getUint32(imageBytes + 4 * i, true), wanted.results[i] ?? 0]
    if (a !== b) return `result ${i}: ${hex(a)}, should be ${hex(b)} ${shown}`
  }
  return undefined
}

/** Commands of one launch: a block each. */
const blocks = 24

describe('the device rearranges as documented', () => {
  const groups = { reductions, gatherings, transposings, sortings }
  test.each(Object.entries(groups))('in %s', { timeout: 120_000 }, async (_, commands) => {
    await fc.assert(
      fc.asyncProperty(fc.array(commands, { minLength: 1, maxLength: blocks }), async (drawn) => {
        const left = await run(drawn)
        drawn.forEach((c, i) => {
          const outcome = left[i]
          if (outcome) expect(difference(c, outcome)).toBeUndefined()
        })
      }),
      { numRuns: 40, endOnFailure: true },
    )
  })
})
