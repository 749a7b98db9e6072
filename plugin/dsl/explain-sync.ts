import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Compiled } from './compile.ts'
import type { Buffer, Statement } from './ir.ts'
import type { Role } from './memory.ts'
import type { Order } from './order.ts'
import { lineOf } from './problem.ts'
import type { Step, Traffic } from './schedule.ts'

// The synchronisation that the compiler inserts, with the lines that ask for it and what it costs on the emulator.

/** Who waits for whom at a step of a queue: tokens are set behind a use, and waited for before the next one. */
const sides: Readonly<Record<Exclude<Role, 'scratch'>, { first: string; second: string }>> = {
  in: { first: 'MTE2', second: 'V' },
  out: { first: 'V', second: 'MTE3' },
  through: { first: 'MTE2', second: 'MTE3' },
}

const calls: Readonly<Record<Traffic['op'], { api: string; says: (first: string, second: string) => string }>> = {
  alloc: { api: 'AllocTensor', says: (first, second) => `${first} waits until ${second} is done with it` },
  enqueue: { api: 'EnQue', says: (first) => `${first} says that it is there` },
  dequeue: { api: 'DeQue', says: (first, second) => `${second} waits until ${first} says so` },
  release: {
    api: 'FreeAllEvent',
    says: (first, second) => `${first} waits until ${second} is done with it: its flag is for others`,
  },
  free: { api: 'FreeTensor', says: (_, second) => `${second} says that it is done with it` },
}

/** Copies of one tensor that wait for each other: the call, and the flags that it sets and waits for. */
const waits: Readonly<Record<Order, { api: string; says: string; tokens: number }>> = {
  MTE3_MTE2: { api: 'WaitFlag', says: 'MTE2 waits until MTE3 has stored what comes before', tokens: 2 },
  MTE2_MTE3: { api: 'WaitFlag', says: 'MTE3 waits until MTE2 has loaded what comes before', tokens: 2 },
  MTE3: { api: 'PipeBarrier', says: 'MTE3 has stored what comes before', tokens: 0 },
  ALL: { api: 'PipeBarrier', says: 'all pipes are done with what comes before', tokens: 0 },
}

interface Row {
  readonly line: number
  readonly api: string
  readonly of: string
  readonly says: string
  readonly cycles: number
  /** variables of the loops around it, outermost first */
  readonly loops: readonly string[]
}

const costsFile = fileURLToPath(new URL('../../plugin/emulator/runtime/costs.h', import.meta.url))
let costs: string | undefined

/** Cycles of what the emulator calls so. */
function cyclesOf(name: string): number {
  costs ??= readFileSync(costsFile, 'utf8')
  const written = new RegExp(`\\b${name} = ([^,;]+)`).exec(costs)?.[1] ?? ''
  const [, factor = '1', other] = /^(?:(\d+) \* )?([a-z]\w*)$/.exec(written) ?? []
  return other === undefined ? Number(written) : Number(factor) * cyclesOf(other)
}

/** A table of the flags of queues and of barriers, in the order of the kernel. */
export function explainSync({ steps, memory, program }: Compiled, text: string): string {
  const rows = rowsOf(
    steps,
    [],
    (buffer) => memory.roleOf.get(buffer)!,
    (at) => lineOf(text, at),
  )
  if (rows.length === 0) return `${program.name} has nothing that waits`
  const cells = rows.map((row) => [
    String(row.line),
    row.api,
    row.of,
    String(row.cycles),
    row.loops.length === 0 ? 'once' : `each ${row.loops.join(', ')}`,
    row.says,
  ])
  const table = [['line', 'call', 'of', 'cycles', 'when', ''], ...cells]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  const lines = table.map((row) =>
    row
      .map((cell, column) =>
        column === 0 || column === 3 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  )
  return [
    ...lines,
    '',
    'cycles of the emulator, of a core for itself; how long a pipe then waits is in the timeline of a launch',
  ].join('\n')
}

function rowsOf(
  steps: readonly Step[],
  loops: readonly string[],
  roleOf: (buffer: Buffer) => Role,
  line: (at: number) => number,
): Row[] {
  return steps.flatMap((step, i): Row[] => {
    if (step.op === 'statement') {
      const { statement } = step
      const within = statement.op === 'for' ? [...loops, statement.name] : loops
      return [
        ...barriersOf(statement).map((row) => ({ ...row, line: line(statement.span.start), loops })),
        ...step.blocks.flatMap((block) => rowsOf(block, within, roleOf, line)),
      ]
    }
    if (step.op === 'order') {
      const { api, says, tokens } = waits[step.order]
      const cycles = tokens === 0 ? 1 : tokens * cyclesOf('tokenCycles')
      return [{ line: line(nearStatement(steps, i)!.span.start), api, of: step.tensor, says, cycles, loops }]
    }
    const role = roleOf(step.buffer)
    if (role === 'scratch') return []
    const { first, second } = sides[role]
    const { api, says } = calls[step.op]
    const at = nearStatement(steps, i)?.span.start ?? step.buffer.span.start
    return [
      { line: line(at), api, of: step.buffer.name, says: says(first, second), cycles: cyclesOf('tokenCycles'), loops },
    ]
  })
}

/** The statement that a step belongs to: the one before that is done with the tensor, or the one behind that wants it. */
function nearStatement(steps: readonly Step[], at: number): Statement | undefined {
  const step = steps[at]!
  const isBehind = step.op === 'enqueue' || step.op === 'free'
  const others = isBehind ? steps.slice(0, at).toReversed() : steps.slice(at + 1)
  for (const other of others) if (other.op === 'statement') return other.statement
  return undefined
}

/** The scalar unit takes a cycle for one, whatever the pipes have to finish. */
const barrier = (of: string, says: string) => ({ api: 'PipeBarrier', of, says, cycles: 1 })

/** Barriers that functions of the project have. */
function barriersOf(statement: Statement): Pick<Row, 'api' | 'of' | 'says' | 'cycles'>[] {
  if (statement.op === 'call' && statement.primitive.lowering === 'cores') {
    const { name } = statement.primitive
    return [
      barrier(name, 'all pipes are done before the core leaves its part'),
      barrier(name, 'the part is there before others are told'),
      { api: 'SyncAll', of: name, says: 'all cores wait for each other', cycles: cyclesOf('pollAllCycles') },
      barrier(name, 'the parts of all are there'),
    ]
  }
  if (statement.op === 'store' && statement.pitch !== null)
    return [barrier(statement.buffer.name, 'behind each row, only where rows overlap')]
  return []
}
