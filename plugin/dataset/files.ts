import { z } from 'zod'

/** One file of a row: its path within the operator project, with `/`. */
export const rowFile = z.strictObject({ path: z.string(), content: z.string() })

export const rowFiles = z.array(rowFile)
