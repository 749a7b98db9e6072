import { z } from 'zod'

const word = z.string().regex(/^[a-z][a-z0-9-]*$/)

/** The columns of the closing table. */
export const columns = [
  'group',
  'tasks',
  'samples',
  'compile',
  'execute',
  'correct',
  'exact',
  'accurate',
  'within tolerance',
  'standard',
  'strict',
  'benchmark',
  'speedup',
] as const

const layout = z
  .string()
  .regex(/^(?:[^/]+\/)*<task>(?:\/[^/]+)*$/)
  .refine((path) => !path.includes('..'))

/**
 * A set of tasks that are judged and counted together, as data. The description of a field is what an error message
 * allows.
 */
export const suite = z.strictObject({
  /** Names the suite in the ledger, on the command line and in folders of candidates. */
  name: word.describe('lower-case letters, digits and hyphens'),
  /** What people call it. */
  title: z.string().min(1).describe('a text'),
  /**
   * Folder of the specs, which lie in `<folder>/<group>/…`; relative to the root of the Vitest project. Left out: the
   * folder of the option `tasks`.
   */
  folder: z.string().min(1).optional().describe('a folder'),
  /**
   * Its groups, in the order of the closing table; each is a Vitest project. None: all specs of the folder are one
   * project.
   */
  groups: z.array(word).readonly().default([]).describe('a list of words of lower-case letters, digits and hyphens'),
  /**
   * Where candidates lie, beside the own layout: paths below a folder of candidates that lead to the folder with
   * op_kernel, of literal parts and `<group>`, `<category>`, `<task>`, `<sample>`, `<case>` (the candidate is judged on
   * this static case only).
   */
  layouts: z.array(layout).readonly().default([]).describe('a list of paths, e.g. "<group>/<task>/answers/<sample>"'),
  /** Folder of a checkout of the suite that holds the groups: a checkout can then be a folder of candidates. */
  checkout: z.string().min(1).optional().describe('the name of a folder'),
  /**
   * Folder of the operators that speedup is measured against, and whose host parts serve kernel-only candidates. The
   * option `baseline` comes before it.
   */
  baseline: z.string().min(1).optional().describe('a folder'),
  /** What columns of the closing table are called in this suite, where it has words of its own. */
  columns: z
    .partialRecord(z.enum(columns), z.string().min(1))
    .default({})
    .describe(`names for ${columns.join(', ')}`),
})

/** A suite as its author writes it. */
export type Suite = z.input<typeof suite>

/** A suite of a run: nothing left out, folders absolute. */
export interface ResolvedSuite extends Omit<z.output<typeof suite>, 'folder' | 'baseline'> {
  folder: string
  /** null: nothing to measure speedup against */
  baseline: string | null
}
