import { readFileSync } from 'node:fs'
import { findSamples, isSource, sourcesOf, type Found } from '../candidates/index.ts'
import type { Sample } from '../model/index.ts'

/** Operators that a spec's text declares, from its `kernelSuite('<Operator>', …` calls. */
export const operatorsIn = (code: string): string[] => [
  ...new Set([...code.matchAll(/\bkernelSuite\(\s*(['"`])(\w+)\1/g)].map((match) => match[2] ?? '')),
]

/** The candidates of a run as the main process sees them: searched once, and again when something may have moved. */
export class SpecCandidates {
  readonly #roots: readonly string[]
  #found: Found | undefined
  /** operators of each spec that was read, by module id */
  readonly #operators = new Map<string, string[]>()

  constructor(roots: readonly string[]) {
    this.#roots = roots
  }

  /** Everything under the candidate roots. */
  get found(): Found {
    return (this.#found ??= findSamples(this.#roots))
  }

  /** Forgets the search; the next question looks at the disk again. */
  refresh(): void {
    this.#found = undefined
  }

  /** Samples of the operators that a spec is about. The text of the spec is read from disk when it is not given. */
  samplesOfSpec(id: string, code: string = readText(id)): Sample[] {
    const operators = operatorsIn(code)
    if (operators.length > 0) this.#operators.set(id, operators)
    return this.found.samples.filter((sample) => operators.includes(sample.task))
  }

  /** C++ files of the candidates that a spec is about. */
  sourcesOfSpec(id: string, code: string): string[] {
    return this.samplesOfSpec(id, code).flatMap(sourcesOf)
  }

  /** Specs whose candidates a changed, new or deleted file belongs to. */
  specsOf(file: string): string[] {
    const before = this.found.samples
    this.refresh()
    const owners = [...before, ...this.found.samples].filter((sample) => file.startsWith(`${sample.root}/`))
    const touched = new Set(owners.map((sample) => sample.task))
    return [...this.#operators].filter(([, operators]) => operators.some((o) => touched.has(o))).map(([id]) => id)
  }

  /** true for a C++ file below a candidate root. */
  owns(id: string): boolean {
    return isSource(id) && this.#roots.some((root) => id.startsWith(`${root}/`))
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
