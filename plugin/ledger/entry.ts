import { z } from 'zod'
import {
  accuracy,
  answers,
  confinement,
  diagnostic,
  hotPlace,
  latency,
  latencyShares,
  profiles,
  report,
  timeElsewhere,
  vendorReference,
  verdict,
} from '../model/index.ts'

/** What a line of the ledger is about: the build of a sample, one case, the generated cases together, or a latency. */
export const stages = ['compile', 'static', 'generated', 'latency'] as const

export type Stage = (typeof stages)[number]

/** The version of the lines that this package writes. It reads those of version 2 as well, which have no model. */
export const ledgerVersion = 3

const share = z.number().min(0).max(1)

/** How much of an argument was read and written, each byte once, all tensors of a list together. */
const coverageShare = z.object({ slot: z.string(), read: share, written: share })

export type CoverageShare = z.infer<typeof coverageShare>

/** First and last lines; lines between that have no code count for nothing. */
const lineRanges = z.array(z.object({ file: z.string(), lines: z.array(z.tuple([z.int(), z.int()])) }))

const blocksOf = (code: string) => ({
  blocks: z
    .int()
    .nonnegative()
    .describe(`basic blocks of ${code}, those of all dtypes and instances of a template once`),
  reached: z.int().nonnegative().describe('those that a case has reached'),
  missed: lineRanges.describe('first and last lines of code of which no block was reached, by file of the candidate'),
  partial: lineRanges.describe('lines of which some blocks were reached and others were not: branches'),
})

/** Which code of a candidate its cases have reached. */
const codeCoverage = z.object({
  ...blocksOf('the kernels'),
  tilingKeys: z
    .array(z.string())
    .describe(
      'tiling keys that the code asks for by TILING_KEY_IS, or is selected for by ASCENDC_TPL_SEL, and that no case was ' +
        'launched with: decimal, the latter with their fields',
    ),
  host: z
    .object(blocksOf('the host part'))
    .optional()
    .describe('the same of tiling, inference and registration; absent where the target does not see them'),
})

export type CodeCoverage = z.infer<typeof codeCoverage>

/** Of an hour and a nanosecond, and then some: means and sums of speedups are numbers. */
const maxSpeedup = 1e15

/** One judged question: a line of the ledger. */
export const ledgerEntry = z.object({
  v: z.literal(ledgerVersion).describe('version of this line; other versions have other fields'),
  suite: z.string().describe('the suite of the task, e.g. npukernelbench; names of tasks are unique within it'),
  group: z.string().nullable().describe('the group of the suite that the task is in, e.g. level1; null: in none'),
  task: z.string(),
  category: z.string(),
  model: z
    .string()
    .nullable()
    .describe('who has written the candidate, as the option model of the run says; null: nobody has said'),
  sample: z.string().nullable().describe('name of the candidate; null when the task has none'),
  stage: z.enum(stages),
  case: z.string().describe('the test that asked: "compiles", "static 0: …", "holds for generated shapes", "latency"'),
  verdict: verdict.describe('how far the candidate got, and what stopped it'),
  profile: z.enum(profiles).describe('the tolerance profile that decided'),
  answers: answers
    .optional()
    .describe('what each tolerance profile says of the values of the outputs; absent when nothing was compared'),
  accuracy: accuracy
    .optional()
    .describe(
      'how near the outputs are to golden: correctly rounded everywhere, accepted by strict, or by standard alone; absent ' +
        'when standard rejects them, and when nothing was compared',
    ),
  latency: latency.optional().describe('device time of one launch, in nanoseconds'),
  baseline: latency.optional().describe('that of the baseline operator on the same case, in nanoseconds'),
  vendor: vendorReference
    .optional()
    .describe(
      "that of the vendor's own operator on the same case, as a device has measured it before; absent where no such figure is kept",
    ),
  floorNs: z
    .number()
    .positive()
    .optional()
    .describe(
      'the hardware bound of that case: what no right kernel undercuts, in nanoseconds of the clock of latency; absent for a device without figures',
    ),
  speedup: z
    .number()
    .positive()
    .max(maxSpeedup)
    .optional()
    .describe('mean baseline latency / mean candidate latency; absent when one of them is unknown'),
  speedupBand: z
    .number()
    .nonnegative()
    .max(maxSpeedup)
    .optional()
    .describe(
      'how far the speedup may be off, up and down, from the error bands of both emulated latencies; 0 where the sample is the ' +
        'baseline; absent where no band is known',
    ),
  coverage: z
    .array(coverageShare)
    .optional()
    .describe(
      'what instructions have touched of each tensor that has bytes; an output that overwrites an input has its name',
    ),
  code: codeCoverage
    .optional()
    .describe(
      'on the latency of a sample: which of its code the cases of this run have reached, as its own processes tell; no ' +
        'verdict follows from it',
    ),
  reports: z
    .array(report)
    .optional()
    .describe('everything that the device found, the report of the verdict among it; absent where it found nothing'),
  compilerWarnings: z
    .array(diagnostic)
    .optional()
    .describe('on the build of a sample: what the compilers warn of, the first 100; absent where there is nothing'),
  confinement: confinement
    .optional()
    .describe('the layers that confined the candidate; absent where the target tells none'),
  pipes: z
    .record(z.string(), z.number().nonnegative())
    .optional()
    .describe(
      'on a latency that is emulated: how long each pipe was busy on the core that finishes last, in nanoseconds',
    ),
  shares: latencyShares.optional().describe('on a latency that is emulated: what it is made of'),
  hottest: z
    .array(hotPlace)
    .optional()
    .describe(
      'on a latency that is emulated, with the option `timeline`: where the core that finishes last spends its time, the longest first',
    ),
  elsewhere: z
    .array(timeElsewhere)
    .optional()
    .describe(
      'on a latency that is emulated, with the option `timeline`: what the same instructions, on as many blocks, take on the other devices',
    ),
  timeline: z
    .string()
    .optional()
    .describe('on a latency: names the file of the run that tells what the pipes of a few cores did when'),
  failing: z
    .string()
    .optional()
    .describe('on generated cases that do not hold: the smallest case that fails, its shapes, dtypes and attributes'),
  runs: z.int().optional().describe('how many cases a generated entry stands for'),
  cutShort: z
    .literal(true)
    .optional()
    .describe(
      'on generated cases that hold: the time budget has ended before as many were judged as were asked for, on a busy machine for instance',
    ),
  remembered: z
    .int()
    .positive()
    .optional()
    .describe('how many of the cases behind this entry were judged by an earlier run, and not again by this one'),
  seed: z.int().describe('seed of the run that judged; all inputs follow from it'),
  target: z.string().describe('where the candidate ran'),
  soc: z.string().describe('device profile, e.g. Ascend910B2'),
  artifact: z.string().optional().describe('names what was built of the candidate, by its content'),
  sources: z
    .string()
    .optional()
    .describe(
      'hash of what the candidate has written: names and contents of the files of its kernel and host part, and of sources beside these',
    ),
  time: z.iso.datetime().optional().describe('when this entry began to be judged, UTC'),
  ms: z.number().nonnegative().optional().describe('how long that took, in milliseconds of wall-clock time'),
})

/** One judged question. Times are nanoseconds, speedup is a ratio; the JSON schema has a line for each field. */
export type LedgerEntry = z.infer<typeof ledgerEntry>
