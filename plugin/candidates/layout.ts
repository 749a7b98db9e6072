import { join } from 'node:path'
import { isInside } from '../files/index.ts'
import { foldersOf, isFolder, isOnTheWay } from './folder.ts'
import { hasKernel, isProject, merge, readProject, type Found } from './project.ts'

/** What of a suite says where its candidates lie. */
export interface CandidateSuite {
  /** candidates in a folder of this name are those of this suite */
  readonly name: string
  /** what `<group>` stands for; a folder may be spelled with other case, with `_` and with `-` */
  readonly groups: readonly string[]
  /**
   * Where candidates of the suite lie, as paths below a folder of candidates: literal parts and `<group>`,
   * `<category>`, `<task>`, `<sample>`, and `<case>` for the one static case that a candidate is judged on. A path
   * leads to the folder that holds op_kernel.
   */
  readonly layouts: readonly string[]
  /** folder of a checkout of the suite that holds the groups */
  readonly checkout?: string | undefined
}

/** Layouts that lead to the same folder of an operator: the parts above it, and those below it for each layout. */
export interface Shape {
  readonly suite?: string
  readonly above: readonly string[]
  readonly below: readonly (readonly string[])[]
}

/**
 * `<Operator>/op_kernel` is one sample, named after the folder that is searched; `<Operator>/<sample>/op_kernel` is one
 * of many, `<Operator>/fixed_case_3/<sample>/op_kernel` one that is judged on case 3 only.
 */
export const ownShape: Shape = { above: [], below: [[], ['<sample>'], ['fixed_case_<case>', '<sample>']] }

/** Is this the folder of samples for one static case, in the own layout? */
export const isFixedCase = (folder: string): boolean => /^fixed_case_\d+$/.test(folder)

/** The layouts of a suite by the folder of an operator that they lead to. */
export function shapesOf({ name, layouts }: CandidateSuite): Shape[] {
  const shapes = new Map<string, { suite: string; above: string[]; below: string[][] }>()
  for (const layout of layouts) {
    const parts = layout.split('/')
    const task = parts.indexOf('<task>')
    const above = parts.slice(0, task)
    const shape = shapes.get(above.join('/')) ?? { suite: name, above, below: [] }
    shape.below.push(parts.slice(task + 1))
    shapes.set(above.join('/'), shape)
  }
  return [...shapes.values()]
}

/** Is this a folder of a group of the suite? */
export const isGroup = ({ groups }: Pick<CandidateSuite, 'groups'>, folder: string): boolean =>
  groups.some((group) => plain(group) === plain(folder))

const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')

/** Does this part of a path, other than the operator, allow a folder of that name? */
export function allows(part: string, folder: string, suite: Pick<CandidateSuite, 'groups'>): boolean {
  if (part === '<group>') return isGroup(suite, folder)
  return part.startsWith('<') || part === folder
}

/** Operators in a folder: `parts` leads to the folder that holds them. */
export function operatorsBelow(
  path: string,
  parts: readonly string[],
  suite: Pick<CandidateSuite, 'groups'>,
): { path: string; name: string }[] {
  const [part, ...rest] = parts
  const folders = foldersOf(path)
  if (part === undefined) return folders.map((name) => ({ path: join(path, name), name }))
  return folders
    .filter((name) => allows(part, name, suite))
    .flatMap((name) => operatorsBelow(join(path, name), rest, suite))
}

/**
 * Reads the samples of one operator that lie within a folder. A plain one, with no folder of its own below the
 * operator's, is called `label`.
 */
export const readOperator = (
  path: string,
  task: string,
  { suite, below }: Shape,
  { label, within }: { label: string; within: string },
): Found => merge(below.map((parts) => readSamples({ path, parts, named: [] }, { task, label, suite, within })))

const nothing: Found = { samples: [], ignored: [] }

interface Walk {
  path: string
  /** what is left of the layout */
  parts: readonly string[]
  /** names of the folders walked so far */
  named: readonly string[]
  fixedCase?: number | undefined
}

function readSamples(
  walk: Walk,
  found: { task: string; label: string; suite: string | undefined; within: string },
): Found {
  const { path, parts, named, fixedCase } = walk
  const next = parts.findIndex((part) => part.includes('<'))
  if (next < 0) {
    const root = join(path, ...parts)
    const amongSamples = named.length > 0
    const project = {
      task: found.task,
      name: named.join('/') || found.label,
      suite: found.suite,
      fixedCase,
      amongSamples,
    }
    if (isProject(root)) return isInside(root, found.within) ? readProject(root, project) : nothing
    // where a layout goes on below a sample, the folder of the sample can be nothing else
    const isSample = named.length > 0 && parts.length > 0
    return { samples: [], ignored: isSample ? [{ path, reason: `no ${join(...parts)}/op_kernel` }] : [] }
  }
  const folder = join(path, ...parts.slice(0, next))
  if (!isFolder(folder)) return nothing
  const pattern = patternOf(parts[next]!)
  return merge(
    foldersOf(folder).flatMap((name) => {
      const match = pattern.exec(name)
      if (!match || !isOnTheWay(join(folder, name), found.within)) return []
      // what lies in the folder of a sample is no other sample: it would be judged by less, and count as many
      if (next + 1 < parts.length && hasKernel(join(folder, name))) return []
      const digits = match.groups?.['case']
      const number = digits === undefined ? fixedCase : Number(digits)
      if (number !== undefined && !Number.isSafeInteger(number))
        return { samples: [], ignored: [{ path: join(folder, name), reason: 'has a number that no static case has' }] }
      const step: Walk = {
        path: join(folder, name),
        parts: parts.slice(next + 1),
        named: [...named, ...parts.slice(0, next), name],
        fixedCase: number,
      }
      return readSamples(step, found)
    }),
  )
}

const patternOf = (part: string): RegExp => {
  const literal = part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(`^${literal.replace('<case>', String.raw`(?<case>\d+)`).replace(/<\w+>(?!\\d)/g, '.+')}$`, 's')
}

/** Why a folder that stands for an operator holds no candidate. */
export function reasonFor(operator: string, shape: Shape): string {
  if (shape === ownShape) return `neither ${operator}/op_kernel nor a sample with op_kernel`
  const expected = shape.below.map((parts) => [...parts, 'op_kernel'].join('/'))
  return expected.length === 1 ? `no ${expected[0]}` : `neither ${expected.join(' nor ')}`
}
