/**
 * The error function and its complement in float64, to about 1e-15 of their value: Taylor polynomials around a table of
 * anchors. At the anchors, near zero, erf is summed by the series 2/sqrt(pi) exp(-x^2) (x + 2x^3/3 + 4x^5/15 + …), whose
 * terms are all positive; far out erfc is a continued fraction.
 */
const SERIES_END = 2
/** Polynomials from here to the last anchor; the fraction takes over. */
const TABLE_END = 8
const POLYNOMIALS_PER_UNIT = 32
const DEGREE = 12
/** Numbers for each anchor: erf, erfc, then the coefficients of erf, linear first. */
const ROW = DEGREE + 2

/** erf(x). */
export function erf(x: number): number {
  const magnitude = Math.abs(x)
  const value = magnitude < TABLE_END ? nearAnchor(magnitude, 0) : magnitude >= TABLE_END ? 1 : NaN
  return x < 0 ? -value : value
}

/** erfc(x) = 1 - erf(x), accurate in the right tail as well; 0 from x = 27.3 on. */
export function erfc(x: number): number {
  if (x < 0) return 1 + erf(-x)
  return x < TABLE_END ? nearAnchor(x, 1) : fraction(x)
}

let polynomials: Float64Array | undefined

// erf (column 0) or erfc (column 1) of 0 <= x < TABLE_END; their derivatives differ in the sign alone.
function nearAnchor(x: number, column: 0 | 1): number {
  const table = (polynomials ??= buildPolynomials())
  const anchor = Math.round(x * POLYNOMIALS_PER_UNIT)
  const step = x - anchor / POLYNOMIALS_PER_UNIT
  const row = anchor * ROW
  // Odd and even powers apart: two chains of multiplications that do not wait for each other.
  const square = step * step
  let odd = table[row + ROW - 2]!
  let even = table[row + ROW - 1]!
  for (let n = ROW - 4; n > 1; n -= 2) {
    odd = odd * square + table[row + n]!
    even = even * square + table[row + n + 1]!
  }
  return table[row + column]! + (1 - 2 * column) * step * (odd + even * step)
}

function buildPolynomials(): Float64Array {
  const table = new Float64Array((TABLE_END * POLYNOMIALS_PER_UNIT + 1) * ROW)
  for (let anchor = 0; anchor * ROW < table.length; anchor++) {
    const at = anchor / POLYNOMIALS_PER_UNIT
    const row = anchor * ROW
    table[row] = at < SERIES_END ? series(at) : 1 - fraction(at)
    table[row + 1] = at >= SERIES_END ? fraction(at) : at > 0.5 ? complement(at) : 1 - series(at)
    const slope = 2 * FRAC_1_SQRT_PI * gauss(at)
    let [previous, hermite, factorial] = [0, 1, 1]
    for (let n = 1; n <= DEGREE; n++) {
      factorial *= n
      table[row + 1 + n] = (slope * hermite) / factorial
      const next = -2 * at * hermite - 2 * (n - 1) * previous
      previous = hermite
      hermite = next
    }
  }
  return table
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
