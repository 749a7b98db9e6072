import type { Buffer, Call, Expression, Program, Statement } from './ir.ts'
import { fail } from './problem.ts'
import { partsOf, walkStatements } from './walk.ts'

// What all cores do together: each of them has to come to the same calls, equally often.

/** The destinations of calls that all cores make together. */
export function sharedBuffers(program: Program): Buffer[] {
  const found = new Set<Buffer>()
  walkStatements(program.kernel, (statement) => {
    if (statement.op === 'call' && isTogether(statement)) found.add(statement.buffers[0]!)
  })
  return [...found]
}

const isTogether = ({ primitive }: Call): boolean => primitive.lowering === 'cores'

/** Fails where not all cores would come to a call that waits for all of them. */
export function checkTogether(program: Program, attempt: (check: () => void) => void): void {
  const alike = new Set(program.fields.map(({ name }) => name))
  visit(program.kernel, { alike, apart: null, attempt })
}

interface Walk {
  /** scalars that are the same on all cores */
  readonly alike: ReadonlySet<string>
  /** what cores may differ in here */
  readonly apart: 'test' | 'loop' | null
  readonly attempt: (check: () => void) => void
}

const isAlike = (expression: Expression, alike: ReadonlySet<string>): boolean =>
  partsOf(expression).every((part) => part.op !== 'get' && (part.op !== 'name' || alike.has(part.name)))

function visit(statements: readonly Statement[], { alike: outer, apart, attempt }: Walk): void {
  const alike = new Set(outer)
  for (const statement of statements) {
    const within = { alike, apart, attempt }
    switch (statement.op) {
      case 'const':
        if (isAlike(statement.value, alike)) alike.add(statement.name)
        break
      case 'for': {
        const isSame = [statement.from, statement.to, statement.step].every((each) => isAlike(each, alike))
        visit(
          statement.body,
          isSame ? { ...within, alike: new Set([...alike, statement.name]) } : { ...within, apart: 'loop' },
        )
        break
      }
      case 'if':
        for (const side of [statement.yes, statement.no])
          visit(side, isAlike(statement.test, alike) ? within : { ...within, apart: 'test' })
        break
      case 'static-if':
        for (const side of [statement.yes, statement.no]) visit(side, within)
        break
      case 'stage':
        visit(statement.body, within)
        break
      case 'call':
        if (isTogether(statement)) attempt(() => checkCall(statement, within))
    }
  }
}

const reasons = {
  test: 'this test may hold on some cores only',
  loop: 'cores may go through this loop a different number of times',
}

function checkCall({ primitive: { name }, extent, span }: Call, { alike, apart }: Walk): void {
  if (extent.rows !== null) fail(extent.span, `${name} works on one row of values`, 'give the number of elements')
  if (apart !== null)
    fail(
      span,
      `${name} waits for all cores, and ${reasons[apart]}`,
      'call it where every core comes: keep a sum in a buffer, and reduce that behind the loop',
    )
  if (!isAlike(extent.columns, alike))
    fail(extent.span, `${name} has the same extent on all cores`, 'make it of what host returns, and of numbers')
}
