import type { Disagreement } from './agreement.ts'

/** Why the card and we differ, by kind of disagreement, pack, and what is said here. The first one that fits counts. */
interface Reason {
  kind?: Disagreement['kind']
  place?: RegExp
  here?: RegExp
  why: string
}

const reasons: readonly Reason[] = []

/** Why an answer differs; null: nobody has explained it. */
export const reasonOf = (kind: Disagreement['kind'], place: string, here: string): string | null =>
  reasons.find((one) => (one.kind ?? kind) === kind && (one.place?.test(place) ?? true) && (one.here?.test(here) ?? true))
    ?.why ?? null
