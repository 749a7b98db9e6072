import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { sample } from 'fast-check'
import { z } from 'zod'
import { hashOf } from '../cache/hash.ts'
import { megabytes, readRegular } from '../files/index.ts'
import { replaceFile } from '../ledger/runs.ts'
import { kernelCase, qualifiedName, type KernelCase } from '../model/index.ts'
import { isCaseOf } from '../task/case-of-task.ts'
import type { KernelTask } from '../task/kernel-task.ts'

/** Cases kept for one task; the oldest make room. */
const capacity = 20

/** Where values of large inputs are part of a case, it takes a megabyte. */
const largestFile = 32 << 20

/** A case with the name of the domain that it was found in; somebody may have written one by hand, without. */
const keptCase = kernelCase.extend({ domain: z.string().optional() })
type KeptCase = z.infer<typeof keptCase>

/** Cases to be judged again, and how many were kept that are none of the task any more. */
export interface Kept {
  cases: KernelCase[]
  others: number
}

/**
 * Counterexamples of earlier runs: one JSON file per task, cases by value, newest first. What a run finds is for later runs: no sample is
 * judged by what was found of another one beside it.
 */
export class Corpus {
  readonly path: string
  readonly #task: CorpusTask
  readonly #begun: string | undefined
  #domain: string | undefined

  /** `run` is the folder of a run, which keeps what there was when it came to the task, also where it is continued. */
  constructor(folder: string, task: CorpusTask, run?: string) {
    const file = `${qualifiedName(task.interface)}.json`
    this.path = join(folder, file)
    this.#task = task
    this.#begun = run === undefined ? undefined : join(run, 'corpus', file)
  }

  /** The cases to try first, as they were kept when the run came to this task. Throws what `read` throws. */
  ofEarlierRuns(): Kept {
    if (this.#begun === undefined) return this.read()
    if (!existsSync(this.#begun)) replace(this.#begun, casesIn(this.path))
    return this.#fitting(casesIn(this.#begun))
  }

  /**
   * The kept cases that a candidate owes an answer to; none without a file. A file that is no list of cases is an error that names it.
   */
  read(): Kept {
    return this.#fitting(casesIn(this.path))
  }

  /** Keeps a case; throws where it cannot be written. One with NaN or infinite values, which JSON cannot hold, is left out. */
  add(found: KernelCase): void {
    const key = JSON.stringify(found)
    if (JSON.stringify(parseJson(key)) !== key || !kernelCase.safeParse(parseJson(key)).success) return
    const others = casesIn(this.path).filter((known) => JSON.stringify({ ...known, domain: undefined }) !== key)
    replace(this.path, [{ ...found, domain: this.#domainName() }, ...others].slice(0, capacity))
  }

  #fitting(kept: readonly KeptCase[]): Kept {
    const cases = kept.flatMap(({ domain, ...known }) =>
      isCaseOf(this.#task, known) && (domain === undefined || domain === this.#domainName()) ? [known] : [],
    )
    return { cases, others: kept.length - cases.length }
  }

  /** Nothing else tells whether a domain could draw a case: what it does draw stands for it. */
  #domainName(): string {
    return (this.#domain ??= hashOf(JSON.stringify(sample(this.#task.domain, { seed: 1, numRuns: 100 }))))
  }
}

/** What decides which cases are those of a task. */
export type CorpusTask = Pick<KernelTask, 'interface' | 'maxElements' | 'domain'>

function casesIn(path: string): KeptCase[] {
  const text = textOf(path)
  if (text === undefined) return []
  const listed = z.array(z.unknown()).safeParse(parseJson(text))
  const parsed = z.array(keptCase).safeParse(listed.data?.slice(0, capacity))
  if (!parsed.success) throw new Error(`${path} is no list of cases; delete it or mend it`)
  return parsed.data
}

/** What cannot be read is not there. */
function textOf(path: string): string | undefined {
  try {
    if (lstatSync(path).size <= largestFile) return readRegular(path, largestFile).toString('utf8')
  } catch {
    return undefined
  }
  throw new Error(`${path} is larger than ${megabytes(largestFile)}: no list of cases; delete it or mend it`)
}

const replace = (path: string, cases: readonly KeptCase[]): void =>
  replaceFile(path, `${JSON.stringify(cases, null, 1)}\n`)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
