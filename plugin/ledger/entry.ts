import { z } from 'zod'
import { latency, verdict } from '../model/index.ts'

/** What a line of the ledger is about: the build of a sample, one case, the generated cases together, or a latency. */
export const stages = ['compile', 'static', 'generated', 'latency'] as const

export type Stage = (typeof stages)[number]

/** One judged question: a line of the ledger. */
export const ledgerEntry = z.object({
  task: z.string(),
  level: z.int(),
  category: z.string(),
  /** null when the task has no candidate */
  sample: z.string().nullable(),
  stage: z.enum(stages),
  /** the test that asked: `compiles`, `static 0: …`, `holds for generated shapes`, `latency` */
  case: z.string(),
  verdict,
  /** the public benchmark's answer for the same outputs; absent when nothing was compared */
  benchmark: z.enum(['accepted', 'rejected']).optional(),
  latency: latency.optional(),
  /** latency of the baseline operator on the same case */
  baseline: latency.optional(),
  /** mean baseline latency / mean candidate latency; absent when one of them is unknown */
  speedup: z.number().positive().optional(),
  /** how many cases a `generated` entry stands for */
  runs: z.int().optional(),
  /** how many of the cases behind this entry were judged by an earlier run, and not again by this one */
  remembered: z.int().positive().optional(),
  /** seed of the run that judged; all inputs follow from it */
  seed: z.int(),
  target: z.string(),
  soc: z.string(),
  artifact: z.string().optional(),
})

export type LedgerEntry = z.infer<typeof ledgerEntry>
