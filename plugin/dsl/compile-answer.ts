import { z } from 'zod'

/** What the process that compiles programs is asked. */
export interface CompileRequest {
  /** name of the program, for messages */
  file: string
  text: string
}

const problem = z.object({
  span: z.object({ start: z.number(), end: z.number() }),
  message: z.string(),
  hint: z.string().optional(),
})

const refusedProgram = z.object({ ok: z.literal(false), problems: z.array(problem).readonly(), message: z.string() })
export type RefusedProgram = z.infer<typeof refusedProgram>

const compiledProgram = z.object({
  ok: z.literal(true),
  files: z.array(z.object({ path: z.string(), content: z.string() })).readonly(),
  /** lines of the program by those of the kernel, both from 1 */
  lines: z.array(z.tuple([z.int(), z.int()])),
})

/** What it answers: the files of a project, or what is wrong with the program. */
export const compileAnswer = z.discriminatedUnion('ok', [compiledProgram, refusedProgram])
export type CompileAnswer = z.infer<typeof compileAnswer>

/** What it says first. */
export const compileGreeting = z.object({ ready: z.literal(true) })

/** A program that is refused as a whole. */
export function refusal(message: string, hint?: string): RefusedProgram {
  const span = { start: 0, end: 1 }
  return hint === undefined
    ? { ok: false, problems: [{ span, message }], message }
    : { ok: false, problems: [{ span, message, hint }], message: `${message}: ${hint}` }
}
