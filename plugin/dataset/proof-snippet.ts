import { z } from 'zod'

/** What rows about documents are checked by. */
export const snippetProof = z.strictObject({
  /** words of the longest passage that the answer has from the document word by word */
  quotes: z.int().nonnegative(),
  /** code of the answer that compiles, each in a skeleton of that kind */
  code: z.array(z.strictObject({ skeleton: z.string(), text: z.string() })),
  /** names of the API that the answer says */
  names: z.array(z.string()),
})

export type SnippetProof = z.infer<typeof snippetProof>
