import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { kernelCase, qualifiedName, type KernelCase, type TaskInterface } from '../model/index.ts'

/** Cases kept for one task; the oldest make room. */
const capacity = 20

/** Counterexamples of earlier runs: one JSON file per task, cases by value, newest first. */
export class Corpus {
  readonly path: string

  constructor(folder: string, task: Pick<TaskInterface, 'suite' | 'name'>) {
    this.path = join(folder, `${qualifiedName(task)}.json`)
  }

  /** The kept cases; none without a file. A file that is no list of cases is an error that names it. */
  read(): KernelCase[] {
    let text: string
    try {
      text = readFileSync(this.path, 'utf8')
    } catch {
      return []
    }
    const parsed = z.array(kernelCase).safeParse(parseJson(text))
    if (!parsed.success) throw new Error(`${this.path} is no list of cases; delete it or mend it`)
    return parsed.data
  }

  /** Keeps a case. A case with NaN or infinite values, which JSON cannot hold, is left out. */
  add(found: KernelCase): void {
    const key = JSON.stringify(found)
    if (JSON.stringify(parseJson(key)) !== key || !kernelCase.safeParse(parseJson(key)).success) return
    const others = this.read().filter((known) => JSON.stringify(known) !== key)
    mkdirSync(dirname(this.path), { recursive: true })
    const temporary = `${this.path}.${process.pid}.tmp`
    writeFileSync(temporary, `${JSON.stringify([found, ...others].slice(0, capacity), null, 1)}\n`)
    renameSync(temporary, this.path)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
