import type { Buffer, Expression, Operator, Way } from './ir.ts'
import { listText, startsName, tensorsName } from './lists.ts'
import { cppOf } from './primitives.ts'
import { scalarFunctions } from './scalar-functions.ts'

/** How an expression is spelled: where it stands, and what it has used. */
export interface Spelling {
  readonly part: 'host' | 'kernel'
  /** names that mean something else in C++ */
  readonly rename?: ReadonlyMap<string, string>
  /** functions that the file has to have */
  readonly helpers: Set<string>
  /** what holds the width of rows of a buffer, in kernels */
  readonly strideOf?: (buffer: Buffer) => string
}

const precedence: Readonly<Record<Operator, number>> = {
  '*': 7,
  '/': 7,
  '%': 7,
  '+': 6,
  '-': 6,
  '<': 5,
  '<=': 5,
  '>': 5,
  '>=': 5,
  '==': 4,
  '!=': 4,
  '&&': 3,
  '||': 2,
}
const choice = 1
const atom = 9
const prefix = 8

/** The text of an expression. */
export const spell = (expression: Expression, spelling: Spelling): string => spelled(expression, spelling)[0]

/** The text of an expression as a factor of a product; `text` is what it is spelled as where that is known. */
export function factorText(expression: Expression, spelling: Spelling, text = spell(expression, spelling)): string {
  return /^[\w.]+$/.test(text) || /^\w+\([^()]*\)$/.test(text) ? text : `(${text})`
}

/** The question whether tests at run time come out so; empty where none of them is known here. */
export const wayText = (ways: readonly Way[], tests: ReadonlyMap<number, Expression>, spelling: Spelling): string =>
  ways
    .flatMap(({ test, taken }) => {
      const known = tests.get(test)
      if (!known) return []
      return taken ? [factorText(known, spelling)] : [`!${factorText(known, spelling)}`]
    })
    .join(' && ')

/** The element type of a buffer in C++; `types` are those of tensors. */
export function elementType({ type }: Pick<Buffer, 'type'>, types: ReadonlyMap<string, string>): string {
  if ('of' in type) return types.get(type.of)!
  return type.dtype === 'mask' ? 'uint8_t' : cppOf(type.dtype)
}

/** Text and precedence. */
function spelled(expression: Expression, spelling: Spelling): [string, number] {
  const at = (each: Expression, least: number): string => {
    const [text, level] = spelled(each, spelling)
    return level < least ? `(${text})` : text
  }
  switch (expression.op) {
    case 'number':
      return numberText(expression, spelling)
    case 'name':
      return [spelling.rename?.get(expression.name) ?? expression.name, atom]
    case 'operate': {
      const level = precedence[expression.operator]
      return [`${at(expression.left, level)} ${expression.operator} ${at(expression.right, level + 1)}`, level]
    }
    case 'call': {
      if (expression.name === 'float' || expression.name === 'int') {
        const type = expression.name === 'int' ? 'int64_t' : fractionType(spelling)
        return [`static_cast<${type}>(${at(expression.arguments[0]!, 0)})`, atom]
      }
      const name = scalarFunctions[expression.name]!.cpp!
      spelling.helpers.add(name)
      return [`${name}(${expression.arguments.map((each) => at(each, 0)).join(', ')})`, atom]
    }
    case 'choose':
      return [
        `${at(expression.test, choice + 1)} ? ${at(expression.yes, choice + 1)} : ${at(expression.no, choice)}`,
        choice,
      ]
    case 'not':
      return [`!${at(expression.operand, prefix)}`, prefix]
    case 'negate':
      return [`-${at(expression.operand, prefix + 1)}`, prefix]
    case 'extent':
      spelling.helpers.add('Extent')
      return [`Extent(${shapeName(expression.tensor)}, ${at(expression.axis, 0)})`, atom]
    case 'product':
      if (expression.to === null && expression.from.op === 'number' && expression.from.value === 0)
        return [`${shapeName(expression.tensor)}.GetShapeSize()`, atom]
      spelling.helpers.add('Product')
      return [
        `Product(${shapeName(expression.tensor)}, ${at(expression.from, 0)}, ${expression.to ? at(expression.to, 0) : `static_cast<int64_t>(${shapeName(expression.tensor)}.GetDimNum())`})`,
        atom,
      ]
    case 'rank':
      return [`static_cast<int64_t>(${shapeName(expression.tensor)}.GetDimNum())`, atom]
    case 'bytes':
      return [bytesName(expression.tensor), atom]
    case 'given':
      return [givenName(expression.tensor), atom]
    case 'is-word':
      return [`std::strcmp(${expression.attribute}, "${expression.word}") == 0`, precedence['==']]
    case 'length':
      return [`static_cast<int64_t>(${expression.attribute}->GetSize())`, atom]
    case 'item':
      return [`${expression.attribute}->GetData()[${at(expression.index, 0)}]`, atom]
    case 'fit':
      return [`Fit(${at(expression.limit, 0)}`, atom]
    case 'get': {
      const type = expression.type === 'int' ? 'int64_t' : 'float'
      const { buffer, index } = expression
      return [`static_cast<${type}>(${buffer.name}.GetValue(${elementAt(buffer, index, spelling)}))`, atom]
    }
    case 'read':
      spelling.helpers.add('Element')
      return [
        `Element<${expression.type === 'int' ? 'int64_t' : 'float'}>(${globalName(expression.tensor)}, ${at(expression.index, 0)})`,
        atom,
      ]
    case 'list': {
      const given = expression.arguments.map((each) => at(each, 0))
      const place = spelling.part === 'host' ? '' : 'tiling_->'
      const names = {
        starts: `${place}${startsName(expression.tensor)}`,
        tensors: `${place}${tensorsName(expression.tensor)}`,
      }
      const { text, helper } = listText(expression.fact, names, given)
      if (helper !== null) spelling.helpers.add(helper)
      return [text, atom]
    }
  }
}

/** How the kernel names a tensor in global memory, and the address of a list of them. */
export const globalName = (tensor: string): string => `${tensor}Gm_`
export const listName = (tensor: string): string => `${tensor}List_`

/** Where an element of a buffer lies: rows count behind each other, and are padded. */
export function elementAt(buffer: Buffer, index: Expression, spelling: Spelling): string {
  const at = spell(index, spelling)
  if (buffer.rows === null || !spelling.strideOf) return at
  spelling.helpers.add('PlaceOf')
  return `PlaceOf(${at}, ${spell(buffer.columns, spelling)}, ${spelling.strideOf(buffer)})`
}

const fractionType = ({ part }: Spelling): string => (part === 'host' ? 'double' : 'float')

/** How the host part names the shape of an input, the bytes of its elements, and whether it is there. */
export const shapeName = (tensor: string): string => `${tensor}Shape`
export const bytesName = (tensor: string): string => `${tensor}Bytes`
export const givenName = (tensor: string): string => `has${tensor[0]!.toUpperCase()}${tensor.slice(1)}`

function numberText({ value, type }: Extract<Expression, { op: 'number' }>, { part }: Spelling): [string, number] {
  if (type === 'bool') return [value === 0 ? 'false' : 'true', atom]
  if (type === 'int') return [`${value}`, value < 0 ? prefix : atom]
  if (Number.isNaN(value)) return [part === 'host' ? 'std::nan("")' : '__builtin_nanf("")', atom]
  if (!Number.isFinite(value)) {
    const infinity = part === 'host' ? 'std::numeric_limits<double>::infinity()' : '__builtin_inff()'
    return value < 0 ? [`-${infinity}`, prefix] : [infinity, atom]
  }
  const text = String(value)
  return [`${/[.e]/.test(text) ? text : `${text}.0`}${part === 'host' ? '' : 'f'}`, value < 0 ? prefix : atom]
}
