import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { diagnostic, errorClass, type Diagnostic } from '../model/index.ts'
import { inVendorTerms, parseDiagnostics } from './diagnostics.ts'
import { classOf } from './error-class.ts'
import { withRejectedCalls } from './rejected-calls.ts'
import type { SourceTree } from './sources.ts'
import { withExplanations } from './unknown-names.ts'

const buildFailure = z.object({
  stage: z.enum(['host', 'kernel', 'link']),
  class: errorClass,
  diagnostics: z.array(diagnostic),
  log: z.string(),
})

/** A build that failed because of what the candidate wrote. */
export type BuildFailure = z.infer<typeof buildFailure>

/** Thrown by a build step; `lasting` failures are the same on every machine and may be cached. */
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

/** May this failure be kept in the place of a result? */
export const isLasting = (error: unknown): error is BuildError => error instanceof BuildError && error.lasting

/** A failure of one sentence, with a place in the sources when there is one. */
export function simpleFailure(stage: BuildFailure['stage'], message: string, file?: string): BuildFailure {
  const diagnostics: Diagnostic[] = [{ severity: 'error', message, ...(file === undefined ? {} : { file }) }]
  return { stage, class: classOf(stage, diagnostics), diagnostics, log: message }
}

/** The failure that a tool's output describes; `summary` is the message when none of its lines could be parsed. */
export function failureFromLog(stage: BuildFailure['stage'], log: string, summary: string): BuildFailure {
  const text = inVendorTerms(log.trim())
  const told = withExplanations(parseDiagnostics(text), stage === 'host')
  const diagnostics = withRejectedCalls(told, text)
  // of what the compiler says: explanations name types of all kinds
  if (told.some(({ severity }) => severity === 'error'))
    return { stage, class: classOf(stage, told), diagnostics, log: text }
  const last = text.split('\n').findLast((line) => line.trim() !== '')
  const message = last === undefined ? summary : `${summary}: ${last.trim()}`
  const all: Diagnostic[] = [{ severity: 'error', message }, ...diagnostics]
  return { stage, class: classOf(stage, all), diagnostics: all, log: text === '' ? summary : text }
}

const asJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** JSON in which marks stand for the folders of the candidate, so that a cached failure fits another copy of it. */
const withoutRoots = (value: unknown, trees: readonly SourceTree[]): string =>
  trees.reduce((text, { root, mark }) => text.replaceAll(asJson(root), mark), JSON.stringify(value))

const withRoots = (text: string, trees: readonly SourceTree[]): unknown =>
  JSON.parse(trees.reduce((all, { root, mark }) => all.replaceAll(mark, asJson(root)), text))

const failureFile = 'failure.json'
const warningsFile = 'warnings.json'

/** Leaves a failure in the folder of a build step. */
export async function saveFailure(folder: string, failure: BuildFailure, trees: readonly SourceTree[]): Promise<void> {
  await writeFile(join(folder, failureFile), withoutRoots(failure, trees))
}

/** The failure that a build step left, for the copy of the candidate at hand; null when it succeeded. */
export async function readFailure(folder: string, trees: readonly SourceTree[]): Promise<BuildFailure | null> {
  const text = await readFile(join(folder, failureFile), 'utf8').catch(() => null)
  return text === null ? null : buildFailure.parse(withRoots(text, trees))
}

export async function saveWarnings(
  folder: string,
  warnings: readonly Diagnostic[],
  trees: readonly SourceTree[],
): Promise<void> {
  await writeFile(join(folder, warningsFile), withoutRoots(warnings, trees))
}

export async function readWarnings(folder: string, trees: readonly SourceTree[]): Promise<Diagnostic[]> {
  return z.array(diagnostic).parse(withRoots(await readFile(join(folder, warningsFile), 'utf8'), trees))
}
