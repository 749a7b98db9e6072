/** A line of a difference: in both, in the first alone, or in the second alone. */
export interface DiffLine {
  kind: 'both' | 'first' | 'second'
  text: string
}

/** Edits beyond which two texts are shown as wholly different. */
const mostEdits = 800

const same = (text: string): DiffLine => ({ kind: 'both', text })

/** A shortest list of edits from one list of lines to another (Myers 1986, "An O(ND) Difference Algorithm"). */
export function diffLines(first: readonly string[], second: readonly string[]): DiffLine[] {
  let start = 0
  while (start < first.length && start < second.length && first[start] === second[start]) start++
  let end = 0
  const longest = Math.min(first.length, second.length) - start
  while (end < longest && first[first.length - 1 - end] === second[second.length - 1 - end]) end++
  return [
    ...first.slice(0, start).map(same),
    ...middle(first.slice(start, first.length - end), second.slice(start, second.length - end)),
    ...first.slice(first.length - end).map(same),
  ]
}

function middle(first: readonly string[], second: readonly string[]): DiffLine[] {
  const [n, m] = [first.length, second.length]
  // furthest place in the first text by diagonal, before each number of edits
  const rounds: Map<number, number>[] = []
  let reach = new Map<number, number>([[1, 0]])
  for (let edits = 0; edits <= Math.min(n + m, mostEdits); edits++) {
    rounds.push(new Map(reach))
    const next = new Map(reach)
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0))
      let x = down ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1
      while (x < n && x - k < m && first[x] === second[x - k]) x++
      next.set(k, x)
      if (x >= n && x - k >= m) return traced(first, second, rounds)
    }
    reach = next
  }
  return [
    ...first.map((text): DiffLine => ({ kind: 'first', text })),
    ...second.map((text): DiffLine => ({ kind: 'second', text })),
  ]
}

/** Goes the way of the edits back. */
function traced(
  first: readonly string[],
  second: readonly string[],
  rounds: readonly Map<number, number>[],
): DiffLine[] {
  const lines: DiffLine[] = []
  let [x, y] = [first.length, second.length]
  for (let edits = rounds.length - 1; edits >= 0; edits--) {
    const reach = rounds[edits] ?? new Map<number, number>()
    const k = x - y
    const down = k === -edits || (k !== edits && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0))
    const before = down ? k + 1 : k - 1
    const fromX = edits === 0 ? 0 : (reach.get(before) ?? 0)
    const fromY = edits === 0 ? 0 : fromX - before
    while (x > fromX && y > fromY) {
      x--
      y--
      lines.push({ kind: 'both', text: first[x] ?? '' })
    }
    if (edits === 0) break
    if (down) lines.push({ kind: 'second', text: second[--y] ?? '' })
    else lines.push({ kind: 'first', text: first[--x] ?? '' })
  }
  return lines.reverse()
}

/** A part of a difference, with the lines of either text that it begins at. */
export interface Hunk {
  first: number
  second: number
  lines: DiffLine[]
}

/** The parts of a difference that show something else, with lines around them, as a unified difference has them. */
export function hunksOf(lines: readonly DiffLine[], around = 3): Hunk[] {
  const hunks: Hunk[] = []
  let open: { hunk: Hunk; last: number } | undefined
  let [first, second] = [1, 1]
  for (const [index, line] of lines.entries()) {
    const near = lines.slice(Math.max(0, index - around), index + around + 1).some(({ kind }) => kind !== 'both')
    if (near) {
      if (!open || open.last !== index - 1) {
        open = { hunk: { first, second, lines: [] }, last: index }
        hunks.push(open.hunk)
      }
      open.hunk.lines.push(line)
      open.last = index
    }
    if (line.kind !== 'second') first++
    if (line.kind !== 'first') second++
  }
  return hunks
}
