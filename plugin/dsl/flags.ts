import { holdsIn } from './columns.ts'
import type { Buffer, Program } from './ir.ts'
import { bytesIn, factorIn, memoryOf, type Memory, type Role } from './memory.ts'
import { events, schedule, type Step } from './schedule.ts'
import { mostOf } from './ways.ts'

// A queue takes a flag of its pair of pipes for each tensor that it frees, until that memory is allocated again. Of each pair there
// are `events`, for all queues of one role together. Where one turn of a loop would take more, queues hold one tensor in place of
// two. Where that is not enough, or queues that are done with still have flags, those that were freed first give theirs back.

const roles: readonly Role[] = ['in', 'out', 'through']

const columnsOf = ({ columns }: Program): number[] => Array.from({ length: columns }, (_, column) => column)

const sumOf = (terms: Iterable<number>): number => [...terms].reduce((sum, each) => sum + each, 0)

/** Roles whose queues take more flags than there are, if none ever gives one back. */
const shortRoles = (program: Program, { areas }: Memory): Role[] =>
  roles.filter((role) => {
    const queues = areas.filter((each) => each.role === role)
    return columnsOf(program).some((column) => {
      const taken = mostOf<number>(queues, new Map(), {
        size: ({ copies }) => factorIn(copies, column),
        where: (_, term) => term,
        sum: sumOf,
        largest: (terms) => Math.max(...terms),
      })
      return (taken ?? 0) > events
    })
  })

/** The memory of a program, where loops have no more tensors in their queues than flags if that can be. */
export function memoryWithFlags(program: Program): Memory {
  const memory = memoryOf(program)
  const short = shortRoles(program, memory)
  if (short.length === 0) return memory
  const steps = schedule(program.kernel, memory, new Map())
  const depths = new Map(memory.depthOf)
  for (const role of short)
    for (const column of columnsOf(program)) {
      const asked = { program, memory, role, column }
      for (const loop of loopsIn(steps, asked, new Set(), new Set())) makeSingle(loop, asked, depths)
    }
  return memoryOf(program, depths)
}

interface Asked {
  readonly program: Program
  readonly memory: Memory
  readonly role: Role
  readonly column: number
}

/** What one turn of a loop allocates, without the loops in it, and how many tensors are in hand around it. */
interface Loop {
  readonly own: ReadonlySet<Buffer>
  readonly around: number
}

/** The loops that a column comes to. */
function loopsIn(steps: readonly Step[], asked: Asked, own: Set<Buffer>, inHand: Set<Buffer>): Loop[] {
  const { program, memory, role, column } = asked
  return steps.flatMap((step): Loop[] => {
    if (step.op === 'statement') {
      const { statement, blocks } = step
      if (statement.op !== 'for') {
        const sides =
          statement.op === 'static-if' ? [blocks[holdsIn(program, statement.test, column) ? 0 : 1]!] : blocks
        return sides.flatMap((block) => loopsIn(block, asked, own, inHand))
      }
      const inside = new Set<Buffer>()
      const further = loopsIn(blocks[0]!, asked, inside, inHand)
      return [...further, { own: inside, around: inHand.size }]
    }
    if (step.op === 'order' || memory.roleOf.get(step.buffer) !== role) return []
    if (step.op === 'free') inHand.delete(step.buffer)
    if (step.op !== 'alloc') return []
    own.add(step.buffer)
    inHand.add(step.buffer)
    return []
  })
}

/** Has queues of a loop hold one tensor, until there are flags for all: the smallest first, of equal ones the last. */
function makeSingle({ own, around }: Loop, { program, memory, column }: Asked, depths: Map<Buffer, number>): void {
  // sizes that differ by fields are compared where these are large
  const fields = new Map(program.fields.map(({ name }): [string, number] => [name, 1024]))
  const smallest = memory.areas
    .filter(({ buffer }) => buffer !== null && own.has(buffer))
    .map(({ buffer, sizes }) => ({ buffer: buffer!, bytes: bytesIn(sizes[0]!, column, fields) / buffer!.depth }))
    .toReversed()
    .toSorted((one, other) => one.bytes - other.bytes)
  for (const { buffer } of smallest) {
    const taken = around + sumOf([...own].map((each) => depths.get(each)!))
    if (taken > events) depths.set(buffer, 1)
  }
}

/** Which queues may have flags of freed tensors, those that were freed first in front, and whose tensors are in hand. */
interface State {
  readonly taken: Map<Buffer, number>
  readonly inHand: Set<Buffer>
}

/** Adds what gives flags back, where queues may take more than there are. */
export const withFlagsGivenBack = (program: Program, memory: Memory, steps: readonly Step[]): Step[] =>
  shortRoles(program, memory).reduce<Step[]>(
    (all, role) => giveBack(all, { memory, role }, { taken: new Map(), inHand: new Set() }, false),
    [...steps],
  )

type Queues = Pick<Asked, 'memory' | 'role'>

/** `isFollowed`: other tensors may be allocated behind the block. */
function giveBack(steps: readonly Step[], queues: Queues, state: State, isFollowed: boolean): Step[] {
  const { memory, role } = queues
  const lastOfRole = steps.findLastIndex((step) => allocatedIn([step], queues).size > 0)
  return steps.flatMap((step, i): Step[] => {
    if (step.op === 'statement') return giveBackAround(step, queues, state, isFollowed || i < lastOfRole)
    if (step.op === 'order' || memory.roleOf.get(step.buffer) !== role) return [step]
    const { taken, inHand } = state
    const { buffer } = step
    const depth = memory.depthOf.get(buffer)!
    const before = taken.get(buffer) ?? 0
    if (step.op === 'free') {
      inHand.delete(buffer)
      taken.delete(buffer)
      taken.set(buffer, Math.min(before + 1, depth))
    }
    if (step.op !== 'alloc') return [step]
    inHand.add(buffer)
    if (before === depth) setOrDelete(taken, buffer, depth - 1)
    // its own flag is that of the tensor before it, which is still at work
    const others = [...taken.keys()].filter((each) => each !== buffer)
    return [...giveBackUntilEnough([...others, buffer], inHand.size, taken), step]
  })
}

function giveBackAround(
  step: Extract<Step, { op: 'statement' }>,
  queues: Queues,
  state: State,
  isFollowed: boolean,
): Step[] {
  const { statement, blocks } = step
  const [only] = blocks
  if (statement.op === 'stage' && only) return [{ ...step, blocks: [giveBack(only, queues, state, isFollowed)] }]
  if (statement.op === 'if' || statement.op === 'static-if') {
    const sides = blocks.map((block) => {
      const side: State = { taken: new Map(state.taken), inHand: new Set(state.inHand) }
      return { steps: [...giveBack(block, queues, side, isFollowed), ...giveBackOwn(block, side, isFollowed)], side }
    })
    const after = sides.map(({ side }) => side.taken).reduce(joined)
    replace(state.taken, after)
    return [{ ...step, blocks: sides.map((each) => each.steps) }]
  }
  if (statement.op !== 'for' || !only) return [step]
  // before the loop, rather than in each turn
  const own = allocatedIn(only, queues)
  const others = [...state.taken.keys()].filter((each) => !own.has(each))
  const needed = sumOf([...own].map((each) => queues.memory.depthOf.get(each)!)) + state.inHand.size
  const rest = new Map(others.map((each): [Buffer, number] => [each, state.taken.get(each)!]))
  const first = giveBackUntilEnough(others, needed, rest)
  for (const each of first) if (each.op === 'release') state.taken.delete(each.buffer)
  // what one turn leaves the next one finds
  for (;;) {
    const turn: State = { taken: new Map(state.taken), inHand: new Set(state.inHand) }
    const body = giveBack(only, queues, turn, true)
    const after = joined(state.taken, turn.taken)
    const isKnown = [...after].every(([buffer, count]) => count === state.taken.get(buffer))
    replace(state.taken, after)
    if (isKnown) return [...first, { ...step, blocks: [body] }]
  }
}

/** Has queues give back what they have, in this order, until there are flags for so many tensors besides. */
function giveBackUntilEnough(order: readonly Buffer[], besides: number, taken: Map<Buffer, number>): Step[] {
  return order.flatMap((buffer): Step[] => {
    if (!taken.has(buffer) || besides + sumOf(taken.values()) <= events) return []
    taken.delete(buffer)
    return [{ op: 'release', buffer }]
  })
}

/** Queues that one side of a test has are not known behind it. */
function giveBackOwn(block: readonly Step[], { taken }: State, isFollowed: boolean): Step[] {
  return block.flatMap((step): Step[] => {
    if (step.op !== 'statement' || step.statement.op !== 'declare') return []
    const { buffer } = step.statement
    return taken.delete(buffer) && isFollowed ? [{ op: 'release', buffer }] : []
  })
}

/** What may be taken behind one way or another: what only the first has was freed before. */
function joined(one: ReadonlyMap<Buffer, number>, other: ReadonlyMap<Buffer, number>): Map<Buffer, number> {
  const all = new Map([...one].filter(([buffer]) => !other.has(buffer)))
  for (const [buffer, count] of other) all.set(buffer, Math.max(count, one.get(buffer) ?? 0))
  return all
}

function setOrDelete(taken: Map<Buffer, number>, buffer: Buffer, count: number): void {
  if (count > 0) taken.set(buffer, count)
  else taken.delete(buffer)
}

function replace(taken: Map<Buffer, number>, after: ReadonlyMap<Buffer, number>): void {
  taken.clear()
  for (const [buffer, count] of after) taken.set(buffer, count)
}

/** Queues that steps allocate tensors of. */
function allocatedIn(steps: readonly Step[], queues: Queues, found = new Set<Buffer>()): Set<Buffer> {
  for (const step of steps) {
    if (step.op === 'statement') for (const block of step.blocks) allocatedIn(block, queues, found)
    else if (step.op === 'alloc' && queues.memory.roleOf.get(step.buffer) === queues.role) found.add(step.buffer)
  }
  return found
}
