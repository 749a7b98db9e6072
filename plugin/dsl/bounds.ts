import { intervalOf, type Interval, type KnownNames } from './intervals.ts'
import type { Buffer, Expression, Extent, Program, Statement } from './ir.ts'
import { fail } from './problem.ts'
import { partsIn } from './walk.ts'

// Indices and extents that are outside of their buffer, and offsets before the beginning of a tensor, whatever the problem is.

/** Checks statements in order; `attempt` collects what is wrong. */
export function checkBounds(program: Program, attempt: (check: () => void) => void): void {
  checkBlock(program.kernel, { program, names: new Map(), attempt })
}

interface Walk {
  readonly program: Program
  readonly names: ReadonlyMap<string, Interval>
  readonly attempt: (check: () => void) => void
}

function checkBlock(statements: readonly Statement[], { program, names: known, attempt }: Walk): void {
  const names = new Map(known)
  for (const statement of statements) {
    attempt(() => checkStatement(statement, program, names))
    const within: Walk = { program, names, attempt }
    switch (statement.op) {
      case 'const':
        names.set(statement.name, intervalOf(statement.value, program, names))
        break
      case 'let':
        // it is assigned to
        names.set(statement.name, { least: -Infinity, most: Infinity })
        break
      case 'for': {
        const [first, behind] = [statement.from, statement.to].map((each) => intervalOf(each, program, names))
        const inLoop = new Map(names).set(statement.name, { least: first!.least, most: behind!.most - 1 })
        checkBlock(statement.body, { ...within, names: inLoop })
        break
      }
      case 'stage':
        checkBlock(statement.body, within)
        break
      case 'if':
      case 'static-if':
        checkBlock(statement.yes, within)
        checkBlock(statement.no, within)
        break
      default:
    }
  }
}

function checkStatement(statement: Statement, program: Program, names: KnownNames): void {
  const of = (each: Expression): Interval => intervalOf(each, program, names)
  for (const part of partsIn(statement)) if (part.op === 'get') checkIndex(part.buffer, part.index, of)
  if (statement.op === 'set') checkIndex(statement.buffer, statement.index, of)
  if (statement.op === 'load' || statement.op === 'store') {
    if (of(statement.offset).most < 0)
      fail(statement.offset.span, `this is before the beginning of ${statement.tensor}`, 'offsets count from 0')
    checkExtent(statement.buffer, statement.extent, of)
  }
  if (statement.op !== 'call') return
  for (const [i, { kind }] of statement.primitive.operands.entries())
    if (kind === 'data' || kind === 'mask') checkExtent(statement.buffers[i]!, statement.extent, of)
}

function checkIndex({ name, rows, columns }: Buffer, index: Expression, of: (each: Expression) => Interval): void {
  const { least, most } = of(index)
  const size = of(columns).most * (rows ? of(rows).most : 1)
  if (most < 0) fail(index.span, `${name} has no element ${most}`, 'elements count from 0')
  if (least >= size) fail(index.span, `${name} has no element ${least}`, `it has ${size}, which count from 0`)
}

function checkExtent(buffer: Buffer, { rows, columns }: Extent, of: (each: Expression) => Interval): void {
  const pairs: [Expression | null, Expression | null, string][] = [
    [columns, buffer.columns, buffer.rows ? 'columns' : 'elements'],
    [rows, buffer.rows, 'rows'],
  ]
  for (const [asked, there, what] of pairs) {
    if (!asked || !there) continue
    const most = of(there).most
    if (of(asked).least > most) fail(asked.span, `${buffer.name} has ${most} ${what}`, 'the extent is at most its size')
  }
}
