/** ` (did you mean RmsNorm?)`, or nothing when no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = known
    .map((candidate) => ({ candidate, distance: distanceOf(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, candidate.length / 4))
    .sort((one, other) => one.distance - other.distance)
  return near[0] ? ` (did you mean ${near[0].candidate}?)` : ''
}

// Letters to insert, leave out or replace to make one word of the other.
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (let i = 0; i < one.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j++) {
      next.push(Math.min(row[j]! + (one[i] === other[j] ? 0 : 1), row[j + 1]! + 1, next[j]! + 1))
    }
    row = next
  }
  return row[other.length]!
}
