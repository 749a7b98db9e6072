import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import picomatch from 'picomatch'
import type { KernelTask } from '../task/index.ts'
import { qualifiedName } from '../model/index.ts'
import { specsOf, tasksIn, type ResolvedSuite } from '../suites/index.ts'
import { loadSpecs, loadTask } from './specs.ts'
import { didYouMean, UserError } from './user-error.ts'

interface Spec {
  path: string
  /** as patterns name it: below the folder of its suite, without its ending */
  place: string
  suite: string
  names: readonly string[]
}

/**
 * The tasks that names and patterns choose, in the order of the specs: `RmsNorm`, `npukernelbench/RmsNorm`, `Rms*`, `level1/**`, a
 * path of a spec. Every pattern has to choose one. Rejects with a UserError.
 */
export async function chosenTasks(
  suites: readonly ResolvedSuite[],
  patterns: readonly string[],
): Promise<KernelTask[]> {
  const specs = suites.flatMap((suite) =>
    specsOf(suite, suites).map((path): Spec => {
      const place = relative(suite.folder, path).replace(/\.spec\.ts$/, '')
      return { path, place, suite: suite.name, names: tasksIn(readFileSync(path, 'utf8')) }
    }),
  )
  const wanted = new Map<string, Set<string>>()
  const others: KernelTask[] = []
  for (const pattern of patterns) {
    const chosen = chosenBy(pattern, specs)
    for (const { path, name } of chosen) wanted.set(path, (wanted.get(path) ?? new Set()).add(name))
    if (chosen.length > 0) continue
    // a name may be put together, so that no spec spells it
    if (/^[\w/]+$/.test(pattern)) others.push(await loadTask(suites, pattern))
    else {
      const places = specs.map(({ place }) => place)
      throw new UserError(
        `--tasks ${pattern}: no task and no spec is called so${didYouMean(pattern, places)}; see vitest-npu tasks`,
      )
    }
  }
  const { tasks, broken } = wanted.size === 0 ? { tasks: [], broken: [] } : await loadSpecs(suites, [...wanted.keys()])
  if (broken.length > 0) throw new UserError(broken.join('\n'))
  const names = new Set([...wanted.values()].flatMap((each) => [...each]))
  const all = [...tasks.filter((task) => names.has(task.interface.name)), ...others]
  // several patterns may have led to the same
  return [...new Map(all.map((task) => [qualifiedName(task.interface), task])).values()]
}

/**
 * `count` tasks of each group, or all of a smaller one, in the order given: those whose SHA-256 of `<seed> <suite>/<task>` is least,
 * so that a seed draws the same ones on every machine, and more of them when more are asked for.
 */
export function drawn(tasks: readonly KernelTask[], count: number, seed: number): KernelTask[] {
  const groups = new Map<string, KernelTask[]>()
  for (const task of tasks) {
    const { suite, group } = task.interface
    const key = `${suite}/${group}`
    groups.set(key, [...(groups.get(key) ?? []), task])
  }
  const rank = ({ interface: task }: KernelTask): string =>
    createHash('sha256').update(`${seed} ${qualifiedName(task)}`).digest('hex')
  const kept = new Set(
    [...groups.values()].flatMap((group) =>
      group
        .map((task) => ({ task, rank: rank(task) }))
        .sort((a, b) => (a.rank < b.rank ? -1 : 1))
        .slice(0, count)
        .map(({ task }) => task),
    ),
  )
  return tasks.filter((task) => kept.has(task))
}

function chosenBy(pattern: string, specs: readonly Spec[]): { path: string; name: string }[] {
  const matches = picomatch(pattern.replace(/\.spec\.ts$/, '').replace(/^(?:\.\/)?tasks\//, ''))
  return specs.flatMap(({ path, place, suite, names }) => {
    const ofPlace = matches(place) || matches(`${suite}/${place}`)
    return names
      .filter((name) => ofPlace || matches(name) || matches(`${suite}/${name}`))
      .map((name) => ({ path, name }))
  })
}
