import { relative } from 'node:path'

/** What it takes to run one test again. */
export interface Reproduction {
  root: string
  /** absolute path of the spec */
  spec: string
  /** literal text that no other test of a sample has in its title, e.g. `static 3:` */
  title: string
  /** set when the task has several samples */
  sample?: string | undefined
  /** `NPU_SEED=7`, … */
  environment: readonly string[]
}

/** One command line that runs exactly this test again. Vitest reads `-t` as a regular expression over the full name. */
export function commandFor({ root, spec, title, sample, environment }: Reproduction): string {
  const pattern = sample === undefined ? literal(title) : `${literal(sample)} .*${literal(title)}`
  const variables = environment.map((assignment) => quoteAssignment(assignment))
  return [...variables, 'npx vitest run', quote(relative(root, spec)), '-t', `"${escapeDoubleQuoted(pattern)}"`].join(
    ' ',
  )
}

/** The command line, up to its specs, that judges the candidates of a folder. */
export const judging = (folder: string): string => `${quoteAssignment(`NPU_CANDIDATES=${folder}`)} npx vitest run`

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const escapeDoubleQuoted = (text: string): string => text.replace(/[\\"`$]/g, '\\$&')

/** A word as a shell takes it. */
export const quote = (text: string): string =>
  /^[\w./:,=@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

/** `NAME=value` as a shell takes it. */
export function quoteAssignment(assignment: string): string {
  const cut = assignment.indexOf('=') + 1
  return assignment.slice(0, cut) + quote(assignment.slice(cut))
}
