import type { DType } from '../model/index.ts'
import { checkBeyond } from './beyond.ts'
import { checkBounds } from './bounds.ts'
import { argumentOf, differentColumns, holdsIn } from './columns.ts'
import type { Buffer, Call, Expression, Program, Statement } from './ir.ts'
import { dtypeIn } from './memory.ts'
import { roundProblem, typeProblem } from './primitives.ts'
import { fail, type Problem, DslProblem } from './problem.ts'
import { checkProduct, checkProductTypes } from './product.ts'
import { sameExpression } from './same.ts'
import { checkTogether } from './together.ts'
import { blocksOf, partsIn, partsOf, walkStatements } from './walk.ts'
import { checkWritten } from './written.ts'

/** Everything that is wrong with a program whose syntax is right, at most a handful. */
export function validate(program: Program): Problem[] {
  const problems: Problem[] = []
  const attempt = (check: () => void): void => {
    try {
      check()
    } catch (error) {
      if (!(error instanceof DslProblem)) throw error
      if (!problems.some(({ span }) => span.start === error.problem.span.start)) problems.push(error.problem)
    }
  }
  for (const { value } of [...program.host, ...program.fields]) attempt(() => checkFit(value))
  attempt(() => checkFit(program.blockDim, false))
  for (const buffer of program.buffers) attempt(() => checkBuffer(program, buffer))
  walkStatements(program.kernel, (statement) => attempt(() => checkForms(statement)))
  checkTogether(program, attempt)
  checkProduct(program, attempt)
  checkBounds(program, attempt)
  checkBeyond(program, attempt)
  for (let column = 0; column < program.columns; column++) checkBlock(program.kernel, { program, column, attempt })
  for (const column of differentColumns(program)) {
    checkWritten(program, column, attempt)
    checkStores(program, column, attempt)
  }
  return problems
}

/** What fits is a value of its own. */
function checkFit(value: Expression, mayFit = true): void {
  const inside = mayFit && value.op === 'fit' ? partsOf(value.limit) : partsOf(value)
  const found = inside.find(({ op }) => op === 'fit')
  if (found) fail(found.span, 'fit is a value of its own', 'write const tile = fit(rows), and compute with tile')
}

/** Sizes of buffers are known to the host part. */
function checkBuffer({ fields, core }: Program, buffer: Buffer): void {
  for (const size of [buffer.rows, buffer.columns])
    for (const part of size ? partsOf(size) : []) {
      if (
        ['get', 'read', 'list'].includes(part.op) ||
        (part.op === 'name' && !fields.some(({ name }) => name === part.name))
      )
        fail(
          part.span,
          `the size of ${buffer.name} is not known to the host part`,
          `sizes are made of what host returns: ${fields.map(({ name }) => name).join(', ')}${part.op === 'name' && part.name === core ? '; every core has buffers of one size' : ''}`,
        )
    }
}

const worksOnRows: readonly Call['primitive']['lowering'][] = [
  'per-row',
  'per-column',
  'columns',
  'running',
  'pick',
  'window',
  'window-rows',
]

/** Operands of rows have rows of one width; operands of one row have one row. */
function checkForms(statement: Statement): void {
  if (statement.op === 'load' || statement.op === 'store') {
    if ((statement.buffer.rows === null) !== (statement.extent.rows === null)) failForm(statement.buffer, statement)
    return
  }
  if (statement.op !== 'call') return
  const { primitive, buffers, extent } = statement
  if ((worksOnRows.includes(primitive.lowering) || primitive.name.startsWith('row')) && extent.rows === null)
    fail(extent.span, `${primitive.name} works on rows`, 'write [rows, columns]')
  const wide = buffers.filter((_, i) => ['data', 'mask'].includes(primitive.operands[i]!.kind))
  for (const buffer of wide) if ((buffer.rows === null) !== (extent.rows === null)) failForm(buffer, statement)
  for (const [i, { kind, name }] of primitive.operands.entries())
    if (kind === 'rows' && buffers[i]!.rows === null)
      fail(statement.span, `${name} of ${primitive.name} has rows`, `declare ${buffers[i]!.name} as [rows, columns]`)
  if (primitive.lowering === 'window-rows') wide.push(buffers[1]!)
  const masks = buffers.filter((_, i) => primitive.operands[i]!.kind === 'mask')
  const part = extent.rows && masks.find(({ columns }) => !sameExpression(columns, extent.columns))
  if (part)
    fail(
      extent.span,
      `${primitive.name} works on whole rows: ${part.name} holds bits`,
      'write the columns that the mask is declared with',
    )
  const first = wide.find(({ rows }) => rows !== null)
  const other = first && wide.find(({ columns }) => !sameExpression(columns, first.columns))
  if (first && other)
    fail(
      statement.span,
      `the rows of ${other.name} are not as wide as those of ${first.name}`,
      'operands of one call are declared with the same columns',
    )
  for (const [i, { kind, name }] of primitive.operands.entries())
    if (['per-row', 'per-column', 'single', 'source'].includes(kind) && buffers[i]!.rows !== null)
      fail(
        statement.span,
        `${name} of ${primitive.name} is one row of values`,
        `declare ${buffers[i]!.name} with one size`,
      )
}

function failForm(buffer: Buffer, { extent }: { extent: Call['extent'] }): never {
  return buffer.rows === null
    ? fail(extent.span, `${buffer.name} is one row`, 'give the number of elements, without rows')
    : fail(extent.span, `${buffer.name} has rows`, 'write [rows, columns]: rows begin at multiples of 32 bytes')
}

interface Walk {
  program: Program
  column: number
  attempt: (check: () => void) => void
}

/** Checks the statements that a column has. */
function checkBlock(statements: readonly Statement[], walk: Walk): void {
  for (const statement of statements) {
    walk.attempt(() => checkTypes(statement, walk))
    const blocks =
      statement.op === 'static-if'
        ? [holdsIn(walk.program, statement.test, walk.column) ? statement.yes : statement.no]
        : blocksOf(statement)
    for (const block of blocks) checkBlock(block, walk)
  }
}

function checkTypes(statement: Statement, { program, column }: Walk): void {
  const where = (): string => {
    if (program.columns === 1) return ''
    const types = program.inputs.map(({ name, dtypes }) => `${name} is ${dtypes[column]}`).join(', ')
    return ` where ${types}`
  }
  for (const part of partsIn(statement))
    if (part.op === 'get') {
      const dtype = dtypeIn(program, part.buffer, column)
      if (dtype === 'mask' || dtype === 'bfloat16')
        fail(part.span, `get reads no ${dtype}${where()}`, 'cast it to float32 first')
    } else if (part.op === 'read' && program.outputs.some(({ name }) => name === part.tensor))
      fail(part.span, `${part.tensor} is an output`, 'get reads tensors that nobody writes: load it')
  if (statement.op === 'load' || statement.op === 'store') {
    const dtype = dtypeIn(program, statement.buffer, column)
    const other = argumentOf(program, statement.tensor).dtypes[column]!
    if (dtype !== other && !(isByte(dtype) && isByte(other)))
      fail(
        statement.span,
        `${statement.tensor} is ${other} and ${statement.buffer.name} is ${dtype}${where()}`,
        `declare the buffer with ${statement.tensor}.dtype, and cast in compute`,
      )
    const isInput = !program.outputs.some(({ name }) => name === statement.tensor)
    if (statement.op === 'store' && isInput)
      fail(statement.span, `${statement.tensor} is an input`, 'outputs are stored')
  }
  if (statement.op === 'matmul') checkProductTypes(program, statement, column, where)
  if (statement.op !== 'call') return
  const given = statement.buffers.map((buffer) => dtypeIn(program, buffer, column))
  const problem = typeProblem(statement.primitive, given) ?? wordProblem(statement, given)
  if (problem) fail(statement.span, `${problem.message}${where()}`, problem.hint)
  checkPlaces(statement)
}

const isByte = (dtype: string): boolean => dtype === 'bool' || dtype === 'uint8'

function wordProblem(
  { primitive, scalars }: Call,
  given: readonly (DType | 'mask')[],
): { message: string; hint: string } | undefined {
  const word = scalars.find((each) => each.kind === 'word')?.word
  if (word === undefined) return undefined
  const [to, from] = given
  if (primitive.lowering === 'cast' && to !== 'mask' && from !== 'mask') return roundProblem(from!, to!, word)
  const type = given.find((each) => each !== 'mask')
  if (primitive.lowering === 'compare' && type === 'int32' && word !== 'eq')
    return {
      message: `${primitive.name} of int32 knows eq only`,
      hint: 'cast to float32 where values are below 2^24, or take max and compare for eq',
    }
  return undefined
}

/** The same buffer twice, where that is not allowed. */
function checkPlaces({ primitive, buffers, span }: Call): void {
  const [target, ...sources] = buffers
  if (!sources.includes(target!)) return
  if (!primitive.inPlace)
    fail(span, `${primitive.name} cannot work in place`, `give it another buffer than ${target!.name}`)
}

/** Every output is stored in each column. */
function checkStores(program: Program, column: number, attempt: Walk['attempt']): void {
  const stored = new Set<string>()
  const visit = (statements: readonly Statement[]): void =>
    statements.forEach((each) => {
      if (each.op === 'store') stored.add(each.tensor)
      if (each.op === 'matmul') stored.add(each.target)
      if (each.op === 'for' || each.op === 'stage') visit(each.body)
      if (each.op === 'if') [each.yes, each.no].forEach(visit)
      if (each.op === 'static-if') visit(holdsIn(program, each.test, column) ? each.yes : each.no)
    })
  visit(program.kernel)
  for (const { name, span } of program.outputs)
    if (!stored.has(name))
      attempt(() => fail(span, `nothing stores ${name}`, `write copyOut(() => { store(${name}, …) })`))
}
