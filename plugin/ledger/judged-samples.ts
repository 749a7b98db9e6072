import { z } from 'zod'
import type { LedgerEntry } from './entry.ts'

/** Beside the ledger of a run: a line for each sample that was judged to its end. */
export const samplesName = 'samples.jsonl'

const name = z.object({ model: z.string().nullable(), suite: z.string(), task: z.string(), sample: z.string() })

/** Which sample is meant; null: nobody has said whose model it is. */
export type JudgedName = z.infer<typeof name>

/** What the verdicts on a sample follow from; where all of it is the same, they hold. */
const basis = z.object({
  /** what was built; absent where the build failed */
  artifact: z.string().optional(),
  /** hash of what the candidate has written */
  sources: z.string().optional(),
  /** names the spec and all it imports, the plugin, the configuration, the conditions of the run and what latencies are compared with */
  digest: z.string(),
})

export type Basis = z.infer<typeof basis>

/** A sample of which every test has come to its end. */
export const judgedSample = name.extend({
  /** when its first test began: older lines of the ledger are of an attempt that does not count */
  since: z.iso.datetime(),
  /** lines that the ledger has of it: where it has less, the machine has lost some */
  entries: z.int().optional(),
  /** absent: what was judged before does not hold any more */
  basis: basis.optional(),
})

export type JudgedSample = z.infer<typeof judgedSample>

/** Tells samples of one run apart. */
export const sampleKey = ({
  model,
  suite,
  task,
  sample,
}: Omit<JudgedName, 'sample'> & { sample: string | null }): string => JSON.stringify([model, suite, task, sample])

/** Is this line what the sample's judgement says, and not of an attempt before it? */
export const isOf = ({ since }: JudgedSample, { time }: Pick<LedgerEntry, 'time'>): boolean =>
  time !== undefined && time >= since
