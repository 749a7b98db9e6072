import 'vitest'

/** Admissible error of one element: |actual - expected| <= absolute + relative * |expected|. */
export interface GoldenBound {
  absolute?: number
  relative?: number
}

// One augmentation for Vitest 4 and 5, whose `Matchers` differ in their type parameters.
declare global {
  namespace Chai {
    interface Assertion {
      /**
       * Compares numbers with golden element by element: same length, NaN and infinities at the same positions, every
       * other element within the bound. Without a bound elements must be equal.
       */
      toMatchGolden(expected: ArrayLike<number>, bound?: GoldenBound): void
    }
  }
}

declare module 'vitest' {
  interface AsymmetricMatchersContaining {
    toMatchGolden(expected: ArrayLike<number>, bound?: GoldenBound): unknown
  }
}

interface MatcherAnswer {
  pass: boolean
  message: () => string
  actual?: unknown
  expected?: unknown
}

/** Elements around the worst one that a diff shows. */
const shown = 8

/** `expect.extend(matchers)` is done by the plugin; this is for configurations without it. */
export const matchers = {
  toMatchGolden(actual: unknown, expected: ArrayLike<number>, bound: GoldenBound = {}): MatcherAnswer {
    if (!isNumbers(actual)) return { pass: false, message: () => 'toMatchGolden compares arrays of numbers' }
    if (actual.length !== expected.length) {
      const message = `${actual.length} elements instead of ${expected.length}`
      return { pass: false, message: () => message }
    }
    const { absolute = 0, relative = 0 } = bound
    let mismatches = 0
    let worst = 0
    let worstError = -1
    for (let i = 0; i < expected.length; i++) {
      const a = actual[i] ?? Number.NaN
      const e = expected[i] ?? Number.NaN
      const error = distance(a, e)
      if (error <= absolute + relative * (Number.isFinite(e) ? Math.abs(e) : 0)) continue
      mismatches++
      if (error > worstError) [worst, worstError] = [i, error]
    }
    if (mismatches === 0) return { pass: true, message: () => 'all elements match golden' }
    const message = `${mismatches} of ${expected.length} elements do not match golden; worst [${worst}]: expected ${expected[worst]}, got ${actual[worst]}`
    return { pass: false, message: () => message, actual: around(actual, worst), expected: around(expected, worst) }
  },
}

/** |a - e|; equal non-finite values are no distance apart, different ones infinitely far. */
function distance(a: number, e: number): number {
  if (a === e || (Number.isNaN(a) && Number.isNaN(e))) return 0
  const d = Math.abs(a - e)
  return Number.isNaN(d) ? Number.POSITIVE_INFINITY : d
}

const isNumbers = (value: unknown): value is ArrayLike<number> =>
  (Array.isArray(value) && value.every((element) => typeof element === 'number')) ||
  (ArrayBuffer.isView(value) &&
    'length' in value &&
    !(value instanceof BigInt64Array || value instanceof BigUint64Array))

const around = (values: ArrayLike<number>, index: number): number[] => {
  const start = Math.max(0, index - shown / 2)
  return Array.from({ length: Math.min(shown, values.length - start) }, (_, k) => values[start + k] ?? Number.NaN)
}
