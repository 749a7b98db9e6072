import type { TilingFacts, TilingValue } from '../model/index.ts'

/** A field that two tilings differ in, by its path: `fields.rows`, `fields.startOffset.3`. */
export interface TilingDifference {
  field: string
  told: unknown
  is: TilingValue | undefined
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Characters of a number: fields of tiling data have 64 bits. */
const longestNumber = 64

/** Whole numbers also as texts, `true` as 1; undefined for what is no number. */
function numberOf(value: unknown): number | bigint | undefined {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (text.length > longestNumber) return undefined
  if (/^-?\d+$/.test(text)) return BigInt(text)
  return /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?f?$/i.test(text) ? Number(text.replace(/f$/i, '')) : undefined
}

/** Whether a number is the one that a field holds, which is a whole one or a float32. */
function agrees(told: unknown, is: number | string): boolean {
  // what is no number at all: infinities, and what is not a number
  if (typeof is === 'string' && told === is) return true
  const value = numberOf(told)
  if (value === undefined) return false
  if (typeof is === 'string') return String(value) === is
  if (Number.isInteger(is)) return Number(value) === is
  return Math.fround(Number(value)) === Math.fround(is)
}

function* differences(field: string, told: unknown, is: TilingValue): Generator<TilingDifference> {
  if (Array.isArray(is)) {
    if (!Array.isArray(told)) return yield { field, told, is }
    // zeros at the end of an array may be left out
    for (let i = 0; i < Math.max(is.length, told.length); i++)
      yield* differences(`${field}.${i}`, told[i] ?? 0, is[i] ?? zeroLike(is[0]))
    return
  }
  if (isRecord(is)) {
    const given = told === 0 ? {} : told
    if (!isRecord(given)) return yield { field, told, is }
    const names = new Set([...Object.keys(is), ...Object.keys(given)])
    for (const name of names) {
      const expected = is[name]
      if (expected === undefined) yield { field: `${field}.${name}`, told: given[name], is: undefined }
      else yield* differences(`${field}.${name}`, told === 0 ? 0 : given[name], expected)
    }
    return
  }
  if (!agrees(told, is)) yield { field, told, is }
}

/** What stands in an array behind what is told of it. */
const zeroLike = (first: TilingValue | undefined): TilingValue =>
  isRecord(first) ? Object.fromEntries(Object.entries(first).map(([name, value]) => [name, zeroLike(value)])) : 0

/** In what a summary differs from the true tiling: block dim, key, and every field; the workspace is asked of nobody. */
export function tilingDifferences(told: unknown, { blockDim, tilingKey, fields }: TilingFacts): TilingDifference[] {
  if (!isRecord(told)) return [{ field: 'tiling', told, is: undefined }]
  return [
    ...differences('blockDim', told['blockDim'], blockDim),
    ...differences('tilingKey', told['tilingKey'], tilingKey),
    ...differences('fields', told['fields'], fields),
  ]
}

export const sameTiling = (one: TilingFacts, other: TilingFacts): boolean =>
  one.workspaceBytes === other.workspaceBytes && tilingDifferences(one, other).length === 0
