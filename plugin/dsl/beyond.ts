import { argumentOf } from './columns.ts'
import { definitionOf } from './intervals.ts'
import type { Argument, Program, Statement, Transfer } from './ir.ts'
import { fail } from './problem.ts'
import { constantSum, leastOf, minus, plus, sumOf, times, unknownSum, type Sizes, type Sum } from './sums.ts'

// Loads and stores that are behind the end of their tensor, whatever the problem is.

/** Checks statements in order; `attempt` collects what is wrong. */
export function checkBeyond(program: Program, attempt: (check: () => void) => void): void {
  checkBlock(program.kernel, sizesOf(program), attempt)
}

/**
 * Sizes of tensors by the names of their dimensions: what is called alike is as long. `filled`: names of the host part that are
 * known to be at least 1.
 */
export function sizesOf(program: Program, filled: ReadonlySet<string> = new Set()): Sizes {
  const tokens = new Map<string, Sum>()
  const ofToken = (argument: Argument, token: string | number): Sum => {
    if (typeof token === 'number') return constantSum(token)
    // a shape that nobody has written is the tensor's own
    const name = token === '...shape' ? `${token} of ${argument.like ?? argument.name}` : token
    const known = tokens.get(name) ?? unknownSum(1)
    tokens.set(name, known)
    return known
  }
  const ofAxes = (tensor: string, from: number, to: number | null): Sum | null => {
    const argument = argumentOf(program, tensor)
    const { shape } = argument
    const spread = shape.findIndex((token) => String(token).startsWith('...'))
    const isWhole = from === 0 && to === null
    // places behind dimensions of any number count from the end, those before them from the beginning
    const placeOf = (axis: number): number | null => {
      const at = axis < 0 ? axis + shape.length : axis
      return spread < 0 || (axis < 0 ? at > spread : at <= spread) ? at : null
    }
    const [first, last] = isWhole ? [0, shape.length] : [placeOf(from), to === null ? shape.length : placeOf(to)]
    if (first === null || last === null || first < 0 || last > shape.length) return null
    // one axis of dimensions of any number is not all of them
    const isCut = !isWhole && to !== null && to === from + 1 && spread >= first && spread < last
    return isCut
      ? null
      : shape.slice(first, last).reduce<Sum>((all, token) => times(all, ofToken(argument, token)), constantSum(1))
  }
  const known = new Map<string, Sum | null>()
  const ofHost = (name: string): Sum | null => {
    if (!known.has(name)) {
      const constant = definitionOf(name, program)
      const sum = constant
        ? sumOf(constant.value, sizes)
        : name === 'cores'
          ? unknownSum(1)
          : name === program.core
            ? unknownSum(0)
            : null
      known.set(name, filled.has(name) ? filledSum(sum) : sum)
    }
    return known.get(name)!
  }
  const sizes: Sizes = { program, names: new Map(), ofAxes, ofHost }
  return sizes
}

/** A sum that is at least 1; what is made of other numbers stays as it is. */
function filledSum(sum: Sum | null): Sum {
  const [term, ...more] = sum?.values() ?? []
  if (!sum || !term) return sum ?? unknownSum(1)
  const [unknown, ...others] = term.of
  const isAlone = more.length === 0 && others.length === 0 && term.factor === 1
  return unknown && isAlone && unknown.least < 1 ? unknownSum(1, unknown.most) : sum
}

function checkBlock(statements: readonly Statement[], outer: Sizes, attempt: (check: () => void) => void): void {
  const names = new Map(outer.names)
  const sizes = { ...outer, names }
  for (const statement of statements)
    switch (statement.op) {
      case 'const':
        names.set(statement.name, sumOf(statement.value, sizes))
        break
      case 'let':
        // it is assigned to
        names.set(statement.name, null)
        break
      case 'for': {
        const from = sumOf(statement.from, sizes)
        const inLoop = new Map(names).set(statement.name, from && plus(from, unknownSum(0)))
        checkBlock(statement.body, { ...sizes, names: inLoop }, attempt)
        break
      }
      case 'stage':
        checkBlock(statement.body, sizes, attempt)
        break
      case 'if':
      case 'static-if':
        checkBlock(statement.yes, sizes, attempt)
        checkBlock(statement.no, sizes, attempt)
        break
      case 'load':
      case 'store':
        attempt(() => checkTransfer(statement, sizes))
        break
      default:
    }
}

function checkTransfer(transfer: Transfer, sizes: Sizes): void {
  const { tensor, item, offset, op } = transfer
  const { isList, required } = argumentOf(sizes.program, tensor)
  if (item || isList || !required) return
  const size = sizes.ofAxes(tensor, 0, null)
  const from = sumOf(offset, sizes)
  if (!size || !from) return
  if (leastOf(minus(from, size)) >= 0)
    fail(offset.span, `this is behind the end of ${tensor}`, 'offsets count the elements of the whole tensor from 0')
  const over = leastOf(minus(plus(from, lengthOf(transfer, sizes)), size))
  if (over >= 1)
    fail(
      transfer.extent.span,
      `${tensor} ends before this does`,
      `the ${op} goes at least ${over} ${over === 1 ? 'element' : 'elements'} too far: mind the offset, and the tail of the last tile`,
    )
}

/** Elements from the first to the last one of a copy, as far as they are known: one at least. */
function lengthOf({ extent: { rows, columns }, pitch }: Transfer, sizes: Sizes): Sum {
  const one = constantSum(1)
  const wide = sumOf(columns, sizes) ?? one
  if (!rows) return wide
  const high = sumOf(rows, sizes) ?? one
  const step = pitch ? sumOf(pitch, sizes) : wide
  return step ? plus(times(minus(high, one), step), wide) : wide
}
