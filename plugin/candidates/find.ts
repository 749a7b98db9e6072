import { basename, join, relative } from 'node:path'
import { foldersAbove, isInside, isOddName, shownName } from '../files/index.ts'
import { sampleTitle, type Ignored, type Sample } from '../model/index.ts'
import { foldersOf, isOnTheWay, realPath } from './folder.ts'
import { allows, isGroup, operatorsBelow, ownShape, readOperator, reasonFor, shapesOf } from './layout.ts'
import type { CandidateSuite, Shape } from './layout.ts'
import { isModelFolder, topOf } from './model-folder.ts'
import { readPrograms, readTaskPrograms } from './program.ts'
import { ignoredFrom, isProject, isShared, merge, readProject, reasonOf, roleOf, type Found } from './project.ts'

/** What is looked for. */
export interface Wanted {
  /** whose samples those are whose folder names no model: names are unique with it */
  model?: string | undefined
  /** the suites whose layouts are known */
  readonly suites: readonly CandidateSuite[]
  /** limits the search to one task */
  readonly task?: { readonly suite: string; readonly name: string } | undefined
  /** suites by the name of a task that several of them have: a folder has to say which one is meant */
  readonly shared?: Readonly<Record<string, readonly string[]>>
  /** names of all tasks: what tells the folder of a model from that of a task; left out: there are no models */
  readonly tasks?: readonly string[] | undefined
}

/** How one root is read. */
interface Reading extends Wanted {
  /** what was pointed at: nothing beside it is read */
  readonly within: string
  /** inside the folder of a model there is no other */
  readonly isOfModel?: boolean
}

/**
 * Finds the candidates under the given absolute folders, in the own layout or in one of the suites, by listing folders
 * only. What lies in a folder named after a suite is of that suite; in the own layout without such a folder it is of
 * whichever suite has the task. A folder above folders of tasks is that of a model. Names are the same whether somebody
 * points at a folder of candidates, at a model, a task, or a sample in it. Paths of samples are real ones. Never throws for
 * what is on disk: a folder that is missing, unreadable or in no layout comes back in `ignored`, as text that may be
 * printed.
 */
export function findSamples(roots: readonly string[], wanted: Wanted): Found {
  const tops = roots.map((root) => topOf(root, wanted))
  const several = new Set(tops).size > 1
  const parts = roots.map((within, index) => {
    const top = tops[index]!
    const label = shownName(basename(top))
    const part = withPlainFolders(decided(readRoot(top, label, { ...wanted, within }), wanted), realPath(top))
    return several ? { ...part, samples: part.samples.map((sample) => prefixed(sample, label)) } : part
  })
  const { samples, ignored } = withUniqueNames(merge(parts), wanted.model)
  const above = new Set(samples.flatMap(({ root }) => foldersAbove(root)))
  const left = ignored.filter(({ path }) => !above.has(realPath(path)))
  return {
    samples,
    ignored: left.map(({ path, reason }) => ({ path: shownName(path), reason: shownName(reason) })),
  }
}

function readRoot(root: string, label: string, wanted: Reading): Found {
  try {
    if (isProject(root)) {
      const task = basename(root)
      return isWanted(task, wanted) ? readProject(root, { task, name: label }) : nothing
    }
    return merge([
      readTaskPrograms(root, label, wanted),
      ...foldersOf(root).map((name) => {
        const path = join(root, name)
        try {
          return isShared(path) || !isOnTheWay(path, wanted.within) ? nothing : readFolder(path, name, label, wanted)
        } catch (error) {
          return { samples: [], ignored: [ignoredFrom(path, error)] }
        }
      }),
    ])
  } catch (error) {
    return { samples: [], ignored: [ignoredFrom(root, error)] }
  }
}

/** Reads one folder of candidates: that of a suite, of a group, of a model, or of an operator. */
function readFolder(path: string, name: string, label: string, wanted: Reading): Found {
  const { suites } = wanted
  const named = suites.find((suite) => suite.name === name)
  if (named && !isProject(path)) return ofSuite(readRoot(path, label, { ...wanted, suites: [anonymous(named)] }), name)
  if (suites.some((suite) => suite.checkout === name && foldersOf(path).some((folder) => isGroup(suite, folder))))
    return readRoot(path, label, wanted)
  if (!wanted.isOfModel && isModelFolder(path, wanted)) return readModel(path, name, wanted)

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

/** In the folder of a model lies whatever may lie in a folder of candidates, but for another model. */
function readModel(path: string, name: string, wanted: Reading): Found {
  if (isOddName(name))
    return { samples: [], ignored: [{ path, reason: 'has a name that no model may have: rename it' }] }
  const role = roleOf(name)
  if (role !== undefined) return { samples: [], ignored: [{ path, reason: reasonOf(role) }] }
  const { samples, ignored } = readRoot(path, name, { ...wanted, isOfModel: true })
  return { samples: samples.map((sample) => ({ ...sample, model: name })), ignored }
}

/** Inside the folder of a suite no folder is that of a suite again. */
const anonymous = (suite: CandidateSuite): CandidateSuite => ({ ...suite, name: '' })

const ofSuite = ({ samples, ignored }: Found, suite: string): Found => ({
  samples: samples.map((sample) => ({ ...sample, suite })),
  ignored,
})

function readAs(operator: { path: string; name: string }, shapes: Shape[], label: string, wanted: Reading): Found {
  const { path, name } = operator
  if (!isWanted(name, wanted)) return nothing
  const found = merge([
    ...shapes.map((shape) => readOperator(path, name, shape, { label, within: wanted.within })),
    readPrograms(path, { task: name, within: wanted.within }),
  ])
  if (found.samples.length > 0 || found.ignored.length > 0) return found
  return { samples: [], ignored: [{ path, reason: reasonFor(name, shapes[0]!) }] }
}

const isWanted = (name: string, { task }: Wanted): boolean => task === undefined || task.name === name

/** Leaves out the candidates of other suites than the wanted one, and those of which nobody can tell the suite. */
function decided({ samples, ignored }: Found, { task, shared = {} }: Wanted): Found {
  const isAmbiguous = (sample: Sample): boolean => sample.suite === undefined && shared[sample.task] !== undefined
  const ambiguous = samples.filter(isAmbiguous)
  const refused = ambiguous.map(({ task: name, root }): Ignored => {
    const suites = shared[name] ?? []
    const places = suites.map((suite) => `${suite}/${name}`).join(' or ')
    return { path: root, reason: `${name} is a task of ${suites.join(' and ')}: put it in ${places}` }
  })
  return {
    samples: samples.filter(
      (sample) => !isAmbiguous(sample) && (task === undefined || (sample.suite ?? task.suite) === task.suite),
    ),
    ignored: [...ignored, ...refused],
  }
}

const nothing: Found = { samples: [], ignored: [] }

/** Compilers are told of the folder of a project as `<folder>=<mark>`: no folder below the root may have a `=` in its name. */
function withPlainFolders({ samples, ignored }: Found, top: string): Found {
  const isOdd = ({ root, program }: Sample): boolean =>
    program === undefined && isInside(root, top) && relative(top, root).includes('=')
  const reason = 'has a = in its path, which compilers do not take: rename that folder'
  const odd = samples.filter(isOdd).map(({ root: path }): Ignored => ({ path, reason }))
  return { samples: samples.filter((sample) => !isOdd(sample)), ignored: [...ignored, ...odd] }
}

/** With several roots a name says which one it is from, where no model does: `sonnet/sample0`. */
const prefixed = (sample: Sample, label: string): Sample =>
  sample.model !== undefined || sample.name === label ? sample : { ...sample, name: `${label}/${sample.name}` }

/** A name is that of one sample alone: of two the first is judged. What is found twice, as roots overlap, is one. */
function withUniqueNames({ samples, ignored }: Found, model: string | undefined): Found {
  const named = new Map<string, Sample[]>()
  const kept: Sample[] = []
  const others: Ignored[] = []
  for (const sample of samples) {
    const { task, suite, root } = sample
    const key = `${task}\0${sampleTitle({ ...sample, ...(model !== undefined && sample.model === undefined && { model }) })}`
    const same = named.get(key) ?? []
    const taken = same.find((other) => (other.suite ?? suite) === (suite ?? other.suite))
    if (!taken) {
      named.set(key, [...same, sample])
      kept.push(sample)
    } else if (taken.root !== root)
      others.push({
        path: root,
        reason: `another sample of ${task} is called ${sampleTitle(sample)}: ${taken.root}; rename one of them`,
      })
  }
  return { samples: kept, ignored: [...ignored, ...others] }
}
