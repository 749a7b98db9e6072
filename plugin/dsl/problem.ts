/** A stretch of a source text, in UTF-16 units from its beginning. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** One thing that keeps a program from being compiled. */
export interface Problem {
  readonly span: Span
  /** what is wrong */
  readonly message: string
  /** what is legal, or what to do */
  readonly hint?: string | undefined
  /** a table or list that belongs to it, as lines */
  readonly details?: string | undefined
}

/** Thrown where reading cannot go on; caught by `compileDsl` alone. */
export class DslProblem extends Error {
  override name = 'DslProblem'
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** Ends the reading of a program at a place. */
export function fail(span: Span, message: string, hint?: string, details?: string): never {
  throw new DslProblem({ span, message, hint, details })
}

/** Line and column of a position, both from 1. */
export function placeOf(text: string, position: number): { line: number; column: number } {
  const before = text.slice(0, position)
  return { line: before.split('\n').length, column: position - before.lastIndexOf('\n') }
}

/** Where the lines of the latest text begin: every statement asks for its line. */
let latest: { text: string; starts: readonly number[] } | undefined

/** The line of a position, from 1. */
export function lineOf(text: string, position: number): number {
  if (latest?.text !== text) latest = { text, starts: [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)] }
  const { starts } = latest
  let [line, behind] = [0, starts.length]
  while (line + 1 < behind) {
    const middle = (line + behind) >> 1
    if (starts[middle]! <= position) line = middle
    else behind = middle
  }
  return line + 1
}

/**
 * A problem as compilers print it: file, line and column, the line itself, and carets below what is meant.
 *
 *     softmax.npu.ts:14:9: error: no primitive is called `sqr`
 *        14 |         sqr(f, f, n)
 *           |         ^^^
 *           = did you mean sqrt?
 */
export function printProblem(file: string, text: string, { span, message, hint, details }: Problem): string {
  const { line, column } = placeOf(text, span.start)
  const written = text.split('\n')[line - 1] ?? ''
  const length = Math.max(1, Math.min(span.end - span.start, written.length - column + 1))
  const gutter = ' '.repeat(6)
  const lines = [
    `${file}:${line}:${column}: error: ${message}`,
    `${String(line).padStart(5)} | ${written}`,
    `${gutter}| ${' '.repeat(column - 1)}${'^'.repeat(length)}`,
    ...(hint === undefined ? [] : [`${gutter}= ${hint}`]),
    ...(details === undefined ? [] : details.split('\n').map((each) => `${gutter}  ${each}`.trimEnd())),
  ]
  return lines.join('\n')
}

/** `; did you mean sqrt?`, or the list of what there is. */
export function nearest(name: string, known: readonly string[]): string {
  const limit = Math.max(1, Math.floor(name.length / 3))
  const ranked = known
    // a distance is at least that of the lengths, and takes a time that grows with them
    .filter((each) => Math.abs(each.length - name.length) <= limit)
    .map((each) => ({ each, far: distance(name.toLowerCase(), each.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
  const best = ranked[0]
  if (best && best.far <= limit) return `did you mean ${best.each}?`
  return `there are ${known.join(', ')}`
}

/** How many letters have to be changed, added or taken away. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
