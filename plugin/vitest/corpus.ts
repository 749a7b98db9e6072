import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { makeFolder } from '../files/index.ts'
import { kernelCase, qualifiedName, type KernelCase, type TaskInterface } from '../model/index.ts'

/** Cases kept for one task; the oldest make room. */
const capacity = 20

/**
 * Counterexamples of earlier runs: one JSON file per task, cases by value, newest first. What a run finds is for later runs: no sample is
 * judged by what was found of another one beside it.
 */
export class Corpus {
  readonly path: string
  readonly #begun: string | undefined

  /** `run` is the folder of a run, which keeps what there was when it came to the task, also where it is continued. */
  constructor(folder: string, task: Pick<TaskInterface, 'suite' | 'name'>, run?: string) {
    this.path = join(folder, `${qualifiedName(task)}.json`)
    this.#begun = run === undefined ? undefined : join(run, 'corpus', `${qualifiedName(task)}.json`)
  }

  /** The cases to try first, as they were kept when the run came to this task. Throws what `read` throws. */
  ofEarlierRuns(): KernelCase[] {
    if (this.#begun === undefined) return this.read()
    if (!existsSync(this.#begun)) replace(this.#begun, this.read())
    return casesIn(this.#begun)
  }

  /** The kept cases; none without a file. A file that is no list of cases is an error that names it. */
  read(): KernelCase[] {
    return casesIn(this.path)
  }

  /** Keeps a case. A case with NaN or infinite values, which JSON cannot hold, is left out. */
  add(found: KernelCase): void {
    const key = JSON.stringify(found)
    if (JSON.stringify(parseJson(key)) !== key || !kernelCase.safeParse(parseJson(key)).success) return
    const others = this.read().filter((known) => JSON.stringify(known) !== key)
    replace(this.path, [found, ...others].slice(0, capacity))
  }
}

function casesIn(path: string): KernelCase[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return []
  }
  const parsed = z.array(kernelCase).safeParse(parseJson(text))
  if (!parsed.success) throw new Error(`${path} is no list of cases; delete it or mend it`)
  return parsed.data
}

function replace(path: string, cases: readonly KernelCase[]): void {
  makeFolder(dirname(path))
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, `${JSON.stringify(cases, null, 1)}\n`)
  renameSync(temporary, path)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
