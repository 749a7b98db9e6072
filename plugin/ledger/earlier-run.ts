import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { scratchName } from '../process/scratch.ts'
import { ledgerEntry, type LedgerEntry } from './entry.ts'
import {
  isOf,
  judgedSample,
  sampleKey,
  samplesName,
  type Basis,
  type JudgedName,
  type JudgedSample,
} from './judged-samples.ts'
import { cutTorn, wholeLines, type PlacedLine } from './lines.ts'
import { isClaimed, isRunning, ledgerOf, runningPrefix, temporaryOf } from './runs.ts'

/** What a line must have for its sample to be told. */
const heading = z.object({
  model: z.string().nullable().default(null),
  suite: z.string(),
  task: z.string(),
  sample: z.string().nullable(),
  time: z.iso.datetime().optional(),
})

type Heading = z.infer<typeof heading>

/** What is known of a sample, and where its lines are. */
interface Known {
  judged: JudgedSample
  places: Pick<PlacedLine, 'offset' | 'bytes'>[]
}

/**
 * What a run that was cut off has left, to be continued: the samples that it has judged to the end. Opening it takes every
 * other line out of its ledger, a torn one as well. Lines are read when they are asked for.
 */
export class EarlierRun {
  readonly id: string
  readonly #ledger: string
  readonly #samples: string
  readonly #known: Map<string, Known>
  readonly #opened = new Date().toISOString()
  readonly #claim: string
  #revoked = false

  /**
   * Throws, in one line, where another process still writes to that run, or is about to: of two that continue it at once, both
   * may be refused; never none. So where one of its files is none, and may keep its reader waiting.
   */
  constructor(runs: string, id: string) {
    const goesOn = new Error(`the run ${id} is still going on: wait for its end, or stop it`)
    if (isRunning(runs, id)) throw goesOn
    this.id = id
    this.#ledger = ledgerOf(runs, id)
    const folder = dirname(this.#ledger)
    this.#samples = join(folder, samplesName)
    const claim = scratchName(runningPrefix)
    this.#claim = join(folder, claim)
    writeFileSync(this.#claim, '')
    process.once('exit', this.#release)
    try {
      if (isClaimed(folder, claim)) throw goesOn
      this.#known = this.#open()
    } catch (error) {
      this.#release()
      throw error
    }
  }

  #open(): Map<string, Known> {
    for (const path of [this.#samples, this.#ledger])
      if (existsSync(path) && !statSync(path).isFile()) throw new Error(`${path}: is no file`)
    const judged = samplesIn(this.#samples)
    for (const key of incomplete(this.#ledger, judged)) judged.delete(key)
    if (existsSync(this.#ledger)) keepLines(this.#ledger, (line) => holds(judged, line))
    return placesOf(this.#ledger, judged)
  }

  /** Lets others continue the run. */
  readonly #release = (): void => {
    process.off('exit', this.#release)
    rmSync(this.#claim, { force: true })
  }

  /** How many samples the run has judged to the end. */
  get size(): number {
    return this.#known.size
  }

  /**
   * The lines of a sample that was judged to the end; undefined where it was not, or where they follow from something else
   * than `now`: then it has to be judged again, and they do not count any more.
   */
  find(name: JudgedName, now: Basis | undefined): LedgerEntry[] | undefined {
    const key = sampleKey(name)
    const known = this.#known.get(key)
    if (!known) return undefined
    if (isSame(known.judged.basis, now)) return this.#read(known.places)
    this.#known.delete(key)
    this.#revoked = true
    const { model, suite, task, sample } = name
    const revoked: JudgedSample = { model, suite, task, sample, since: this.#opened }
    appendFileSync(this.#samples, `${JSON.stringify(revoked)}\n`)
    return undefined
  }

  /** Takes out of the ledger what has been judged again, and lets others continue the run. */
  finish(): void {
    try {
      if (this.#revoked) this.#takeOut()
    } finally {
      this.#release()
    }
  }

  #takeOut(): void {
    const judged = samplesIn(this.#samples)
    keepLines(this.#ledger, (line) => {
      const known = judged.get(sampleKey(line))
      return !known || line.time === undefined || isOf(known, line)
    })
  }

  #read(places: Known['places']): LedgerEntry[] {
    const file = openSync(this.#ledger, 'r')
    try {
      return places.map(({ offset, bytes }) => {
        const data = Buffer.alloc(bytes)
        readSync(file, data, 0, bytes, offset)
        return ledgerEntry.parse(JSON.parse(data.toString('utf8')))
      })
    } finally {
      closeSync(file)
    }
  }
}

const isSame = (one: Basis | undefined, other: Basis | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.artifact === other.artifact &&
  one.sources === other.sources &&
  one.digest === other.digest

/** Samples by their keys, as the last line of each says. A torn or damaged line is one that is not there. */
function samplesIn(path: string): Map<string, JudgedSample> {
  const judged = new Map<string, JudgedSample>()
  if (!existsSync(path)) return judged
  cutTorn(path)
  for (const { text } of wholeLines(path)) {
    const parsed = judgedSample.safeParse(parseJson(text))
    if (parsed.success) judged.set(sampleKey(parsed.data), parsed.data)
  }
  return judged
}

const holds = (judged: ReadonlyMap<string, JudgedSample>, line: Heading): boolean => {
  const known = judged.get(sampleKey(line))
  return known?.basis !== undefined && isOf(known, line)
}

/** Samples of which the ledger does not have every line. */
function incomplete(path: string, judged: ReadonlyMap<string, JudgedSample>): string[] {
  const counts = new Map<string, number>()
  for (const { text } of existsSync(path) ? wholeLines(path) : []) {
    const { data: line } = heading.safeParse(parseJson(text))
    if (line && holds(judged, line)) counts.set(sampleKey(line), (counts.get(sampleKey(line)) ?? 0) + 1)
  }
  return [...judged].flatMap(([key, { basis, entries }]) => (basis && counts.get(key) !== entries ? [key] : []))
}

/** Leaves nothing but some lines in a ledger, in one step; a ledger that has no others stays the file that it is. */
function keepLines(path: string, keep: (line: Heading) => boolean): void {
  const isKept = ({ text }: PlacedLine): boolean => {
    const parsed = heading.safeParse(parseJson(text))
    return parsed.success && keep(parsed.data)
  }
  let end = 0
  let kept = 0
  for (const line of wholeLines(path)) {
    end = line.offset + line.bytes + 1
    if (isKept(line)) kept += line.bytes + 1
  }
  if (kept === end && statSync(path).size === end) return
  const draft = temporaryOf(path)
  const file = openSync(draft, 'w')
  try {
    for (const line of wholeLines(path)) if (isKept(line)) writeSync(file, `${line.text}\n`)
    closeSync(file)
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Where the lines of each sample are that was judged to the end. */
function placesOf(path: string, judged: ReadonlyMap<string, JudgedSample>): Map<string, Known> {
  const known = new Map<string, Known>()
  for (const [key, sample] of judged) if (sample.basis) known.set(key, { judged: sample, places: [] })
  if (!existsSync(path)) return known
  for (const { text, offset, bytes } of wholeLines(path)) {
    const parsed = heading.safeParse(parseJson(text))
    if (parsed.success) known.get(sampleKey(parsed.data))?.places.push({ offset, bytes })
  }
  return known
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
