/**
 * Standard normal values by table: the quantiles of |X| at 4096 equal steps of probability, linear in between; the last
 * step has a table of its own, so tails reach 5.4 sigma. The tables are built with + - * / only, never with Math.exp or
 * Math.log, whose last bit differs between engines: the values are the same on every machine.
 */
const CELLS = 4096
let tables: { body: Float64Array; tail: Float64Array } | undefined

/** No value is farther from the mean, in standard deviations. */
export const normalLimit = 5.5

/** Turns 32 random bits per element into normal values: one sign bit, 12 bits of cell, 19 bits inside it. */
export function normalFromWords(words: Uint32Array, values: Float64Array, mean: number, deviation: number): void {
  tables ??= buildTables()
  const { body, tail } = tables
  for (let i = 0; i < values.length; i++) {
    const word = words[i]!
    const cell = (word >>> 19) & 0xfff
    let magnitude: number
    if (cell < CELLS - 1) {
      const low = body[cell]!
      magnitude = low + (body[cell + 1]! - low) * ((word & 0x7ffff) / 0x80000)
    } else {
      const step = (word >>> 7) & 0xfff
      const low = tail[step]!
      magnitude = low + (tail[step + 1]! - low) * ((word & 0x7f) / 0x80)
    }
    // no branch: the sign is as random as a bit can be
    values[i] = mean + deviation * (1 - 2 * (word >>> 31)) * magnitude
  }
}

function buildTables(): { body: Float64Array; tail: Float64Array } {
  const body = new Float64Array(CELLS)
  for (let i = 1; i < CELLS; i++) body[i] = quantile(i / CELLS, body[i - 1]!)
  const tail = new Float64Array(CELLS + 1)
  tail[0] = body[CELLS - 1]!
  // The distribution never ends; the table does, half a step before probability 1.
  for (let i = 1; i <= CELLS; i++) {
    const step = i < CELLS ? i : CELLS - 0.5
    tail[i] = quantile((CELLS - 1 + step / CELLS) / CELLS, tail[i - 1]!)
  }
  return { body, tail }
}

// Solves P(|X| < x) = p by Newton from a point at or left of the solution; the function is concave, so it never overshoots.
function quantile(p: number, from: number): number {
  let x = from
  for (let i = 0; i < 60; i++) {
    const density = 2 * 0.3989422804014327 * exponentialOfMinus((x * x) / 2)
    const step = (p - density * oddSeries(x)) / density
    x += step
    if (Math.abs(step) < 1e-13) break
  }
  return x
}

// x + x^3/3 + x^5/15 + …: P(|X| < x) divided by the density. Every term is positive, so nothing cancels.
function oddSeries(x: number): number {
  let term = x
  let sum = x
  for (let n = 3; term > sum * 1e-17; n += 2) {
    term = (term * x * x) / n
    sum += term
  }
  return sum
}

function exponentialOfMinus(t: number): number {
  const reduced = t / 64
  let term = 1
  let sum = 1
  for (let n = 1; n < 20; n++) {
    term = (term * reduced) / n
    sum += term
  }
  for (let i = 0; i < 6; i++) sum *= sum
  return 1 / sum
}
