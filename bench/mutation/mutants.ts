import { join } from 'node:path'
import { RandomStream } from '../../plugin/inputs/index.ts'
import { readSurroundings } from '../../plugin/toolchain/repository.ts'
import { readSourceTree } from '../../plugin/toolchain/sources.ts'
import { baselineNames } from '../subjects.ts'
import { editsOf, lineOf, type Edit } from './edits.ts'
import { equivalent } from './equivalent.ts'

/** One edit of a device source. */
export interface Mutant {
  operator: string
  /** relative to the folder of all baselines */
  file: string
  edit: Edit
  /** the source without the edit */
  text: string
}

/** Which mutants a run makes. */
export interface Choice {
  operators: readonly string[]
  /** also those of headers that operators share: they were asked for by name */
  shared: boolean
  only: string | undefined
  /** every n-th of each operator */
  every: number
  /** those whose description holds this */
  match: RegExp
}

const valueOf = (args: readonly string[], name: string): string | undefined =>
  args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)

/** `count` different elements; the same ones for the same seed. */
function drawn<T>(all: readonly T[], count: number, seed: number): T[] {
  const random = new RandomStream(seed)
  const left = [...all]
  return Array.from({ length: Math.min(count, all.length) }, () => left.splice(random.below(left.length), 1)).flat()
}

/** Reads the command line; says which baselines a sample drew. */
export function choiceOf(args: readonly string[]): Choice {
  const named = args.filter((arg) => !arg.startsWith('--'))
  const only = valueOf(args, 'only')
  const every = Number(valueOf(args, 'every') ?? 1)
  const match = new RegExp(valueOf(args, 'match') ?? '')
  const size = valueOf(args, 'sample')
  if (size === undefined)
    return { operators: named.length > 0 ? named : baselineNames(), shared: named.length > 0, only, every, match }
  const seed = Number(valueOf(args, 'seed') ?? Math.floor(Math.random() * 2 ** 31))
  const operators = drawn(named.length > 0 ? named : baselineNames(), Number(size), seed)
  console.log(`drew ${operators.join(', ')} (--sample=${size} --seed=${seed})`)
  return { operators, shared: false, only, every, match }
}

/** The mutants of one operator, in the order of their files and places. */
export async function mutantsOf(baselines: string, operator: string, choice: Choice): Promise<Mutant[]> {
  const tree = await readSourceTree(join(baselines, operator), operator)
  const own = tree.files.map(({ name, text }) => ({ file: join(operator, name), text }))
  const around = choice.shared ? (await readSurroundings(tree, baselines, '')).tree.files : []
  return [...own, ...around.map(({ name, text }) => ({ file: name, text }))]
    .filter(({ file }) => /\.(?:cpp|h)$/.test(file) && !file.includes('op_host'))
    .flatMap(({ file, text }) => {
      const source = text.toString('utf8')
      return editsOf(source).map((edit) => ({ operator, file, edit, text: source }))
    })
    .filter(({ edit }, i) => (choice.only ?? edit.damage) === edit.damage && i % choice.every === 0)
    .filter((mutant) => choice.match.test(described(mutant)))
}

const lineText = ({ text, edit }: Mutant): string => text.split('\n')[lineOf(text, edit.start) - 1]!.trim()

export const described = (mutant: Mutant): string =>
  `${mutant.file}:${lineOf(mutant.text, mutant.edit.start)}: ${mutant.edit.damage}: ${mutant.edit.what}   | ${lineText(mutant)}`

/** Whether the edit was reviewed and changes nothing that a device would show. */
export const isEquivalent = (mutant: Mutant): boolean =>
  equivalent.some(
    ({ operators, line, what }) =>
      (operators.includes(mutant.operator) || operators.includes(mutant.file)) &&
      line.test(lineText(mutant)) &&
      what.test(mutant.edit.what),
  )
