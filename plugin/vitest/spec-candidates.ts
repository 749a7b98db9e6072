import { readFileSync } from 'node:fs'
import { findSamples, realPath, type Found } from '../candidates/index.ts'
import { shownName } from '../files/index.ts'
import { didYouMean, type Ignored, type Sample } from '../model/index.ts'
import { placeOf, specsOf, tasksIn } from '../suites/index.ts'
import type { RunSuites } from './run-suites.ts'

/** The candidates of a run as the main process sees them: searched once, and again when something may have moved. */
export class SpecCandidates {
  readonly #roots: readonly string[]
  readonly #suites: RunSuites & { model?: string | undefined }
  #found: Found | undefined
  /** tasks of each spec that was read, by module id */
  readonly #tasks = new Map<string, string[]>()

  constructor(roots: readonly string[], suites: RunSuites & { model?: string | undefined }) {
    this.#roots = roots
    this.#suites = suites
  }

  /** Everything under the candidate roots. */
  get found(): Found {
    return (this.#found ??= findSamples(this.#roots, this.#suites))
  }

  /** What looks like a candidate and is judged by no spec, with the reason; samples of a task that there is not, once for it. */
  get ignored(): Ignored[] {
    const { tasks } = this.#suites
    const strays = new Map<string, Ignored>()
    for (const { task, root } of this.found.samples)
      if (!tasks.includes(task) && !strays.has(task))
        strays.set(task, {
          path: shownName(root),
          reason: `no task is called ${shownName(task)}${didYouMean(task, tasks)}`,
        })
    return [...this.found.ignored, ...strays.values()]
  }

  /** Forgets the search; the next question looks at the disk again. */
  refresh(): void {
    this.#found = undefined
  }

  /** Samples of the tasks that a spec defines. The text of the spec is read from disk when it is not given. */
  samplesOfSpec(id: string, code: string = readText(id)): Sample[] {
    const tasks = tasksIn(code)
    if (tasks.length > 0) this.#tasks.set(id, tasks)
    const suite = this.suiteOf(id)
    return this.found.samples.filter(({ task, suite: its = suite }) => tasks.includes(task) && its === suite)
  }

  /** The suite that a spec is part of. */
  suiteOf(id: string): string {
    return placeOf(id, this.#suites.suites).suite
  }

  /** Specs whose candidates a changed, new or deleted file belongs to. */
  specsOf(file: string): string[] {
    const before = this.found.samples
    this.refresh()
    const place = realPath(file)
    const owners = [...before, ...this.found.samples].filter((sample) => place.startsWith(`${sample.root}/`))
    const isTouched = (id: string, tasks: readonly string[]): boolean =>
      owners.some(({ task, suite = this.suiteOf(id) }) => tasks.includes(task) && suite === this.suiteOf(id))
    return [...this.#tasks].filter(([id, tasks]) => isTouched(id, tasks)).map(([id]) => id)
  }

  /** The same for several files, of all specs there are: nothing has been read before. */
  specsOfAll(files: readonly string[]): string[] {
    const { suites } = this.#suites
    for (const spec of suites.flatMap((suite) => specsOf(suite, suites))) this.samplesOfSpec(spec)
    return [...new Set(files.flatMap((file) => this.specsOf(file)))]
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
