import type { ProjectFile } from '../../model/index.ts'
import type { ProjectReader } from '../../targets/emulator.ts'
import { claimedNames, unknownNames } from '../documents/api-names.ts'
import { compileSnippets } from '../documents/compile-snippets.ts'
import { skeletonOf, type ForeignSnippet, type Skeleton } from '../documents/snippets.ts'
import type { Decontamination } from '../hygiene/decontamination.ts'
import { contaminationOf } from '../hygiene/filters.ts'
import type { Compiler } from '../kernels/compile.ts'
import type { RowOf } from '../row.ts'
import type { Rejection } from '../work-folder.ts'
import { assumedNames, tilingFields, withoutThis } from './assumed.ts'
import { blocksOf, isAboutAscendC, type Block } from './claims.ts'
import { operatorIn, operatorProblem, withoutOwnIncludes } from './operator.ts'

/** What checks of imported rows have at hand. */
export interface MixedContext {
  compiler: Compiler
  /** reads the OpDef of operators that rows hold */
  reader: ProjectReader
  /** undefined: no task is protected */
  decontamination: Decontamination | undefined
}

/** What a row was held to. */
export interface CheckedRow {
  problems: readonly Rejection[]
  /** pieces of code that were compiled, an operator counts as one; and names of the API that were looked up */
  compiled: number
  names: number
}

type Mixed = RowOf<'mixed'>

/** Names that programs of Ascend C give to functions of their own, in all manuals and examples. */
const conventional = new Set([
  'CopyIn',
  'CopyOut',
  'Compute',
  'Process',
  'Init',
  'TilingFunc',
  'InferShape',
  'InferDataType',
])

const isCounted = (name: string): boolean => !conventional.has(name)

const scoped = /\bAscendC::\w+/g

interface Claims {
  names: readonly string[]
  unknown: readonly string[]
  operator: readonly ProjectFile[] | undefined
  snippets: readonly ForeignSnippet[]
}

function claimsOf(row: Mixed): Claims {
  if (!isAboutAscendC(row)) return { names: [], unknown: [], operator: undefined, snippets: [] }
  const blocks = blocksOf(row.answer)
  const own = blocks.map(({ text }) => text)
  // what a request says of its own operator is no claim, what it says of the API is one
  const asked = [...row.request.matchAll(scoped)].map(([name]) => `\`${name}\``)
  const texts = [...asked, row.thought ?? '', row.answer].join('\n\n')
  const operator = operatorIn(blocks)
  return {
    names: claimedNames(texts).filter(isCounted),
    unknown: unknownNames(texts, [...own, row.request.replaceAll(scoped, '')]).filter(isCounted),
    operator,
    snippets: operator ? [] : blocks.map((block) => snippetOf(block, own)),
  }
}

function snippetOf({ text: given }: Block, row: readonly string[]): ForeignSnippet {
  const skeleton = skeletonOf(given)
  if (skeleton === 'kernel') return { skeleton, text: given, fields: tilingFields(given, row) }
  if (skeleton !== 'statements') return { skeleton, text: given }
  const text = withoutThis(given)
  return { skeleton, text, names: assumedNames(text) }
}

/** What of a row may stand before a snippet of it. */
const before: Readonly<Partial<Record<Skeleton, Skeleton>>> = {
  declarations: 'declarations',
  kernel: 'declarations',
  'host-declarations': 'host-declarations',
}

/** A snippet behind the declarations of its row that stand before it; undefined where there are none. */
function behindOthers(snippets: readonly ForeignSnippet[], index: number): ForeignSnippet | undefined {
  const snippet = snippets[index]!
  const others = snippets.slice(0, index).filter(({ skeleton }) => skeleton === before[snippet.skeleton])
  if (others.length === 0) return undefined
  return { ...snippet, text: [...others, snippet].map(({ text }) => withoutOwnIncludes(text)).join('\n\n') }
}

/**
 * Holds rows of others to what they claim: code of Ascend C compiles in a skeleton, whole operators by their own OpDef; names of the API
 * exist; none has a task of a benchmark. Of several rows the code is compiled together.
 */
export async function checkMixed(
  rows: readonly Mixed[],
  { compiler, reader, decontamination }: MixedContext,
): Promise<CheckedRow[]> {
  const claims = rows.map(claimsOf)
  const all = claims.flatMap(({ snippets }) => snippets)
  const [found, operators] = await Promise.all([
    compileSnippets(compiler, all),
    Promise.all(
      claims.map(async ({ operator }) => (operator ? await operatorProblem(compiler, reader, operator) : null)),
    ),
  ])
  const alone = new Map(all.map((snippet, i) => [snippet, found[i] ?? null]))
  const retries = claims.flatMap(({ snippets }) =>
    snippets.flatMap((snippet, i) => {
      const joined = alone.get(snippet) === null ? undefined : behindOthers(snippets, i)
      return joined ? [{ snippet, joined }] : []
    }),
  )
  const again = await compileSnippets(
    compiler,
    retries.map(({ joined }) => joined),
  )
  for (const [i, { snippet }] of retries.entries()) if (again[i] === null) alone.set(snippet, null)
  return rows.map((row, i) => {
    const { names, unknown, operator, snippets } = claims[i]!
    const failed = operator ? operators[i] : snippets.map((snippet) => alone.get(snippet)).find((each) => each != null)
    const contaminated = decontamination && contaminationOf(row, decontamination)
    const problems: Rejection[] = [
      ...(failed == null ? [] : [{ reason: 'does not compile', detail: failed }]),
      ...(unknown.length === 0 ? [] : [{ reason: 'unknown name', detail: unknown.join(', ') }]),
      ...(contaminated ? [contaminated] : []),
    ]
    return { problems, compiled: operator ? 1 : snippets.length, names: names.length }
  })
}
