import type { Disagreement } from './agreement.ts'

type Difference = Omit<Disagreement, 'reason'>

/** Why the card and we differ, by what is said on both sides. */
type Reason = Partial<Record<Exclude<keyof Difference, 'kind'>, RegExp>> & { kind?: Disagreement['kind']; why: string }

/** The first one that fits counts. */
const reasons: readonly Reason[] = [
  {
    place: /\/ca6k_046(?:19|35)\.txt$/,
    card: /custom\.cpp:(?:57|67)$/,
    why: 'environment: a list as the default of an attribute breaks a file that the tools of the card generate',
  },
  {
    kind: 'rejected on the card, compiled here',
    place: /memory_on\/ascendc\/.*\/run2\//,
    why: 'environment: the tiling data that the card\'s build did not find is declared in the pack',
  },
  {
    kind: 'wrong on the card, clean here',
    place: /matmul_for_lower_triangular_matrices/,
    why: 'scale: a loop of the scalar unit over 4096 x 4096 x 4096 meets the time limit of the card, and 1024 does not',
  },
  {
    kind: 'wrong on the card, clean here',
    card: /exception/,
    why:
      'environment, as far as anybody can tell: the log says only that the call raised an exception, ' +
      'which it also did for code that was right in another run',
  },
  {
    kind: 'another first line',
    place: /agent_ascend_fetch_ascend_search\/one_shot\/run0\/attempt1\/log_softmax/,
    why: 'the pack has its parts twice: Python takes the last ones, the card took the first',
  },
  {
    kind: 'another first line',
    place: /gpt-5\/.*\/gelu/,
    why: 'ours: functions for tiling are declared here without their header',
  },
  {
    kind: 'another first line',
    here: /InferFormatContext/,
    why: 'ours: gert::InferFormatContext is not declared; the card finds the same function wrong two lines later',
  },
  {
    kind: 'another first line',
    here: /invalid preprocessing token/,
    why: 'one macro call of two lines that both compilers reject, each at another end',
  },
  {
    kind: 'another first line',
    place: /agent_dma_alignment_engine\/one_shot\/run1\/attempt5\/max_pooling_3d/,
    why: 'environment: the first lines of the file that the card compiled are not those of the pack',
  },
  {
    kind: 'another first line',
    here: /:\d+: (?:no matching|no viable|no member|use of undeclared|GlobalTensor::|TQue::|Matmul is in)/,
    why: 'the part of the card\'s log that is kept begins later; it gives the same message for other packs',
  },
]

/** Why an answer differs; null: nobody has explained it. */
export function reasonOf({ kind, place, card, here }: Difference): string | null {
  const fits = (one: Reason): boolean =>
    (one.kind ?? kind) === kind &&
    (one.place?.test(place) ?? true) &&
    (one.card?.test(card) ?? true) &&
    (one.here?.test(here) ?? true)
  return reasons.find(fits)?.why ?? null
}
