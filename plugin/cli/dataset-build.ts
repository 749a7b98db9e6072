import { relative, resolve } from 'node:path'
import { build, type BuildOutcome } from '../dataset/build.ts'
import type { AnyBuilder } from '../dataset/builder.ts'
import { writeCard, type Card } from '../dataset/card.ts'
import { DatasetError } from '../dataset/error.ts'
import { WorkFolder } from '../dataset/work-folder.ts'
import { packageVersion } from '../files/index.ts'
import { Spending } from '../generation/budget.ts'
import { GenerationError } from '../generation/error.ts'
import { TemplateError } from '../generation/template.ts'
import { exitCodes, InfrastructureError, neutralText } from '../model/index.ts'
import type { BuilderOptions } from './dataset-options.ts'
import { modelOf } from './generate-model.ts'
import { UserError } from './user-error.ts'

const shownLines = 5
const progressEveryMs = 10_000

/** What a builder is made with. */
export interface MadeWith {
  folder: WorkFolder
  signal: AbortSignal
}

/**
 * Runs a builder to the end and tells what has become of it. `settings` are what its rows follow from, beside the options: a folder goes
 * on with the same ones alone. `make` is given the folder, and may keep in it what is costly to find; `close` is called in the end.
 */
export async function runBuilder(
  options: BuilderOptions,
  settings: Readonly<Record<string, unknown>>,
  make: (made: MadeWith) => Promise<{ builders: readonly AnyBuilder[]; close?: () => Promise<void> }>,
): Promise<void> {
  const abort = new AbortController()
  const stop = (): void => {
    // the second time at once
    process.once('SIGINT', () => process.exit(130))
    abort.abort()
  }
  process.once('SIGINT', stop)
  let folder: WorkFolder | undefined
  let close: (() => Promise<void>) | undefined
  try {
    const { model, label } = await modelOf('dataset', options.model, process.env, say)
    const { seed, budget, prices } = options.model
    folder = new WorkFolder(resolve(options.out), {
      version: packageVersion(),
      ...settings,
      batch: options.batch,
      limit: options.limit,
      seed,
      begun: new Date().toISOString(),
    })
    const made = await make({ folder, signal: abort.signal })
    close = made.close
    const spending = new Spending(budget, prices)
    const outcomes: BuildOutcome[] = []
    for (const builder of made.builders)
      outcomes.push(
        await withProgress(folder, builder.name, (onChange) =>
          build(builder, { folder: folder!, model, label, spending, signal: abort.signal, onChange }),
        ),
      )
    const figures = Object.assign({}, ...made.builders.map((builder) => builder.figures?.() ?? {}))
    tell(await writeCard(folder.path, figures), folder, together(outcomes), options)
  } catch (error) {
    if (abort.signal.aborted) {
      console.error(`stopped: the same command goes on in ${options.out}`)
      process.exitCode = 130
    } else if (error instanceof GenerationError || error instanceof DatasetError)
      throw new UserError(neutralText(error.message), error.exitCode)
    else if (error instanceof InfrastructureError)
      throw new UserError(neutralText(error.message), exitCodes.infrastructure)
    else if (error instanceof TemplateError) throw new UserError(neutralText(error.message))
    else throw error
  } finally {
    process.off('SIGINT', stop)
    await close?.()
    folder?.close()
  }
}

const together = (outcomes: readonly BuildOutcome[]): BuildOutcome => ({
  prompts: outcomes.reduce((sum, { prompts }) => sum + prompts, 0),
  pending: outcomes.reduce((sum, { pending }) => sum + pending, 0),
  unanswered: outcomes.flatMap(({ unanswered }) => unanswered),
  stopped: outcomes.find(({ stopped }) => stopped !== undefined)?.stopped,
})

const say = (line: string): void => console.error(neutralText(`dataset: ${line}`))

async function withProgress<T>(
  folder: WorkFolder,
  name: string,
  work: (onChange: () => void) => Promise<T>,
): Promise<T> {
  let last = performance.now()
  return await work(() => {
    if (performance.now() - last < progressEveryMs) return
    last = performance.now()
    const { rows, rejected, decided } = folder.counts
    console.error(`dataset ${name}: ${decided} decided, ${rows} rows, ${rejected} refused`)
  })
}

function tell(
  card: Card,
  folder: WorkFolder,
  { prompts, pending, unanswered, stopped }: BuildOutcome,
  { model: { model } }: BuilderOptions,
): void {
  const place = relative(process.cwd(), folder.path) || folder.path
  console.log(`${card.rows} rows of ${prompts} prompts in ${place}`)
  for (const [name, count] of Object.entries(card.figures)) console.log(`${count} ${name}`)
  for (const [reason, count] of Object.entries(card.rejected)) console.log(`${count} refused: ${neutralText(reason)}`)
  for (const line of unanswered.slice(0, shownLines)) console.error(neutralText(line))
  if (unanswered.length > shownLines) console.error(`and ${unanswered.length - shownLines} more`)
  if (stopped !== undefined) console.error(`${stopped}: the same command with a larger one goes on`)
  if (pending > 0)
    console.error(
      neutralText(
        `${pending} prompts wait for an answer.md beside them in ${model.replace(/^files:/, '')}: the same command takes them`,
      ),
    )
  if (unanswered.length > 0) process.exitCode = exitCodes.infrastructure
}
