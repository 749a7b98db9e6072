/** Where the card and we differ. */
export const differences = [
  'compiled on the card, rejected here',
  'rejected on the card, compiled here',
  'right on the card, flagged here',
  'wrong on the card, clean here',
  'another first line',
] as const

export interface Disagreement {
  kind: (typeof differences)[number]
  /** branch and path of the pack */
  place: string
  card: string
  here: string
  /** null: not explained */
  reason: string | null
}
