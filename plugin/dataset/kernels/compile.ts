import type { Diagnostic, ProjectFile } from '../../model/index.ts'
import type { Judging } from '../judging.ts'
import type { OperatorFacts } from './operator.ts'
import { codeOf } from './pieces.ts'

/** What compiles: in the confinement of candidates. */
export type Compiler = Pick<Judging, 'build' | 'withFiles'>

/** Whether a code defines a kernel itself. */
export const definesEntry = (code: string): boolean => /__global__/.test(codeOf(code))

/**
 * Compiles codes beside the host part of an operator: kernels each alone, declarations together, each in a namespace of its own.
 * By code, the first error of the compiler; null where there is none.
 */
export async function compileCodes(
  compiler: Compiler,
  facts: OperatorFacts,
  codes: readonly string[],
): Promise<(string | null)[]> {
  const problems = new Map<string, string | null>()
  for (const code of codes.filter(standsAlone)) problems.set(code, await problemOf(compiler, facts, [code]))
  const together = [...new Set(codes.filter((code) => !standsAlone(code)))]
  for (const [code, problem] of await compileTogether(compiler, facts, together)) problems.set(code, problem)
  return codes.map((code) => problems.get(code) ?? null)
}

/** What would reach others of the same unit: an entry point, macros, conditionals, brackets that do not match. */
export const standsAlone = (code: string): boolean => {
  const text = codeOf(code)
  return /__global__|\bextern\b|^[ \t]*#[ \t]*(?!include\b)/m.test(text) || !isBalanced(text)
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const char of text) {
    if (char === '{') depth++
    else if (char === '}' && --depth < 0) return false
  }
  return depth === 0
}

async function compileTogether(
  compiler: Compiler,
  facts: OperatorFacts,
  codes: readonly string[],
): Promise<Map<string, string | null>> {
  const problems = new Map<string, string | null>()
  let left = [...codes]
  while (left.length > 0) {
    const errors = await errorsOf(compiler, facts, left)
    if (errors.length === 0) break
    const named = new Set(errors.flatMap(({ code }) => code ?? []))
    // what nobody is named for is told by each alone
    const suspects = named.size === 0 ? left : left.filter((code) => named.has(code))
    for (const code of suspects) problems.set(code, await problemOf(compiler, facts, [code]))
    left = left.filter((code) => !suspects.includes(code))
  }
  for (const code of left) problems.set(code, null)
  return problems
}

async function problemOf(compiler: Compiler, facts: OperatorFacts, codes: readonly string[]): Promise<string | null> {
  const [first] = await errorsOf(compiler, facts, codes)
  return first ? first.message : null
}

interface Located {
  message: string
  code: string | undefined
}

async function errorsOf(compiler: Compiler, facts: OperatorFacts, codes: readonly string[]): Promise<Located[]> {
  const unit = unitFor(facts, codes)
  const path = kernelPath(facts)
  const errors = await buildErrors(compiler, facts, [{ path, content: unit.text }])
  return errors.map(({ message, line, file }) => ({
    message,
    code: file?.endsWith(path) && line !== undefined ? unit.codeAt(line) : undefined,
  }))
}

const kernelPath = ({ interface: task }: OperatorFacts): string => `op_kernel/${task.kernel}.cpp`

/** Builds a kernel beside the host part of an operator, for one combination of dtypes. What the compiler says against it. */
export async function buildErrors(
  compiler: Compiler,
  { interface: task, combination, host }: Pick<OperatorFacts, 'interface' | 'combination' | 'host'>,
  kernel: readonly ProjectFile[],
): Promise<Pick<Diagnostic, 'message' | 'line' | 'file'>[]> {
  const built = await compiler.withFiles(task, [...host, ...kernel], async (sample) =>
    compiler.build({ sample, task, combinations: [combination] }),
  )
  if ('problem' in built) return [{ message: built.problem }]
  if (built.ok) return []
  const { diagnostics, log } = built.verdict
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  return errors.length > 0 ? errors : [{ message: log.slice(0, 500) }]
}

const include = /^[ \t]*#[ \t]*include\b[^\n]*$/gm

const library = '#include "kernel_operator.h"'

/**
 * The source that a code is compiled as: itself where it has an entry point, else beside one that does nothing. A code that includes
 * nothing, as most of those in documents, includes the library.
 */
export function kernelFileOf(facts: Pick<OperatorFacts, 'interface' | 'core'>, code: string): ProjectFile {
  const text = code.search(include) < 0 ? `${library}\n\n${code}` : code
  const content = definesEntry(code) ? text : `${text.trimEnd()}\n\n${emptyEntry(facts)}`
  return { path: `op_kernel/${facts.interface.kernel}.cpp`, content }
}

function emptyEntry({ interface: task, core }: Pick<OperatorFacts, 'interface' | 'core'>): string {
  const addresses = Array.from(
    { length: task.inputs.length + task.outputs.length + 2 },
    (_, i) => `GM_ADDR argument${i}`,
  )
  return [
    `extern "C" __global__ __aicore__ void ${task.kernel}(${addresses.join(', ')}) {`,
    `  KERNEL_TASK_TYPE_DEFAULT(${core});`,
    '}',
    '',
  ].join('\n')
}

/** One source of several codes, and whose a line is. */
function unitFor(
  facts: OperatorFacts,
  codes: readonly string[],
): { text: string; codeAt: (line: number) => string | undefined } {
  const [only] = codes
  if (codes.length === 1 && only !== undefined) return { text: kernelFileOf(facts, only).content, codeAt: () => only }
  const includes = new Set([library, ...codes.flatMap((code) => code.match(include) ?? [])])
  const lines = [...includes]
  const starts: number[] = []
  for (const [i, code] of codes.entries()) {
    starts.push(lines.length + 1)
    lines.push(`namespace row_${i} {`, ...code.replace(include, '').split('\n'), '}')
  }
  const end = lines.length
  lines.push(emptyEntry(facts))
  const codeAt = (line: number): string | undefined =>
    line > end ? undefined : codes[starts.findLastIndex((start) => start <= line)]
  return { text: lines.join('\n'), codeAt }
}
