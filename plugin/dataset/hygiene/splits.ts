import { mixed } from './shingles.ts'
import { hash } from '../../inputs/random.ts'

/** Names of the parts of a dataset and their shares, e.g. `{ train: 0.9, test: 0.1 }`. */
export type Splits = Readonly<Record<string, number>>

/** The shares of a text like `train=0.9,validation=0.05,test=0.05`; undefined where it is none. */
export function splitsOf(text: string): Splits | undefined {
  const parts = text.split(',').map((part) => /^\s*([a-z][\w-]*)\s*=\s*((?:\d*\.)?\d+)\s*$/.exec(part))
  if (parts.some((part) => !part)) return undefined
  const splits = Object.fromEntries(parts.map((part) => [part![1]!, Number(part![2])]))
  const sum = Object.values(splits).reduce((all, each) => all + each, 0)
  return Object.keys(splits).length === parts.length && sum > 0 ? splits : undefined
}

/**
 * The split that everything about an operator belongs to: it follows from its name and the seed alone, so that no operator is in two, and
 * rows that are added later change none. Names of operators differ in spelling only where they are written `rms_norm` and `RmsNorm`.
 */
export function splitOf(operator: string, splits: Splits, seed: number): string {
  const sum = Object.values(splits).reduce((all, each) => all + each, 0)
  const name = operator.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  let left = ((mixed(hash(`${seed}:${name}`)) >>> 0) / 2 ** 32) * sum
  const names = Object.keys(splits)
  return names.find((each) => (left -= splits[each]!) < 0) ?? names.at(-1)!
}
