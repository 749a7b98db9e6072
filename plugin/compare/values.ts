import type { DType } from '../model/index.ts'
import { BLOCK } from './reading.ts'
import type { ErrorBound } from './rules.ts'
import { comparators, errorsOf, type Suspects } from './scan.ts'
import { standardError, type StandardContext, type StandardError } from './standard.ts'
import type { MismatchTally } from './tally.ts'

/** The mismatches of one tensor under each profile that says where they are. */
export interface Tallies {
  readonly strict: MismatchTally
  /** absent: nobody asks */
  readonly standard?: MismatchTally | undefined
}

/** What the standard profile goes by, made when something is outside the strict bound. */
export type StandardRules = Omit<StandardContext, 'dtype' | 'strict' | 'round'> & {
  /** whole numbers that may be off by one */
  readonly offByOne: number
}

/** Judges the suspects of one tensor whose golden is real numbers, block by block. */
export class ValueComparison {
  /** whether every element so far is golden, correctly rounded */
  exact = true
  readonly #dtype: DType
  readonly #strict: ErrorBound
  readonly #tallies: Tallies
  readonly #rules: () => StandardRules
  readonly #outside = new Uint16Array(BLOCK)
  #standard: { error: StandardError; offByOne: number } | undefined

  constructor(dtype: DType, strict: ErrorBound, tallies: Tallies, rules: () => StandardRules) {
    this.#dtype = dtype
    this.#strict = strict
    this.#tallies = tallies
    this.#rules = rules
  }

  look(suspects: Suspects): void {
    const { verify } = comparators[this.#dtype]!
    if (this.exact) this.exact = this.#isRounded(suspects)
    const errors = errorsOf(suspects, this.#strict)
    const outside = this.#outside
    const count = verify(suspects, errors, outside)
    let missed = 0
    for (let i = 0; i < count; i++) {
      const k = outside[i]!
      if (miss(this.#tallies.strict, suspects, k, errors[k]!)) outside[missed++] = k
    }
    if (missed > 0 && this.#tallies.standard) this.#lookAgain(suspects, errors, missed, this.#tallies.standard)
  }

  // What strict rejects, under the wider bounds of the standard profile. Infinities and NaN are for strict to judge.
  #lookAgain(suspects: Suspects, errors: Float64Array, missed: number, tally: MismatchTally): void {
    const { verify, round } = comparators[this.#dtype]!
    const { golden, actual, places, start } = suspects
    const scale = suspects.whole().scale()
    this.#standard ??= this.#rulesOf()
    for (let i = 0; i < missed; i++) {
      const k = this.#outside[i]!
      if (!Number.isFinite(actual[k]!) || !Number.isFinite(round(golden[k]!))) continue
      errors[k] = Math.max(errors[k]!, this.#standard.error(golden[k]!, scale[places[k]!]!))
    }
    const count = verify(suspects, errors, this.#outside)
    for (let i = 0; i < count; i++) {
      const k = this.#outside[i]!
      const near = this.#dtype === 'int8' && Math.abs(actual[k]! - round(golden[k]!)) <= 1
      if (near && this.#standard.offByOne > 0 && !tally.isUntouched(start + places[k]!)) this.#standard.offByOne--
      else miss(tally, suspects, k, errors[k]!)
    }
  }

  #rulesOf(): { error: StandardError; offByOne: number } {
    const { offByOne, ...rules } = this.#rules()
    const { round } = comparators[this.#dtype]!
    return { error: standardError({ ...rules, dtype: this.#dtype, strict: this.#strict, round }), offByOne }
  }

  #isRounded({ count, actual, golden }: Suspects): boolean {
    const { round } = comparators[this.#dtype]!
    for (let k = 0; k < count; k++) {
      const wanted = round(golden[k]!)
      if (wanted !== actual[k] && !(Number.isNaN(wanted) && Number.isNaN(actual[k]))) return false
    }
    return true
  }
}

const miss = (tally: MismatchTally, { start, places, golden, actual }: Suspects, k: number, error: number): boolean =>
  tally.missFloat(start + places[k]!, golden[k]!, actual[k]!, error)
