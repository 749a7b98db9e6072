import type { Comparison, WrongElement } from '../model/index.ts'
import type { Miss } from './examples.ts'
import { formatElement, roundTo } from './round.ts'
import type { GoldenTensor } from './rules.ts'
import type { OutputTensor } from './structure.ts'
import { limitOf, type MismatchTally } from './tally.ts'

/** What is wrong with a tensor, for people; an exact one has neither an error nor a limit. */
export function describeMismatches(
  piece: OutputTensor,
  expected: GoldenTensor,
  tally: MismatchTally,
  exact: boolean,
): Comparison {
  const { dtype, shape, data } = piece.tensor
  const components = dtype === 'complex64' ? 2 : 1
  const unwritten = tally.unwritten()
  const pattern = tally.pattern(piece.name)
  const elementOf = ({ index, golden, actual, limit }: Miss): WrongElement => {
    // integers of 64 bits are more than numbers hold
    const [whole, wholeActual] = ['data' in expected ? expected.data[index] : undefined, data[index]]
    const isWide = typeof whole === 'bigint' && typeof wholeActual === 'bigint'
    const finite = Number.isFinite(roundTo(dtype, golden)) && Number.isFinite(actual)
    return {
      index: unravel(Math.floor(index / components), shape),
      expected: isWide ? String(whole) : formatElement(dtype, roundTo(dtype, golden)),
      actual: isWide ? String(wholeActual) : formatElement(dtype, actual),
      ...(finite && !exact ? { error: Math.abs(actual - golden), limit: limitOf(dtype, golden, limit) } : {}),
    }
  }
  return {
    output: piece.name,
    elements: data.length / components,
    mismatches: tally.mismatches,
    ...elementOf(tally.worst),
    examples: tally.examples().map(elementOf),
    ...(pattern !== undefined && { pattern }),
    ...(unwritten && { unwritten }),
  }
}

function unravel(index: number, shape: readonly number[]): number[] {
  const position: number[] = []
  let rest = index
  for (const extent of shape.toReversed()) {
    position.unshift(rest % extent)
    rest = Math.floor(rest / extent)
  }
  return position
}
