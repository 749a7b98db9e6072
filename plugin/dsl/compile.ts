import type { ProjectFile } from '../model/index.ts'
import { basename } from 'node:path'
import { memoryWithFlags, withFlagsGivenBack } from './flags.ts'
import { hostSource, tilingHeader } from './lower-host.ts'
import { kernelSource } from './lower-kernel.ts'
import type { Program } from './ir.ts'
import type { Memory } from './memory.ts'
import { checkLeast } from './memory-table.ts'
import { readProgram } from './operator.ts'
import { ordersOf } from './order.ts'
import { DslProblem, printProblem, type Problem } from './problem.ts'
import { renameVariables } from './renamed.ts'
import { schedule, type Step } from './schedule.ts'
import { parse } from './syntax.ts'
import { validate } from './validate.ts'

/** What each lowering has come to. */
export interface Compiled {
  readonly ok: true
  readonly program: Program
  readonly memory: Memory
  readonly steps: readonly Step[]
  readonly files: readonly ProjectFile[]
  /** lines of the program by lines of the kernel, both from 1 */
  readonly lines: ReadonlyMap<number, number>
}

export interface Refused {
  readonly ok: false
  readonly problems: readonly Problem[]
  /** what a person reads */
  readonly message: string
}

/** Compiles the text of a program to an operator project. Never throws for what is written in it. */
export function compileDsl(file: string, text: string): Compiled | Refused {
  const refused = (problems: readonly Problem[]): Refused => ({
    ok: false,
    problems,
    message: problems.map((problem) => printProblem(basename(file), text, problem)).join('\n'),
  })
  try {
    const { program: tree, problems: syntax } = parse(file, text)
    if (syntax.length > 0) return refused(syntax)
    renameVariables(tree)
    const program = readProgram(tree)
    const problems = validate(program)
    if (problems.length > 0) return refused(problems)
    const memory = memoryWithFlags(program)
    checkLeast(program, memory, text)
    const scheduled = schedule(program.kernel, memory, ordersOf(program, memory))
    const steps = withFlagsGivenBack(program, memory, scheduled)
    return { ok: true, program, memory, steps, ...projectOf(program, memory, steps, text) }
  } catch (error) {
    if (error instanceof DslProblem) return refused([error.problem])
    if (error instanceof RangeError)
      return refused([{ span: { start: 0, end: 1 }, message: 'an expression or a block is nested too deeply' }])
    throw error
  }
}

function projectOf(
  program: Program,
  memory: Memory,
  steps: readonly Step[],
  text: string,
): Pick<Compiled, 'files' | 'lines'> {
  const host = hostSource(program, memory, text)
  const kernel = kernelSource(program, memory, steps, text)
  const flat: { line: string; from: number | null }[] = []
  for (const { text: written, from } of kernel)
    if (written.includes('\n')) for (const line of written.split('\n')) flat.push({ line, from })
    else flat.push({ line: written, from })
  return {
    files: [
      { path: `op_host/${program.entry}_tiling.h`, content: tilingHeader(program) },
      { path: `op_host/${program.entry}.cpp`, content: host },
      {
        path: `op_kernel/${program.entry}.cpp`,
        content: `${flat
          .map(({ line }) => line)
          .join('\n')
          .trimEnd()}\n`,
      },
    ],
    lines: linesOf(flat),
  }
}

/** Lines of the program by those of the kernel; what queues need belongs to the statement above it. */
function linesOf(lines: readonly { from: number | null }[]): Map<number, number> {
  const last = lines.findLastIndex(({ from }) => from !== null)
  const found = new Map<number, number>()
  let latest: number | null = null
  for (const [i, { from }] of lines.entries()) {
    latest = from ?? latest
    if (latest !== null && i <= last + 4) found.set(i + 1, latest)
  }
  return found
}
