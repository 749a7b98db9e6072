import { parseSync, type Argument, type Expression, type Function as FunctionNode } from 'oxc-parser'
import type { ArrowFunctionExpression, BindingPattern, ObjectExpression, Program, Statement } from 'oxc-parser'
import { fail, type Problem, type Span } from './problem.ts'

// The syntax tree of TypeScript, and the few forms of it that programs are made of.

export type { Argument, ArrowFunctionExpression, BindingPattern, Expression, FunctionNode, Program, Statement }

/** Parses a file; its syntax errors are problems. */
export function parse(file: string, text: string): { program: Program; problems: Problem[] } {
  const { program, errors } = parseSync(file, text, { lang: 'ts', sourceType: 'module' })
  const problems = errors.map(({ message, labels, helpMessage }): Problem => {
    const label = labels[0]
    return {
      span: label ? { start: label.start, end: label.end } : { start: 0, end: 1 },
      message: message.replace(/\.$/, ''),
      ...(helpMessage !== null && { hint: helpMessage }),
    }
  })
  return { program, problems }
}

/** The expression without what only types need: `x as number`, `x!`, `x satisfies T`, parentheses. */
export function plain(node: Expression | Argument): Expression {
  if (node.type === 'SpreadElement') return fail(node, 'nothing is spread here', 'write the values out')
  if (
    node.type === 'TSAsExpression' ||
    node.type === 'TSNonNullExpression' ||
    node.type === 'TSSatisfiesExpression' ||
    node.type === 'ParenthesizedExpression'
  )
    return plain(node.expression)
  return node
}

/** `a.b` as its name; null for anything else. */
export const nameOf = (node: Expression): string | null => (node.type === 'Identifier' ? node.name : null)

/** A text between quotes. */
export const textOf = (node: Expression): string | null =>
  node.type === 'Literal' && typeof node.value === 'string' ? node.value : null

/** A number, with its sign. */
export function numberOf(node: Expression): number | null {
  if (node.type === 'Literal' && typeof node.value === 'number') return node.value
  if (node.type === 'UnaryExpression' && node.operator === '-') {
    const value = numberOf(plain(node.argument))
    return value === null ? null : -value
  }
  return null
}

export interface Member {
  name: string
  span: Span
  value: Expression
}

/** The members of `{ a: …, b, c() {} }`, in order. */
export function membersOf(node: Expression, what: string): Member[] {
  const object: ObjectExpression =
    node.type === 'ObjectExpression' ? node : fail(node, `${what} is an object`, 'write { … }')
  const members = object.properties.map((property): Member => {
    if (property.type === 'SpreadElement') return fail(property, 'nothing is spread here', 'write the members out')
    if (property.computed || property.key.type !== 'Identifier')
      return fail(property.key, 'the name of a member is a plain word')
    return { name: property.key.name, span: property.key, value: plain(property.value) }
  })
  for (const [i, { name, span }] of members.entries())
    if (members.findIndex((other) => other.name === name) < i) fail(span, `${name} is given twice`)
  return members
}

/** The elements of `[a, b]`. */
export function elementsOf(node: Expression, what: string): Expression[] {
  if (node.type !== 'ArrayExpression') return fail(node, `${what} is a list`, 'write [ … ]')
  return node.elements.map((each) => (each === null ? fail(node, 'a place of the list is empty') : plain(each)))
}

/** A call of a plain function, `name(…)`. */
export function callOf(node: Expression): { name: string; span: Span; given: Expression[] } | null {
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return null
  return { name: node.callee.name, span: node.callee, given: node.arguments.map(plain) }
}

/** A name that is taken out of a parameter, and what it is called from there on. */
export interface Taken {
  name: string
  local: string
  span: Span
}

/** The names that `{ a, b }` takes out of a parameter; of `{ a: b }` too where that `mayRename`. */
export function destructured(pattern: BindingPattern | undefined, what: string, mayRename = false): Taken[] {
  if (pattern === undefined) return []
  if (pattern.type !== 'ObjectPattern') return fail(pattern, `${what} is taken apart here`, 'write { a, b }')
  return pattern.properties.map((property) => {
    if (property.type === 'RestElement') return fail(property, 'no rest is taken', 'name what you need')
    const { key, value } = property
    if (value.type !== 'Identifier' || key.type !== 'Identifier' || (!property.shorthand && !mayRename))
      return fail(property, 'a name is taken as it is', 'write { a, b }')
    return { name: key.name, local: value.name, span: value }
  })
}

/** The parameters of a function. */
export const parametersOf = (node: FunctionNode | ArrowFunctionExpression): BindingPattern[] =>
  node.params.map((parameter) => {
    if (parameter.type === 'RestElement' || parameter.type === 'TSParameterProperty')
      return fail(parameter, 'a parameter is a name, or names in braces')
    return parameter
  })

/** The function that a member is. */
export function functionOf(node: Expression, what: string): FunctionNode | ArrowFunctionExpression {
  if (node.type !== 'FunctionExpression' && node.type !== 'ArrowFunctionExpression')
    return fail(node, `${what} is a function`, `write ${what}(…) { … }`)
  if (node.async || ('generator' in node && node.generator)) return fail(node, `${what} is a plain function`)
  return node
}

/** The statements of a function. */
export function bodyOf(node: FunctionNode | ArrowFunctionExpression, what: string): Statement[] {
  const { body } = node
  if (body === null || body.type !== 'BlockStatement')
    return fail(node, `${what} has a body in braces`, `write ${what}(…) { … }`)
  return body.body
}
