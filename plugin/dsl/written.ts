import { holdsIn } from './columns.ts'
import type { Buffer, Expression, Program, Statement } from './ir.ts'
import { fail } from './problem.ts'
import { partsOf, usesOf, walkStatements } from './walk.ts'

// Reads of buffers that nothing can have been written to. What a test decides is not known here: where one side of it, or an
// earlier turn of a loop, may have written what is read, the author is believed, and the emulator looks.

interface Walk {
  readonly program: Program
  readonly column: number
  readonly attempt: (check: () => void) => void
  /** buffers that copies neither load nor store: these keep their content */
  readonly kept: ReadonlySet<Buffer>
  /** buffers that hold something */
  readonly written: Set<Buffer>
  /** kept buffers that hold something if an earlier test came out so */
  readonly maybe: Set<Buffer>
  /** kept buffers that the loops around this write: behind their first turn they hold something */
  readonly carried: ReadonlySet<Buffer>
  /** scalars that differ from turn to turn */
  readonly varying: Set<string>
}

/** Checks the statements that a column has, in order. */
export function checkWritten(program: Program, column: number, attempt: Walk['attempt']): void {
  const copied = new Set<Buffer>()
  walkStatements(program.kernel, (each) => {
    if (each.op === 'load' || each.op === 'store') copied.add(each.buffer)
  })
  const kept = new Set(program.buffers.filter((buffer) => !copied.has(buffer)))
  const none = { written: new Set<Buffer>(), maybe: new Set<Buffer>(), carried: new Set<Buffer>() }
  checkBlock(program.kernel, { program, column, attempt, kept, ...none, varying: new Set() })
}

function checkBlock(statements: readonly Statement[], walk: Walk): void {
  for (const statement of statements) {
    checkUses(statement, walk)
    switch (statement.op) {
      case 'const':
        if (isVarying(statement.value, walk)) walk.varying.add(statement.name)
        break
      case 'let':
        walk.varying.add(statement.name)
        break
      case 'for': {
        const carried = new Set([...walk.carried, ...writtenIn(statement.body, walk)])
        checkBlock(statement.body, { ...walk, carried, varying: new Set([...walk.varying, statement.name]) })
        break
      }
      case 'stage':
        checkBlock(statement.body, walk)
        if (statement.stage === 'copyOut') releaseStored(statement.body, walk)
        break
      case 'static-if':
        checkBlock(holdsIn(walk.program, statement.test, walk.column) ? statement.yes : statement.no, walk)
        break
      case 'if':
        checkSides(statement, walk)
        break
      default:
    }
  }
}

function checkUses(statement: Statement, { written, attempt }: Walk): void {
  for (const { buffer, access } of usesOf(statement)) {
    if (access !== 'write' && !written.has(buffer))
      attempt(() =>
        fail(
          statement.span,
          `${buffer.name} is read before anything is written to it`,
          statement.op === 'store' ? 'compute it first' : 'load it, or begin with duplicate',
        ),
      )
    written.add(buffer)
  }
}

const isVarying = (expression: Expression, { varying }: Walk): boolean =>
  partsOf(expression).some((part) => part.op === 'get' || (part.op === 'name' && varying.has(part.name)))

/** The buffers that statements write and that keep it. */
function writtenIn(statements: readonly Statement[], { kept }: Walk): Set<Buffer> {
  const found = new Set<Buffer>()
  walkStatements(statements, (each) => {
    for (const { buffer, access } of usesOf(each)) if (access !== 'read' && kept.has(buffer)) found.add(buffer)
  })
  return found
}

/** What is stored is gone behind the stage, but for what was loaded: that is stored as it is. */
function releaseStored(body: readonly Statement[], { program, written }: Walk): void {
  walkStatements(body, (each) => {
    if (each.op === 'store' && !isAnywhereLoaded(program, each.buffer)) written.delete(each.buffer)
  })
}

const isAnywhereLoaded = (program: Program, buffer: Buffer): boolean => {
  let found = false
  walkStatements(program.kernel, (each) => {
    if (each.op === 'load' && each.buffer === buffer) found = true
  })
  return found
}

/**
 * Within a test what may have been written counts. Behind it what both sides have written does, or one of them where the test
 * differs from turn to turn of a loop, as that for the first one.
 */
function checkSides(statement: Extract<Statement, { op: 'if' }>, walk: Walk): void {
  const before = new Set(walk.written)
  const sides = [statement.yes, statement.no].map((side) => {
    const written = new Set([...before, ...walk.maybe, ...walk.carried])
    const maybe = new Set(walk.maybe)
    checkBlock(side, { ...walk, written, maybe, varying: new Set(walk.varying) })
    const own = writtenIn(side, walk)
    return {
      maybe,
      holds: (buffer: Buffer) =>
        written.has(buffer) && (!walk.kept.has(buffer) || before.has(buffer) || own.has(buffer)),
    }
  })
  const isDecidedAnew = isVarying(statement.test, walk)
  for (const buffer of walk.program.buffers) {
    const holding = sides.filter(({ holds }) => holds(buffer)).length
    const isAnywhere = walk.kept.has(buffer) && (holding > 0 || sides.some(({ maybe }) => maybe.has(buffer)))
    if (isAnywhere) walk.maybe.add(buffer)
    if (holding === 2 || (isAnywhere && isDecidedAnew)) walk.written.add(buffer)
    else walk.written.delete(buffer)
  }
}
