import { z } from 'zod'

const whole = z.int().nonnegative()
const name = z.string().max(1024)

/**
 * What a pipe did between two times: begin, end, how much of that it was busy and how much it waited, how many instructions and waits
 * that were; the instruction and what was waited for (a pipe, "all pipes" or "cores"), by their numbers in `names`: 0 is none, and
 * "several" is a name.
 * Times are picoseconds since the cores started.
 */
const interval = z.tuple([whole, whole, whole, whole, whole, whole, whole])

/** What the pipes of a few cores of one launch did when: those that finish last, by kind, and the first to finish. */
export const timeline = z.object({
  names: z.array(name).max(4096),
  cores: z
    .array(
      z.object({
        /** e.g. `AIV 3` */
        core: name,
        /** when it had ended, in picoseconds */
        end: whole,
        pipes: z
          .array(z.object({ pipe: z.string().regex(/^\w{1,32}$/), intervals: z.array(interval).max(1024) }))
          .max(16),
      }),
    )
    .max(8),
})

export type Timeline = z.infer<typeof timeline>
