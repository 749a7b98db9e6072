import { hash } from '../../inputs/random.ts'

/** Runs of so many words or tokens are compared, as 32-bit hashes. */
export type Shingles = ReadonlySet<number>

/** The words of a text in lower case; of a script without spaces each letter is one. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}_]+/gu) ?? []

/** A literal that is not closed goes to the end of its line, a comment to the end of the text. */
const token =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|[A-Za-z_]\w*|\.?\d[\w.']*|::|->|[<>=!+\-*/%&|^]=|&&|\|\||<<|>>|\+\+|--|\S/g

/** The tokens of C++ without comments. */
export const tokensOf = (code: string): string[] =>
  (code.match(token) ?? []).filter((each) => !each.startsWith('//') && !each.startsWith('/*'))

const keywords = new Set(
  (
    'alignas auto bool break case char class const constexpr continue default do double else enum extern false float for ' +
    'if inline int namespace new nullptr operator private public return short signed sizeof static struct switch template ' +
    'this true typedef typename unsigned using void volatile while half bfloat16_t int8_t uint8_t int16_t uint16_t int32_t ' +
    'uint32_t int64_t uint64_t size_t'
  ).split(' '),
)

/**
 * The same with names that a copy may change made one: variables, numbers and literals. What begins with a capital stays: types and
 * calls of Ascend C do.
 */
export const plainTokensOf = (code: string): string[] =>
  tokensOf(code).map((each) => {
    if (/^["']/.test(each)) return '"'
    if (/^\.?\d/.test(each)) return '0'
    return /^[a-z_]/.test(each) && !keywords.has(each) ? 'v' : each
  })

/** Hashes of all runs of `length` parts; of fewer parts than that, of the whole. */
export function shinglesOf(parts: readonly string[], length: number): Set<number> {
  const hashes = parts.map(hash)
  const found = new Set<number>()
  const last = Math.max(0, hashes.length - length)
  if (hashes.length === 0) return found
  for (let start = 0; start <= last; start++) {
    let run = 0
    for (let i = start; i < Math.min(start + length, hashes.length); i++) run = Math.imul(run, 0x01000193) ^ hashes[i]!
    found.add(mixed(run))
  }
  return found
}

/** Spreads every bit over the word. */
export function mixed(word: number): number {
  let x = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return x ^ (x >>> 16)
}

/** How many of the shingles both have. */
export function sharedBy(one: Shingles, other: Shingles): number {
  const [few, many] = one.size <= other.size ? [one, other] : [other, one]
  let count = 0
  for (const each of few) if (many.has(each)) count++
  return count
}

/** The share of the shingles of either that both have. */
export function similarityOf(one: Shingles, other: Shingles): number {
  const shared = sharedBy(one, other)
  const all = one.size + other.size - shared
  return all === 0 ? 1 : shared / all
}
