import type { Buffer, Statement } from './ir.ts'
import type { Memory, Role } from './memory.ts'
import type { Order, Waits } from './order.ts'
import { fail } from './problem.ts'
import { blocksOf, computedIn, usesOf, walkStatements } from './walk.ts'

// The third lowering: queue traffic. A tensor that is loaded lives from the stage that loads it to its last use in the same
// block, one that is stored from its first use to the stage that stores it; between them it passes through its queue.

export type Traffic =
  | { readonly op: 'alloc' | 'dequeue'; readonly buffer: Buffer; readonly declares: boolean }
  | { readonly op: 'enqueue' | 'free'; readonly buffer: Buffer }
  /** gives back the flags that say when freed tensors may be overwritten */
  | { readonly op: 'release'; readonly buffer: Buffer }

/** What the kernel does, in order; statements with blocks have them as steps. */
export type Step =
  | Traffic
  | { readonly op: 'order'; readonly order: Order; readonly tensor: string }
  | { readonly op: 'statement'; readonly statement: Statement; readonly blocks: readonly (readonly Step[])[] }

interface Context {
  readonly roleOf: Memory['roleOf']
  /** what statements wait for besides */
  readonly orders: ReadonlyMap<Statement, Waits>
  /** tensors that are alive around this block */
  readonly open: ReadonlySet<Buffer>
}

/** Adds what queues and other copies of a tensor need to the statements of a kernel. Fails where a tensor is used when it is in no hands. */
export const schedule = (kernel: readonly Statement[], { roleOf }: Memory, orders: Context['orders']): Step[] =>
  scheduleBlock(kernel, { roleOf, orders, open: new Set() })

const loadsIn = (statement: Statement): Set<Buffer> => transfersIn(statement, 'load')
const storesIn = (statement: Statement): Set<Buffer> => transfersIn(statement, 'store')

function transfersIn(statement: Statement, op: 'load' | 'store'): Set<Buffer> {
  const found = new Set<Buffer>()
  walkStatements([statement], (each) => {
    if (each.op === op) found.add(each.buffer)
  })
  return found
}

const isStage = (statement: Statement, stage: 'copyIn' | 'copyOut'): boolean =>
  statement.op === 'stage' && statement.stage === stage

/** Does the statement use the buffer, but for loading or storing it? */
const computesOn = (statement: Statement, buffer: Buffer): boolean => {
  let found = false
  walkStatements([statement], (each) => {
    if (computedIn(each).some((use) => use.buffer === buffer)) found = true
  })
  return found
}

/** One life of a tensor in a block: indices of statements. */
interface Life {
  readonly buffer: Buffer
  readonly role: Role
  /** the stage that loads it, or the first use of what is stored */
  readonly from: number
  /** where it is taken out of its queue */
  readonly dequeued: number
  /** the last use, or the last stage that stores it */
  readonly to: number
  /** of what is stored: the last use before the stage */
  readonly enqueued: number
}

function livesIn(block: readonly Statement[], roleOf: Memory['roleOf']): Life[] {
  return block.flatMap((statement, i): Life[] => [
    ...(isStage(statement, 'copyIn')
      ? [...loadsIn(statement)].map((buffer) => loadedLife(block, i, buffer, roleOf))
      : []),
    ...(isStage(statement, 'copyOut')
      ? [...storesIn(statement)].flatMap((buffer) => storedLife(block, i, buffer, roleOf))
      : []),
  ])
}

function loadedLife(block: readonly Statement[], from: number, buffer: Buffer, roleOf: Memory['roleOf']): Life {
  const role = roleOf.get(buffer)!
  const behind = block.findIndex((each, i) => i > from && loadsIn(each).has(buffer))
  const until = behind < 0 ? block.length : behind
  const uses = block.flatMap((each, i) =>
    i > from && i < until && (computesOn(each, buffer) || storesIn(each).has(buffer)) ? [i] : [],
  )
  if (uses.length === 0)
    fail(
      loadIn(block[from]!, buffer),
      `${buffer.name} is loaded, and nothing in this block uses it`,
      'use it behind the load, in the block of the load',
    )
  return { buffer, role, from, dequeued: uses[0]!, to: uses.at(-1)!, enqueued: from }
}

const loadIn = (stage: Statement, buffer: Buffer): { start: number; end: number } => {
  let found = stage.span
  walkStatements([stage], (each) => {
    if ((each.op === 'load' || each.op === 'store') && each.buffer === buffer) found = each.span
  })
  return found
}

function storedLife(block: readonly Statement[], at: number, buffer: Buffer, roleOf: Memory['roleOf']): Life[] {
  const role = roleOf.get(buffer)!
  if (role !== 'out') return []
  const before = block.findLastIndex((each, i) => i < at && storesIn(each).has(buffer))
  const uses = block.flatMap((each, i) => (i > before && i < at && computesOn(each, buffer) ? [i] : []))
  const next = block.findIndex((each, i) => i > at && storesIn(each).has(buffer))
  // stored once more before it is computed anew: one life, unless a block further in computes it and stores it itself
  const isStoredOn =
    next > 0 && isStage(block[next]!, 'copyOut') && !block.slice(at + 1, next).some((each) => computesOn(each, buffer))
  if (uses.length === 0 && before >= 0 && isStage(block[before]!, 'copyOut')) return []
  if (uses.length === 0)
    fail(
      loadIn(block[at]!, buffer),
      `${buffer.name} is stored, and nothing in this block has computed it`,
      'a tensor is computed and stored in one block: move the copyOut',
    )
  return [{ buffer, role, from: uses[0]!, dequeued: at, to: isStoredOn ? next : at, enqueued: uses.at(-1)! }]
}

function scheduleBlock(block: readonly Statement[], context: Context): Step[] {
  const lives = livesIn(block, context.roleOf)
  const declared = new Set<Buffer>()
  const declares = (buffer: Buffer): boolean => {
    const isFirst = !declared.has(buffer)
    declared.add(buffer)
    return isFirst
  }
  return block.flatMap((statement, i): Step[] => {
    const open = new Set([
      ...context.open,
      ...lives.filter(({ from, to }) => from <= i && i <= to).map(({ buffer }) => buffer),
    ])
    checkHands(statement, { ...context, open })
    if (lives.some(({ from }) => from === i)) checkEvents(statement, { ...context, open })
    const before: Step[] = []
    const first: Step[] = []
    const last: Step[] = []
    const after: Step[] = []
    for (const { buffer, role, from, dequeued, to, enqueued } of lives) {
      const isOut = role === 'out'
      if (i === from && isOut) before.push({ op: 'alloc', buffer, declares: declares(buffer) })
      if (i === from && !isOut) first.push({ op: 'alloc', buffer, declares: true })
      if (i === from && !isOut) last.push({ op: 'enqueue', buffer })
      if (i === dequeued && role === 'in') before.push({ op: 'dequeue', buffer, declares: declares(buffer) })
      if (i === dequeued && isOut) before.push({ op: 'dequeue', buffer, declares: false })
      if (i === dequeued && role === 'through') before.push({ op: 'dequeue', buffer, declares: declares(buffer) })
      if (i === enqueued && isOut) after.push({ op: 'enqueue', buffer })
      if (i === to) after.push({ op: 'free', buffer })
    }
    const blocks = blocksOf(statement).map((each) => scheduleBlock(each, { ...context, open }))
    const [only] = blocks
    const own: Step = {
      op: 'statement',
      statement,
      blocks: statement.op === 'stage' && only ? [[...first, ...only, ...last]] : blocks,
    }
    const waits = [...(context.orders.get(statement) ?? [])].map(([order, tensor]): Step => ({
      op: 'order',
      order,
      tensor,
    }))
    return [...before, ...waits, own, ...after]
  })
}

/** A tensor takes an event of its pair of pipes from its allocation until it is free, and there are so many. */
export const events = 8

function checkEvents(statement: Statement, { roleOf, open }: Context): void {
  const held = [...open].map((buffer) => (roleOf.get(buffer) === 'out' ? 'stored' : 'loaded'))
  for (const kind of ['stored', 'loaded']) {
    const count = held.filter((each) => each === kind).length
    if (count <= events) continue
    fail(
      blocksOf(statement).length > 0 ? { start: statement.span.start, end: statement.span.start + 7 } : statement.span,
      `${count} tensors that are ${kind} are in hand at once, and a core tells ${events} apart`,
      kind === 'stored'
        ? 'store some of them before others are computed, in stages of their own'
        : 'load some of them behind the last use of others',
    )
  }
}

/** Queued tensors are used where they are in hand. */
function checkHands(statement: Statement, { roleOf, open }: Context): void {
  if (blocksOf(statement).length > 0) return
  for (const { buffer } of statement.op === 'load' ? computedIn(statement) : usesOf(statement)) {
    const role = roleOf.get(buffer)
    if (role === 'scratch' || open.has(buffer)) continue
    const hint =
      role === 'in'
        ? `what is loaded lasts to the end of the block that loads it: load ${buffer.name} here, or keep a copy in another buffer`
        : `${buffer.name} is stored in another block: compute it in a buffer of its own, and cast or copy it in the block that stores it`
    fail(statement.span, `${buffer.name} is not in hand here`, hint)
  }
}
