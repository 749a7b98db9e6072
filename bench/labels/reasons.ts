import type { Disagreement } from './disagreement.ts'

type Difference = Omit<Disagreement, 'reason'>

/** Why the card and we differ, by what is said on both sides. */
interface Reason extends Partial<Record<Exclude<keyof Difference, 'kind'>, RegExp>> {
  kind?: Disagreement['kind']
  /** the line named here comes before that of the card */
  earlier?: true
  why: string
}

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
    why: "environment: the tiling data that the card's build did not find is declared in the pack",
  },
  {
    kind: 'wrong on the card, clean here',
    place: /matmul_for_lower_triangular_matrices/,
    why: 'scale, as it seems: a loop of the scalar unit over 4096 x 4096 x 4096, which takes the card minutes; 1024 here',
  },
  {
    kind: 'wrong on the card, clean here',
    place: /agent_ascend_fetch_ascend_search\/one_shot\/run1\/attempt2\/relu|lx_br.*run0\/attempt2\/gelu/,
    why:
      'environment: the log says only that the call raised an exception; the same kernel, beside a limit that is never ' +
      'reached or an attribute that is never read, was right in another run',
  },
  {
    kind: 'wrong on the card, clean here',
    card: /exception/,
    why:
      'environment, as far as anybody can tell: the log says only that the call raised an exception, ' +
      'which it also did for code that was right in another run',
  },
  {
    kind: 'right on the card, flagged here',
    here: /GmRace in SetValue/,
    why:
      'neighbouring cores store to one cache line by SetValue, which the documents of the vendor call a random overwriting: ' +
      'the card was asked once, and was right that time',
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
    why: 'one mistake twice: the macro is rejected here at its first use, and by the compiler of the card at its second',
  },
  {
    kind: 'another first line',
    place: /agent_dma_alignment_engine\/one_shot\/run1\/attempt5\/max_pooling_3d/,
    why: 'environment: the first lines of the file that the card compiled are not those of the pack',
  },
  {
    place: /run3\/attempt7\/ca6k_00378\.txt$|agent_dma_alignment_engine\/one_shot\/run0\/attempt1\/gelu\.txt$/,
    why: 'the use of the language is looked at here once everything else compiles, and the lambda without __aicore__ comes after',
  },
  {
    kind: 'another first line',
    earlier: true,
    here: /'(?:ReduceMax|DataCopyPad|DataCopy|FLT_MAX|INFINITY)'/,
    why: 'the log names later lines alone, and gives the same message for this call or name in other packs',
  },
  {
    kind: 'another first line',
    earlier: true,
    why: 'the log names later lines alone: whether the card takes this one is not known',
  },
]

/** The number in `file:line: message`. */
const lineOf = (text: string): number => Number(/^[^:]+:(\d+)/.exec(text)?.[1])

/** Why an answer differs; null: nobody has explained it. */
export function reasonOf({ kind, place, card, here }: Difference): string | null {
  const fits = (one: Reason): boolean =>
    (one.kind ?? kind) === kind &&
    (one.place?.test(place) ?? true) &&
    (one.card?.test(card) ?? true) &&
    (one.here?.test(here) ?? true) &&
    (one.earlier === undefined || lineOf(here) < lineOf(card))
  return reasons.find(fits)?.why ?? null
}
