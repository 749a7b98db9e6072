import { basename, dirname, join } from 'node:path'
import { shownName } from '../files/index.ts'
import type { Ignored, Sample } from '../model/index.ts'
import { foldersOf, realPath } from './folder.ts'
import { allows, isGroup, operatorsBelow, ownShape, readOperator, reasonFor, shapesOf } from './layout.ts'
import type { CandidateSuite, Shape } from './layout.ts'
import { ignoredFrom, isProject, isShared, merge, readProject, type Found } from './project.ts'

/** What is looked for. */
export interface Wanted {
  /** the suites whose layouts are known */
  readonly suites: readonly CandidateSuite[]
  /** limits the search to one task */
  readonly task?: { readonly suite: string; readonly name: string } | undefined
  /** suites by the name of a task that several of them have: a folder has to say which one is meant */
  readonly shared?: Readonly<Record<string, readonly string[]>>
}

/**
 * Finds the candidates under the given absolute folders, in the own layout or in one of the suites, by listing folders
 * only. What lies in a folder named after a suite is of that suite; in the own layout without such a folder it is of
 * whichever suite has the task. Paths of samples are real ones. Never throws for what is on disk: a folder that is
 * missing, unreadable or in no layout comes back in `ignored`, as text that may be printed.
 */
export function findSamples(roots: readonly string[], wanted: Wanted): Found {
  const parts = roots.map((root) => {
    const label = shownName(basename(root))
    const part = decided(readRoot(root, label, wanted), wanted)
    return roots.length === 1 ? part : { ...part, samples: part.samples.map((sample) => prefixed(sample, label)) }
  })
  const { samples, ignored } = merge(parts)
  const isUsed = ({ path }: Ignored): boolean => samples.some(({ root }) => root.startsWith(`${realPath(path)}/`))
  const left = ignored.filter((folder) => !isUsed(folder))
  return {
    samples: withUniqueNames(samples),
    ignored: left.map(({ path, reason }) => ({ path: shownName(path), reason: shownName(reason) })),
  }
}

function readRoot(root: string, label: string, wanted: Wanted): Found {
  try {
    if (isProject(root)) {
      const task = basename(root)
      return isWanted(task, wanted) ? readProject(root, { task, name: label }) : nothing
    }
    return merge(
      foldersOf(root).map((name) => {
        const path = join(root, name)
        try {
          return isShared(path) ? nothing : readFolder(path, name, label, wanted)
        } catch (error) {
          return { samples: [], ignored: [ignoredFrom(path, error)] }
        }
      }),
    )
  } catch (error) {
    return { samples: [], ignored: [ignoredFrom(root, error)] }
  }
}

/** Reads one folder of candidates: that of a suite, of a group, or of an operator. */
function readFolder(path: string, name: string, label: string, wanted: Wanted): Found {
  const { suites } = wanted
  const named = suites.find((suite) => suite.name === name)
  if (named && !isProject(path)) return ofSuite(readRoot(path, label, { ...wanted, suites: [anonymous(named)] }), name)
  if (suites.some((suite) => suite.checkout === name && foldersOf(path).some((folder) => isGroup(suite, folder))))
    return readRoot(path, label, wanted)

  const all = suites.flatMap((suite) => shapesOf(suite).map((shape) => ({ suite, shape })))
  const fitting = all.filter(({ suite, shape: { above } }) => above[0] !== undefined && allows(above[0], name, suite))
  const below = fitting.map(({ suite, shape }) => {
    const operators = operatorsBelow(path, shape.above.slice(1), suite)
    return merge(operators.map((operator) => readAs(operator, [shape], label, wanted)))
  })
  // a group, or a folder that a layout names, holds no operators in the own layout
  if (fitting.some(({ shape: { above } }) => above[0] === '<group>' || !above[0]?.startsWith('<'))) return merge(below)
  const atTop = all.filter(({ shape }) => shape.above.length === 0).map(({ shape }) => shape)
  return merge([...below, readAs({ path, name }, [ownShape, ...atTop], label, wanted)])
}

/** Inside the folder of a suite no folder is that of a suite again. */
const anonymous = (suite: CandidateSuite): CandidateSuite => ({ ...suite, name: '' })

const ofSuite = ({ samples, ignored }: Found, suite: string): Found => ({
  samples: samples.map((sample) => ({ ...sample, suite })),
  ignored,
})

function readAs(operator: { path: string; name: string }, shapes: Shape[], label: string, wanted: Wanted): Found {
  const { path, name } = operator
  if (!isWanted(name, wanted)) return nothing
  const found = merge(shapes.map((shape) => readOperator(path, name, shape, label)))
  if (found.samples.length > 0 || found.ignored.length > 0) return found
  return { samples: [], ignored: [{ path, reason: reasonFor(name, shapes[0]!) }] }
}

const isWanted = (name: string, { task }: Wanted): boolean => task === undefined || task.name === name

/** Leaves out the candidates of other suites than the wanted one, and those of which nobody can tell the suite. */
function decided({ samples, ignored }: Found, { task, shared = {} }: Wanted): Found {
  const ambiguous = samples.filter((sample) => sample.suite === undefined && shared[sample.task] !== undefined)
  const refused = ambiguous.map(({ task: name, root }): Ignored => {
    const suites = shared[name] ?? []
    const places = suites.map((suite) => `${suite}/${name}`).join(' or ')
    return { path: root, reason: `${name} is a task of ${suites.join(' and ')}: put it in ${places}` }
  })
  return {
    samples: samples.filter(
      (sample) => !ambiguous.includes(sample) && (task === undefined || (sample.suite ?? task.suite) === task.suite),
    ),
    ignored: [...ignored, ...refused],
  }
}

const nothing: Found = { samples: [], ignored: [] }

/** With several roots a name says which one it is from: `sonnet/sample0`. */
const prefixed = (sample: Sample, label: string): Sample =>
  sample.name === label ? sample : { ...sample, name: `${label}/${sample.name}` }

/** Two roots of the same name, or one given twice: the parent folder tells them apart, a number if need be. */
function withUniqueNames(samples: readonly Sample[]): Sample[] {
  const seen = new Map<string, (string | undefined)[]>()
  return samples.map((sample) => {
    const { task, suite } = sample
    const isTaken = (name: string): boolean =>
      seen.get(`${task}\0${name}`)?.some((other) => (other ?? suite) === (suite ?? other)) ?? false
    let name = sample.name
    if (isTaken(name)) name = `${basename(dirname(sample.root))}/${sample.name}`
    for (let i = 2; isTaken(name); i++) name = `${sample.name}#${i}`
    seen.set(`${task}\0${name}`, [...(seen.get(`${task}\0${name}`) ?? []), suite])
    return name === sample.name ? sample : { ...sample, name }
  })
}
