import { z } from 'zod'
import { diagnostic } from '../model/index.ts'
import { inVendorWords, parseDiagnostics } from './diagnostics.ts'
import type { SourceTree } from './sources.ts'

const buildFailure = z.object({
  stage: z.enum(['host', 'kernel', 'link']),
  diagnostics: z.array(diagnostic),
  log: z.string(),
})

/** A build that failed because of what the candidate wrote. */
export type BuildFailure = z.infer<typeof buildFailure>

/** Thrown by a build step; `lasting` failures are the same on every machine and may be remembered. */
export class BuildError extends Error {
  override readonly name = 'BuildError'
  readonly failure: BuildFailure
  readonly lasting: boolean

  constructor(failure: BuildFailure, lasting = true) {
    super(failure.diagnostics[0]?.message ?? failure.log)
    this.failure = failure
    this.lasting = lasting
  }
}

/** A failure of one sentence, with a place in the sources when there is one. */
export function simpleFailure(stage: BuildFailure['stage'], message: string, file?: string): BuildFailure {
  return { stage, diagnostics: [{ severity: 'error', message, ...(file === undefined ? {} : { file }) }], log: message }
}

/** The failure that a tool's output tells; `summary` is the message when no line of it could be read. */
export function failureFromLog(stage: BuildFailure['stage'], log: string, summary: string): BuildFailure {
  const text = inVendorWords(log.trim())
  const diagnostics = parseDiagnostics(text)
  if (diagnostics.some(({ severity }) => severity === 'error')) return { stage, diagnostics, log: text }
  const last = text.split('\n').findLast((line) => line.trim() !== '')
  const message = last === undefined ? summary : `${summary}: ${last.trim()}`
  return { stage, diagnostics: [{ severity: 'error', message }, ...diagnostics], log: text === '' ? summary : text }
}

const asJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** A failure as text in which the folders of the candidate are marks, so that a remembered failure fits another copy of it. */
export const withoutRoots = (failure: BuildFailure, trees: readonly SourceTree[]): string =>
  trees.reduce((text, { root, mark }) => text.replaceAll(asJson(root), mark), JSON.stringify(failure))

export const withRoots = (text: string, trees: readonly SourceTree[]): BuildFailure =>
  buildFailure.parse(JSON.parse(trees.reduce((all, { root, mark }) => all.replaceAll(mark, asJson(root)), text)))
