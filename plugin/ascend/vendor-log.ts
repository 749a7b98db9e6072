import { basename, join } from 'node:path'
import type { Diagnostic, Verdict } from '../model/index.ts'
import { classOf } from '../toolchain/error-class.ts'
import { parseDiagnostics } from '../toolchain/diagnostics.ts'

type Failure = Omit<Extract<Verdict, { kind: 'compile-failed' }>, 'kind'>
type Stage = Failure['stage']

/** Where the files of a candidate are, on this machine; names relative to each folder. */
export interface CandidateFiles {
  hostDir: string
  kernelDir: string
  hostFiles: readonly string[]
  kernelFiles: readonly string[]
}

/** Colours of terminals, and tags that tools put in front of what compilers say. */
// oxlint-disable-next-line no-control-regex -- that is what colours are
const decoration = /\u001B\[[\d;]*m|^(?:\[[^\]\n]{1,80}\]\s*)+/gm

const isUndefined = ({ message }: Diagnostic): boolean =>
  /undefined reference|multiple definition|cannot find -l/.test(message)

/** The vendor's host compiler is a g++, which quotes ‘so’; its device compiler a clang, which quotes 'so'. */
const quotesOfHost = /[‘’]/

/** What a name in a log stands for: a file of the candidate, which was built elsewhere under the same name. */
function ownFile(file: string, files: CandidateFiles): { stage: Stage; file: string } | undefined {
  const inside = (folder: 'op_host' | 'op_kernel', names: readonly string[]): string | undefined => {
    const tail = file.split(`/${folder}/`).at(-1)
    return file.includes(`/${folder}/`) ? names.find((name) => name === tail) : undefined
  }
  const host = inside('op_host', files.hostFiles)
  if (host !== undefined) return { stage: 'host', file: join(files.hostDir, host) }
  const kernel = inside('op_kernel', files.kernelFiles)
  if (kernel !== undefined) return { stage: 'kernel', file: join(files.kernelDir, kernel) }
  // kernels are compiled as copies, in folders of the build
  const copies = files.kernelFiles.filter((name) => basename(name) === basename(file))
  const isHost = files.hostFiles.some((name) => basename(name) === basename(file))
  if (copies.length === 1 && !(isHost && !/kernel|binary|ascend/i.test(file)))
    return { stage: 'kernel', file: join(files.kernelDir, copies[0]!) }
  return undefined
}

/**
 * What the log of a build by the vendor's tools says of the candidate. Null where no compiler names an error: then a tool of
 * the build has failed, and nothing is known of the candidate.
 */
export function failureOfLog(log: string, files: CandidateFiles): Failure | null {
  const text = log.replaceAll(decoration, '')
  const stages = new Map<Diagnostic, Stage>()
  const diagnostics = parseDiagnostics(text).map((each) => {
    const own = each.file === undefined ? undefined : ownFile(each.file, files)
    const placed = own ? { ...each, file: own.file } : each
    const other: Stage = quotesOfHost.test(each.message) ? 'host' : 'kernel'
    stages.set(placed, isUndefined(each) ? 'link' : (own?.stage ?? other))
    return placed
  })
  const first = diagnostics.find(({ severity }) => severity === 'error')
  if (!first) return null
  const stage = stages.get(first) ?? 'kernel'
  return { stage, class: classOf(stage, [first]), diagnostics, log: text.trim() }
}

/** Warnings of a build that went well, with the places of the candidate. */
export const warningsOfLog = (log: string, files: CandidateFiles): Diagnostic[] =>
  parseDiagnostics(log.replaceAll(decoration, '')).flatMap((each) => {
    const own = each.file === undefined ? undefined : ownFile(each.file, files)
    return each.severity === 'warning' && own ? [{ ...each, file: own.file }] : []
  })
