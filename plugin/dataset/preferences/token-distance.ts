/** Where two lists begin to differ, and where each ends to. */
export interface Difference {
  start: number
  endOfOne: number
  endOfOther: number
}

/** What is left of two lists without their common beginning and end. */
export function differenceOf(one: readonly string[], other: readonly string[]): Difference {
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start++
  let [endOfOne, endOfOther] = [one.length, other.length]
  while (endOfOne > start && endOfOther > start && one[endOfOne - 1] === other[endOfOther - 1]) {
    endOfOne--
    endOfOther--
  }
  return { start, endOfOne, endOfOther }
}

/**
 * Tokens that have to be taken out and put in to make the one list the other (Myers 1986); undefined where it are more than `limit`. Time and
 * memory grow with the limit, not with the lists.
 */
export function tokenDistance(one: readonly string[], other: readonly string[], limit: number): number | undefined {
  const { start, endOfOne, endOfOther } = differenceOf(one, other)
  const [first, second] = [one.slice(start, endOfOne), other.slice(start, endOfOther)]
  const [n, m] = [first.length, second.length]
  if (Math.abs(n - m) > limit) return undefined
  const reach = new Int32Array(2 * limit + 3)
  const middle = limit + 1
  for (let edits = 0; edits <= limit; edits++) {
    for (let k = -edits; k <= edits; k += 2) {
      const isInsert = k === -edits || (k !== edits && reach[middle + k - 1]! < reach[middle + k + 1]!)
      let x = isInsert ? reach[middle + k + 1]! : reach[middle + k - 1]! + 1
      while (x < n && x - k < m && first[x] === second[x - k]) x++
      reach[middle + k] = x
      if (x >= n && x - k >= m) return edits
    }
  }
  return undefined
}
