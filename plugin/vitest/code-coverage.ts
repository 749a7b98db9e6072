import { relative } from 'node:path'
import type { TestContext } from 'vitest'
import { realPath } from '../candidates/index.ts'
import { eitherOf, isReached } from '../evaluation/reached.ts'
import type { Outcome } from '../evaluation/evaluate.ts'
import type { CodeCoverage } from '../ledger/index.ts'
import type { CodeSide, KernelCode } from '../model/index.ts'
import type { SampleState } from './sample-state.ts'
import { metaOf } from './verdicts.ts'
import { service } from './worker.ts'

/** Ranges of lines that are named one by one. */
const shownRanges = 4

/** What launches have reached. */
export interface Reached {
  reached?: string | undefined
  tilingKeys: readonly string[]
}

/** Notes in a test which code of the sample a case has reached. */
export function noteReached(state: SampleState, ctx: TestContext, { launch }: Pick<Outcome, 'launch'>): void {
  if (launch) noteBlocks(state, ctx, { reached: launch.reached, tilingKeys: [String(launch.tilingKey)] })
}

/** The same of cases that are not at hand one by one. */
export function noteBlocks(state: SampleState, ctx: TestContext, { reached, tilingKeys }: Reached): void {
  const meta = metaOf(ctx)
  const sum = eitherOf(meta.reached, reached)
  if (sum !== undefined) meta.reached = sum
  state.reached = eitherOf(state.reached, reached)
  for (const key of tilingKeys) state.tilingKeys.add(key)
}

/** Notes in the last test of a sample what all its cases have reached, and says what they have not. */
export async function concludeCode(state: SampleState, ctx: TestContext): Promise<void> {
  const { built, buildArgs, reached, tilingKeys } = state
  if (!built?.ok || reached === undefined) return
  const asked = service().call('code', { artifact: built.artifact }, ctx.signal)
  // a service that is gone is noticed by what is asked of it next
  const code = await asked.catch(() => null)
  if (!code) return
  const root = realPath(buildArgs.sample.root)
  const coverage = coverageOf(code, { reached, tilingKeys: [...tilingKeys] }, root)
  const { host, tilingKeys: neverLaunched } = coverage
  if (coverage.blocks === 0 && !host) return
  const meta = metaOf(ctx)
  meta.code = coverage
  if (isPartial(coverage) || (host && isPartial(host)) || neverLaunched.length > 0)
    await ctx.annotate(`${meta.sample ?? ''}: ${describeCode(coverage)}`, 'code')
}

/** What of the code below a folder was reached: headers that operators share are not there for this one alone. */
export function coverageOf(code: KernelCode, { reached = '', tilingKeys }: Reached, root: string): CodeCoverage {
  const host = sideOf(code, reached, root, 'host')
  return {
    ...sideOf(code, reached, root, 'kernel'),
    tilingKeys: code.tilingKeys.flatMap(({ key, fields }) =>
      tilingKeys.includes(key) ? [] : [fields === undefined ? key : `${key} (${fields})`],
    ),
    ...(host.blocks > 0 && { host }),
  }
}

type SideCoverage = NonNullable<CodeCoverage['host']>

function sideOf({ files, blocks: all }: KernelCode, reached: string, root: string, side: CodeSide): SideCoverage {
  const bits = Buffer.from(reached, 'base64')
  const isOwn = files.map((file) => !relative(root, file).startsWith('..'))
  const blocks = all.flatMap((block, number) =>
    isOwn[block.file] && block.side === side ? [{ ...block, isReached: isReached(bits, number) }] : [],
  )
  const lines = files.map(() => new Map<number, { has: number; reached: number }>())
  for (const block of blocks)
    for (const line of block.lines) {
      const known = lines[block.file]?.get(line) ?? { has: 0, reached: 0 }
      lines[block.file]?.set(line, known)
      known.has++
      if (block.isReached) known.reached++
    }
  const rangesWhere = (holds: (line: { has: number; reached: number }) => boolean): SideCoverage['missed'] =>
    files.flatMap((file, index) => {
      const ranges = rangesOf(lines[index] ?? new Map(), holds)
      return ranges.length === 0 ? [] : [{ file: relative(root, file), lines: ranges }]
    })
  return {
    blocks: blocks.length,
    reached: blocks.filter((block) => block.isReached).length,
    missed: rangesWhere((line) => line.reached === 0),
    partial: rangesWhere((line) => line.reached > 0 && line.reached < line.has),
  }
}

/** First and last lines, where those between that have no code count for nothing. */
function rangesOf<T>(lines: ReadonlyMap<number, T>, holds: (line: T) => boolean): [number, number][] {
  const ranges: [number, number][] = []
  let open: [number, number] | undefined
  for (const [number, line] of [...lines].sort(([one], [other]) => one - other)) {
    if (!holds(line)) open = undefined
    else if (open) open[1] = number
    else ranges.push((open = [number, number]))
  }
  return ranges
}

/** In one line: how much is reached, and what is not. */
export function describeCode({ host, tilingKeys, ...kernel }: CodeCoverage): string {
  const keys = tilingKeys.length === 1 ? 'tiling key' : 'tiling keys'
  return [
    `the cases reach ${percentOf(kernel)} of the blocks of its kernel`,
    ...unreachedOf(kernel),
    ...(tilingKeys.length > 0 ? [`never launched: ${keys} ${listOf(tilingKeys)}`] : []),
    ...(host ? [`${percentOf(host)} of those of its host part`, ...unreachedOf(host)] : []),
  ].join('; ')
}

const isPartial = ({ blocks, reached }: SideCoverage): boolean => reached < blocks

/** 99.9 % is not all. */
const percentOf = ({ blocks, reached }: SideCoverage): string =>
  `${blocks === 0 ? 100 : Math.floor((100 * reached) / blocks)}%`

function unreachedOf({ missed, partial }: SideCoverage): string[] {
  const [never, inPart] = [placesOf(missed), placesOf(partial)]
  if (never.length > 0) return [`never: ${listOf(never)}`]
  return inPart.length > 0 ? [`in part: ${listOf(inPart)}`] : []
}

const placesOf = (files: CodeCoverage['missed']): string[] =>
  files.flatMap(({ file, lines }) => lines.map(([from, to]) => `${file}:${from === to ? from : `${from}-${to}`}`))

const listOf = (places: readonly string[]): string =>
  [
    ...places.slice(0, shownRanges),
    ...(places.length > shownRanges ? [`and ${places.length - shownRanges} more`] : []),
  ].join(', ')
