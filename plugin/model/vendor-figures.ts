import { z } from 'zod'
import { latency } from './verdict.ts'

/** The time of a vendor's operator on one case: a clock's, never a model's. */
const measured = latency
  .extend({ source: z.literal('measured') })
  .refine(
    ({ mean, min, max, samples }) => min > 0 && min <= mean && mean <= max && samples > 0,
    'mean has to lie between min and max, above 0',
  )

const vendorTime = z.strictObject({
  suite: z.string().min(1),
  task: z.string().min(1),
  /** name of the static case, and a hash of its shapes, dtypes and attributes */
  case: z.string().min(1),
  content: z.string().min(1),
  /** the calls that were timed together, in their order */
  calls: z.array(z.string().regex(/^aclnn\w+$/)).min(1),
  latency: measured,
  /** by how much times have changed from the first third of the series to the last */
  driftPercent: z.number().nonnegative(),
})

const mhz = z.int().positive().nullable()

/** What `baseline record` has measured on a device: times of the vendor's operators, and under what they hold. */
export const vendorFigures = z
  .strictObject({
    v: z.literal(1),
    soc: z.string().regex(/^Ascend\w+$/),
    cann: z.string().min(1),
    driver: z.string().min(1).nullable(),
    /** of the cores: rated, and when the record was made */
    clockMHz: z.strictObject({ rated: mhz, now: mhz }),
    date: z.iso.datetime(),
    operators: z.array(vendorTime),
    /** tasks without a figure, and why */
    absent: z.array(z.strictObject({ task: z.string().min(1), why: z.string().min(1) })),
  })
  .refine(
    ({ operators }) =>
      new Set(operators.map(({ suite, task, case: name }) => `${suite}/${task}/${name}`)).size === operators.length,
    { path: ['operators'], message: 'a case is there twice' },
  )

export type VendorFigures = z.infer<typeof vendorFigures>
export type VendorTime = z.infer<typeof vendorTime>

/** The figure that a latency is shown with: of the vendor's operator on the same case, on hardware. */
export const vendorReference = z.object({
  calls: z.array(z.string()),
  latency: latency,
  cann: z.string(),
  date: z.iso.datetime(),
})

export type VendorReference = z.infer<typeof vendorReference>
