import { join } from 'node:path'
import { RandomStream } from '../../plugin/inputs/index.ts'
import { editsOf, lineOf, type Edit } from '../../plugin/mutation/edits.ts'
import {
  drawn,
  isDeviceSource,
  statementLines,
  type Mutant as SourceEdit,
  type Source,
} from '../../plugin/mutation/mutant.ts'
import { readRepositorySources } from '../../plugin/toolchain/repository.ts'
import { readSourceTree } from '../../plugin/toolchain/sources.ts'
import { baselineNames } from '../subjects.ts'
import { equivalent } from './equivalent.ts'

/** One edit of a device source of an operator; its file is relative to the folder of all baselines. */
export interface Mutant extends SourceEdit {
  operator: string
}

/** Which mutants a run makes. */
export interface Selection {
  operators: readonly string[]
  /** decides which operators a sample draws, and which ones try the mutants of a shared header */
  seed: number
  only: string | undefined
  /** every n-th of each operator and of each shared header */
  every: number
  /** those whose description holds this */
  match: RegExp
}

/** Whether an operator has code of a line of a header. */
export type HasCode = (operator: string, file: string, line: number) => boolean

/** Operators on which each mutant of a shared header is tried. */
const operatorsPerSharedMutant = 2

const valueOf = (args: readonly string[], name: string): string | undefined =>
  args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)

/** Reads the command line; says which baselines a sample drew. */
export function selectionOf(args: readonly string[]): Selection {
  const named = args.filter((arg) => !arg.startsWith('--'))
  const without = valueOf(args, 'without')?.split(',') ?? []
  const pool = (named.length > 0 ? named : baselineNames()).filter((name) => !without.includes(name))
  const seed = Number(valueOf(args, 'seed') ?? Math.floor(Math.random() * 2 ** 31))
  const size = valueOf(args, 'sample')
  const operators = size === undefined ? pool : drawn(pool, Number(size), new RandomStream(seed))
  console.log(`--seed=${seed}: ${operators.length} operators${size === undefined ? '' : `, ${operators.join(', ')}`}`)
  const only = valueOf(args, 'only')
  return {
    operators,
    seed,
    only,
    every: Number(valueOf(args, 'every') ?? 1),
    match: new RegExp(valueOf(args, 'match') ?? ''),
  }
}

const editsChosen = ({ text }: Source, { only, every }: Selection): Edit[] =>
  editsOf(text).filter(({ damage }, i) => (only ?? damage) === damage && i % every === 0)

/**
 * The mutants of each operator, in the order of their files and places. A header that operators share is edited for two of
 * them, drawn for each edit, of those that have code there.
 */
export async function mutantsOf(
  baselines: string,
  selection: Selection,
  hasCode: HasCode,
): Promise<Map<string, Mutant[]>> {
  const found = new Map<string, Mutant[]>()
  const shared = new Map<string, { source: Source; operators: string[] }>()
  for (const operator of selection.operators) {
    const tree = await readSourceTree(join(baselines, operator), operator)
    const own = tree.files.map(({ name, text }) => ({ file: join(operator, name), text: text.toString('utf8') }))
    const mutants = own
      .filter(isDeviceSource)
      .flatMap((source) => editsChosen(source, selection).map((edit) => ({ ...source, operator, edit })))
    found.set(operator, mutants)
    for (const { name, text } of (await readRepositorySources(tree, baselines, '')).tree.files) {
      const header = shared.get(name) ?? { source: { file: name, text: text.toString('utf8') }, operators: [] }
      header.operators.push(operator)
      shared.set(name, header)
    }
  }
  const headers = [...shared.values()].filter(({ source }) => isDeviceSource(source))
  for (const { source, operators } of headers.toSorted((a, b) => (a.source.file < b.source.file ? -1 : 1))) {
    const random = new RandomStream(selection.seed, source.file)
    for (const edit of editsChosen(source, selection)) {
      const lines = statementLines(source.text, edit)
      const reaches = (operator: string): boolean => lines.some((line) => hasCode(operator, source.file, line))
      const order = drawn(operators, operators.length, random)
      const reaching = order.filter(reaches)
      const chosen = (reaching.length > 0 ? reaching : order).slice(0, operatorsPerSharedMutant)
      for (const operator of chosen) found.get(operator)?.push({ ...source, operator, edit })
    }
  }
  for (const [operator, mutants] of found) {
    const kept = mutants.filter((mutant) => selection.match.test(describeMutant(mutant)))
    if (kept.length > 0) found.set(operator, kept)
    else found.delete(operator)
  }
  return found
}

const lineText = ({ text, edit }: Mutant, before = 0): string =>
  text.split('\n')[lineOf(text, edit.start) - 1 - before]?.trim() ?? ''

export const describeMutant = (mutant: Mutant): string =>
  `${mutant.file.startsWith(mutant.operator) ? '' : `${mutant.operator}: `}${mutant.file}:${lineOf(mutant.text, mutant.edit.start)}: ${mutant.edit.damage}: ${mutant.edit.what}   | ${lineText(mutant)}`

/** How the function begins that an edit is in. */
function functionAround({ text, edit }: Mutant): string {
  const start = text.lastIndexOf('__aicore__', edit.start)
  return start < 0 ? '' : text.slice(start, text.indexOf('{', start))
}

/** Whether the edit was reviewed and changes nothing that a device would show. */
export const isEquivalent = (mutant: Mutant): boolean =>
  equivalent.some(
    ({ operators, line, within, after, what }) =>
      (operators.includes(mutant.operator) || operators.includes(mutant.file)) &&
      line.test(lineText(mutant)) &&
      (within?.test(functionAround(mutant)) ?? true) &&
      (after?.test(lineText(mutant, 1)) ?? true) &&
      what.test(mutant.edit.what),
  )
