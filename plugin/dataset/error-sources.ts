import { hashOf } from '../cache/hash.ts'
import type { Finding } from '../generation/types.ts'
import { RandomStream } from '../inputs/index.ts'
import { qualifiedName, type Verdict, type ProjectFile } from '../model/index.ts'
import { mistakeKinds, mistakesIn, withMistake, type Mistake, type MistakeKind } from './api-mistakes.ts'
import { classOf, compileAttempt, judgeAttempt, type Attempt, type CaseLimits } from './attempts.ts'
import type { Judging } from './judging.ts'
import type { ProjectSource } from './project-source.ts'
import { snippetAround, type Snippet } from './snippet.ts'
import { digestOfFiles } from './source.ts'
import { standaloneFiles } from './standalone.ts'
import type { WorkFolder } from './work-folder.ts'

/** An operator of a run, and what became of it. */
export interface Judged {
  source: ProjectSource
  files: ProjectFile[]
  sha256: string
  verdict: Verdict
  findings: Finding[]
}

/** An attempt that does not compile because of one place. */
export interface ApiError {
  key: string
  suite: string
  task: string
  source: string
  sha256: string
  files: ProjectFile[]
  snippet: Snippet
  findings: Finding[]
  class: string | null
  /** class, name and words of the first message: errors of one signature are alike */
  signature: string
  /** what was made wrong; absent of an attempt that came so */
  mistake?: MistakeKind
}

/** An attempt that compiles and is wrong, and one that is right. */
export interface KernelError {
  key: string
  suite: string
  task: string
  source: string
  sha256: string
  files: ProjectFile[]
  findings: Finding[]
  verdict: string
  class: string | null
  reference: ProjectFile[]
}

export interface ErrorMaterial {
  folder: WorkFolder
  judging: Judging
  limits: CaseLimits
  /** mistakes made in each right operator */
  mistakes: number
  tell: (line: string) => void
}

const nameOf = ({ task, source }: ProjectSource): string => `${qualifiedName(task.interface)} ${source}`

/** Judges an operator, once: what came of it is kept in the folder. */
export async function judgedSource(source: ProjectSource, { folder, judging, limits }: ErrorMaterial): Promise<Judged> {
  return {
    source,
    ...(await folder.found(`judged ${nameOf(source)}`, async () => {
      const files = await standaloneFiles(source.sample)
      const attempt = await judgeAttempt(source.task, files, judging, limits)
      return { files, sha256: digestOfFiles(files), ...attempt }
    })),
  }
}

const isKernel = ({ path }: ProjectFile): boolean => path.startsWith('op_kernel/')

/** Names and numbers of a message do not tell errors apart. */
const skeletonOf = (message: string): string =>
  message
    .replaceAll(/'[^']*'|"[^"]*"/g, "'…'")
    .replaceAll(/\d+/g, '0')
    .trim()

/** What a compile error is about, for errors that are alike; undefined where no line of the kernel is at fault. */
function placeOf({ verdict }: Attempt): { path: string; line: number; signature: string } | undefined {
  if (verdict.kind !== 'compile-failed') return undefined
  const first = verdict.diagnostics.find(({ severity }) => severity === 'error')
  if (first?.file === undefined || first.line === undefined) return undefined
  const name = /'([\w:<>]+)'/.exec(first.message)?.[1] ?? ''
  const at = Math.max(first.file.lastIndexOf('/op_kernel/'), first.file.lastIndexOf('/op_host/'))
  const path = at < 0 ? first.file : first.file.slice(at + 1)
  return { path, line: first.line, signature: `${verdict.class} ${name} ${skeletonOf(first.message)}` }
}

/** Lines from the first to the last error of a file that a correction can be asked for. */
const widest = 30

/** An attempt that does not compile as it came, where one stretch of one file is at fault. */
export function ownError({ source, files, sha256, verdict, findings }: Judged): ApiError | undefined {
  const place = placeOf({ verdict, findings })
  if (!place || verdict.kind !== 'compile-failed') return undefined
  const file = files.find(({ path }) => path === place.path)
  const lines = verdict.diagnostics.flatMap(({ severity, file: at = '', line = 0 }) =>
    severity === 'error' ? [{ isHere: at.endsWith(place.path), line }] : [],
  )
  if (!file || lines.some(({ isHere, line }) => !isHere || Math.abs(line - place.line) > widest)) return undefined
  const { suite, name } = source.task.interface
  const snippet = snippetAround(place.path, file.content, place.line)
  return {
    key: hashOf('api', nameOf(source), sha256),
    suite,
    task: name,
    source: source.source,
    sha256,
    files,
    snippet,
    findings,
    class: classOf(verdict),
    signature: place.signature,
  }
}

/**
 * Makes mistakes in a right operator, one at a time, of as many kinds as there are, and compiles it: those that keep it from compiling, at
 * or near the place where they were made.
 */
export async function mistakenErrors(judged: Judged, material: ErrorMaterial): Promise<ApiError[]> {
  const { folder, mistakes } = material
  return await folder.found(`mistakes ${nameOf(judged.source)}`, async () => {
    const found: ApiError[] = []
    for (const { file, mistake } of drawn(judged, material.limits.seed).slice(0, 2 * mistakes)) {
      if (found.length === mistakes) break
      const error = await withError(judged, file, mistake, material)
      if (error && !found.some(({ signature }) => signature === error.signature)) found.push(error)
    }
    return found
  })
}

/** Mistakes of a kernel in an order in which every kind comes before any comes again. */
function drawn({ source, files }: Judged, seed: number): { file: ProjectFile; mistake: Mistake }[] {
  const random = new RandomStream(seed, nameOf(source))
  const all = files.filter(isKernel).flatMap((file) => mistakesIn(file.content).map((mistake) => ({ file, mistake })))
  const byKind = new Map(mistakeKinds.map((kind) => [kind, all.filter(({ mistake }) => mistake.kind === kind)]))
  const kinds = shuffled(mistakeKinds, random)
  const order: typeof all = []
  for (let left = true; left;) {
    left = false
    for (const kind of kinds) {
      const of = byKind.get(kind)!
      if (of.length === 0) continue
      order.push(...of.splice(random.below(of.length), 1))
      left = true
    }
  }
  return order
}

function shuffled<T>(all: readonly T[], random: RandomStream): T[] {
  const left = [...all]
  return Array.from({ length: all.length }, () => left.splice(random.below(left.length), 1)).flat()
}

async function withError(
  { source, files, sha256 }: Judged,
  file: ProjectFile,
  mistake: Mistake,
  { judging }: ErrorMaterial,
): Promise<ApiError | undefined> {
  const content = withMistake(file.content, mistake)
  const failing = files.map((each) => (each === file ? { ...file, content } : each))
  const attempt = await compileAttempt(source.task, failing, judging)
  const place = placeOf(attempt)
  if (!place || place.path !== file.path) return undefined
  const made = content.slice(0, mistake.start).split('\n').length
  const snippet = snippetAround(file.path, content, made)
  if (place.line < snippet.first || place.line > snippet.last) return undefined
  const { suite, name } = source.task.interface
  return {
    key: hashOf('mistake', nameOf(source), sha256, JSON.stringify(mistake)),
    suite,
    task: name,
    source: source.source,
    sha256,
    files: failing,
    snippet,
    findings: attempt.findings,
    class: classOf(attempt.verdict),
    signature: place.signature,
    mistake: mistake.kind,
  }
}

/** An attempt that compiles and is wrong, with one that is right to learn from; undefined where it is another kind of failure. */
export function kernelError(
  { source, files, sha256, verdict, findings }: Judged,
  reference: readonly ProjectFile[],
): KernelError | undefined {
  const kinds: readonly Verdict['kind'][] = [
    'wrong-value',
    'wrong-nonfinite',
    'wrong-structure',
    'device-error',
    'hazard',
    'tiling-failed',
    'crashed',
    'timeout',
  ]
  if (!kinds.includes(verdict.kind)) return undefined
  const { suite, name } = source.task.interface
  return {
    key: hashOf('kernel', nameOf(source), sha256),
    suite,
    task: name,
    source: source.source,
    sha256,
    files,
    findings,
    verdict: verdict.kind,
    class: classOf(verdict),
    reference: [...reference],
  }
}
