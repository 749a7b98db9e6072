/**
 * The error function and its complement in float64, to about 1e-15 of their value. Near zero erf is summed by the series
 * 2/sqrt(pi) exp(-x^2) (x + 2x^3/3 + 4x^5/15 + …), whose terms are all positive; far out erfc is a continued fraction.
 */
const SERIES_END = 2

/** erf(x). */
export function erf(x: number): number {
  const magnitude = Math.abs(x)
  const value = magnitude < SERIES_END ? series(magnitude) : 1 - fraction(magnitude)
  return x < 0 ? -value : value
}

/** erfc(x) = 1 - erf(x), accurate in the right tail as well; 0 from x = 27.3 on. */
export function erfc(x: number): number {
  if (x < SERIES_END) return x > 0.5 ? complement(x) : 1 - erf(x)
  return fraction(x)
}

// exp(-x^2) with the square's own rounding error made good: at x = 5 it would cost twenty units in the last place.
function gauss(x: number): number {
  const high = Math.fround(x)
  const low = x - high
  return Math.exp(-high * high) * Math.exp(-low * (high + x))
}

function series(x: number): number {
  const square = 2 * x * x
  let term = x
  let sum = x
  for (let n = 3; term > sum * 1e-17; n += 2) {
    term *= square / n
    sum += term
  }
  return 2 * FRAC_1_SQRT_PI * gauss(x) * sum
}

// erfc(x) = exp(-x^2) / sqrt(pi) / (x + (1/2) / (x + 1 / (x + (3/2) / (x + …)))), evaluated from a depth that suffices.
function fraction(x: number): number {
  if (x > 27.3) return 0
  const depth = Math.ceil(8 + 480 / (x * x))
  let value = x
  for (let n = depth; n > 0; n--) value = x + n / 2 / value
  return (FRAC_1_SQRT_PI * gauss(x)) / value
}

// Between 0.5 and 2 the fraction converges too slowly and 1 - erf loses digits: Taylor steps of erfc from 0.5 downwards.
function complement(x: number): number {
  return taylor(anchors[Math.round(x * ANCHORS_PER_UNIT)]!, Math.round(x * ANCHORS_PER_UNIT) / ANCHORS_PER_UNIT, x)
}

const FRAC_1_SQRT_PI = 0.5641895835477563
const ANCHORS_PER_UNIT = 8

// erfc(x) from erfc(at), |x - at| <= 1/16 or 1/8, by its derivatives: those of exp(-x^2) are Hermite polynomials times it.
function taylor(start: number, at: number, x: number): number {
  const step = x - at
  let previous = 0
  let hermite = 1
  let power = step
  let sum = 0
  for (let n = 1; n < 24; n++) {
    sum += power * hermite
    const next = -2 * at * hermite - 2 * (n - 1) * previous
    previous = hermite
    hermite = next
    power *= step / (n + 1)
  }
  return start - 2 * FRAC_1_SQRT_PI * gauss(at) * sum
}

// erfc at multiples of 1/8 up to 2, walked down from the fraction at 2: growing values, so relative errors shrink.
const anchors = walk()

function walk(): Float64Array {
  const last = SERIES_END * ANCHORS_PER_UNIT
  const values = new Float64Array(last + 1)
  values[last] = fraction(SERIES_END)
  for (let i = last - 1; i >= 0; i--) {
    values[i] = taylor(values[i + 1]!, (i + 1) / ANCHORS_PER_UNIT, i / ANCHORS_PER_UNIT)
  }
  return values
}
