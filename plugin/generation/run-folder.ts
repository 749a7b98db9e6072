import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../files/index.ts'
import { problemOf } from '../imports/index.ts'
import type { LedgerEntry } from '../ledger/index.ts'
import { cutTorn, wholeLines } from '../ledger/lines.ts'
import { ledgerName, replaceFile } from '../ledger/runs.ts'
import { messageOf, type ProjectFile } from '../model/index.ts'
import { programName } from './dsl/answer.ts'
import { GenerationError } from './error.ts'
import { WorkedFolder, type Settings } from './run-settings.ts'
import {
  readTranscript,
  transcriptName,
  type AnswerLine,
  type OutcomeLine,
  type SampleName,
  type TranscriptLine,
} from './transcript.ts'
import type { Prompt } from './types.ts'

/** The verdicts of every turn, in the order in which they were judged. */
const verdictsName = 'verdicts.jsonl'

/** What is written to disk, so that a test can have it fail. */
export interface Disk {
  /** `flush`: it is on the disk when the call returns */
  append(path: string, text: string, flush: boolean): void
}

const realDisk: Disk = { append: (path, text, flush) => appendFileSync(path, text, { flush }) }

/** One prompt with its answer, and what became of it. */
export interface Turn {
  answer: AnswerLine
  outcome?: OutcomeLine
}

/** Tells samples of one run apart. */
export const keyOf = ({ suite, task, sample }: SampleName): string => `${suite}/${task}/${sample}`

/** Where a sample lies below the folder of its run. */
export interface SamplePlace {
  /** `AddCustom`, or `npukernelbench/AddCustom` where several suites have one */
  task: string
  /** `s0`, or `fixed_case_3/s0` of a sample for one case */
  sample: string
}

/**
 * The folder of a run of generation: what was asked and answered, verdicts, and the newest files of each sample, laid out
 * as candidates are. Lines are only added, an answer before anything is done with it, so that whoever goes on after a kill asks for none
 * twice.
 */
export class RunFolder {
  readonly path: string
  /** of each sample that was ever answered, by {@link keyOf} */
  readonly turns: ReadonlyMap<string, readonly Turn[]>
  readonly prompts: ReadonlyMap<string, Prompt>
  readonly #turns: Map<string, Turn[]>
  readonly #prompts: Map<string, Prompt>
  readonly #worked: WorkedFolder
  readonly #disk: Disk
  #broken: GenerationError | undefined

  private constructor(
    worked: WorkedFolder,
    read: { turns: Map<string, Turn[]>; prompts: Map<string, Prompt> },
    disk: Disk,
  ) {
    this.path = worked.path
    this.#worked = worked
    this.turns = this.#turns = read.turns
    this.prompts = this.#prompts = read.prompts
    this.#disk = disk
  }

  /** Begins a run, or goes on with one of the same settings. Rejects with a {@link GenerationError}. */
  static async open(named: string, settings: Settings, disk: Disk = realDisk): Promise<RunFolder> {
    const worked = new WorkedFolder(named, settings, '--name')
    try {
      for (const name of [transcriptName, verdictsName]) cutTorn(join(worked.path, name))
      return new RunFolder(worked, readRun(join(worked.path, transcriptName)), disk)
    } catch (error) {
      worked.close()
      throw error
    }
  }

  /** Keeps an answer, and its prompt where it is the first to it. */
  noteAnswer(answer: Omit<AnswerLine, 'kind'>, prompt: Prompt): void {
    const line: AnswerLine = { kind: 'answer', ...answer }
    const before = this.#turns.get(keyOf(line))?.length ?? 0
    if (line.turn !== before + 1)
      throw new GenerationError(
        `${this.path}: turn ${line.turn} of ${keyOf(line)} was answered after turn ${before}; please report it`,
      )
    const { version, messages } = prompt
    const isNew = !this.#prompts.has(line.prompt)
    this.#append(transcriptName, [
      ...(isNew ? [{ kind: 'prompt' as const, hash: line.prompt, version, messages: [...messages] }] : []),
      line,
    ])
    this.#prompts.set(line.prompt, prompt)
    const key = keyOf(line)
    const turns = this.#turns.get(key)
    if (turns) turns.push({ answer: line })
    else this.#turns.set(key, [{ answer: line }])
  }

  /** Keeps what became of a turn, with the lines of the ledger that say so. */
  noteOutcome(outcome: Omit<OutcomeLine, 'kind'>, entries: readonly LedgerEntry[]): void {
    const line: OutcomeLine = { kind: 'outcome', ...outcome }
    const { suite, task, sample, turn } = line
    if (entries.length > 0) this.#append(verdictsName, [{ suite, task, sample, turn, entries }])
    this.#append(transcriptName, [line])
    const found = this.#turns.get(keyOf(line))?.[turn - 1]
    if (found) found.outcome = line
  }

  /** Folder of a sample, absolute. */
  folderOf({ task, sample }: SamplePlace): string {
    return join(this.path, task, sample)
  }

  /** The program of a sample that is one: beside where its folder would be, as candidates lie. */
  programOf(place: SamplePlace): string {
    return `${this.folderOf(place)}.npu.ts`
  }

  /** What is judged of a sample: its program or its folder. */
  candidateOf(place: SamplePlace): string {
    const program = this.programOf(place)
    return existsSync(program) ? program : this.folderOf(place)
  }

  /** Puts these files in the place of what the sample had. Returns why they cannot be those of a sample, if they cannot. */
  writeFiles(place: SamplePlace, files: readonly ProjectFile[]): string | undefined {
    const [only] = files
    if (files.length === 1 && only?.path === programName) return this.#writeProgram(place, only.content)
    const byPath = new Map(files.map(({ path, content }) => [path, content]))
    const [, stray] =
      [...byPath.keys()].map((path) => [isOfOperator(path), path] as const).find(([fits]) => !fits) ?? []
    if (stray !== undefined) return `${stray.slice(0, 80)}: files lie in op_host/ and op_kernel/`
    if (byPath.size < files.length) return 'one file is there twice'
    const problem = problemOf({ task: basename(place.task), sample: 'sample', model: null, files: byPath })
    if (problem !== undefined) return problem
    const folder = this.folderOf(place)
    this.#attempt(folder, () => {
      this.removeFiles(place)
      for (const [path, content] of byPath) {
        makeFolder(dirname(join(folder, path)))
        writeFileSync(join(folder, path), content)
      }
    })
    return undefined
  }

  #writeProgram(place: SamplePlace, content: string): undefined {
    const program = this.programOf(place)
    this.#attempt(program, () => {
      makeFolder(dirname(program))
      replaceFile(program, content)
    })
  }

  /** Leaves a sample without files: its newest answer has none that can be taken. */
  removeFiles(place: SamplePlace): void {
    rmSync(this.programOf(place), { force: true })
    for (const name of ['op_host', 'op_kernel', 'CMakeLists.txt'])
      rmSync(join(this.folderOf(place), name), { recursive: true, force: true })
  }

  /**
   * Writes the ledger of the run: of each sample what the ledger said of the turn that counts, so that every question is there once.
   */
  writeLedger(turnOf: (sample: SampleName) => number | undefined): void {
    const path = join(this.path, verdictsName)
    const lines = new Map<string, string>()
    if (existsSync(path))
      for (const { text } of wholeLines(path)) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by noteOutcome
        const { entries, turn, ...sample } = JSON.parse(text) as SampleName & { turn: number; entries: LedgerEntry[] }
        if (turnOf(sample) === turn)
          lines.set(keyOf(sample), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
      }
    this.#attempt(path, () => replaceFile(join(this.path, ledgerName), [...lines.values()].join('')))
  }

  /** Lets others work in the folder. */
  close(): void {
    this.#worked.close()
  }

  #append(name: string, lines: readonly (TranscriptLine | object)[]): void {
    if (this.#broken) throw this.#broken
    const path = join(this.path, name)
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    this.#attempt(
      path,
      // an answer has cost money; a verdict can be had again
      () =>
        this.#disk.append(
          path,
          text,
          lines.some((line) => 'kind' in line && line.kind === 'answer'),
        ),
    )
    this.#worked.touch()
  }

  /** What cannot be written ends the run: another line would be joined to a torn one. */
  #attempt(path: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#broken = new GenerationError(
        `${path}: cannot be written: ${messageOf(error)}; what was there before is kept: make room, then repeat the command`,
      )
      throw this.#broken
    }
  }
}

const isOfOperator = (path: string): boolean => /^(?:op_host|op_kernel)\/|^CMakeLists\.txt$/.test(path)

function readRun(path: string): { turns: Map<string, Turn[]>; prompts: Map<string, Prompt> } {
  const turns = new Map<string, Turn[]>()
  const prompts = new Map<string, Prompt>()
  for (const line of readTranscript(path)) {
    if (line.kind === 'prompt') {
      prompts.set(line.hash, { version: line.version, messages: line.messages })
      continue
    }
    const key = keyOf(line)
    const of = turns.get(key) ?? []
    turns.set(key, of)
    if (line.kind === 'answer') {
      if (line.turn !== of.length + 1)
        throw new GenerationError(`${path}: turn ${line.turn} of ${key} follows turn ${of.length}; restore the file`)
      of.push({ answer: line })
    } else {
      const turn = of[line.turn - 1]
      if (!turn)
        throw new GenerationError(`${path}: tells what became of turn ${line.turn} of ${key}, which is not there`)
      turn.outcome = line
    }
  }
  return { turns, prompts }
}
