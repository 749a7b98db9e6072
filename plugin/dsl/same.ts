import type { Expression } from './ir.ts'

/** Are two expressions written alike? */
export const sameExpression = (a: Expression, b: Expression): boolean => a === b || keyOf(a) === keyOf(b)

/** Every call asks for the width of its rows. */
const knownKeys = new WeakMap<Expression, string>()

/** An expression as a text that says nothing of its place. */
export function keyOf(expression: Expression): string {
  const known =
    knownKeys.get(expression) ??
    JSON.stringify(expression, (name, value: unknown) => (name === 'span' ? undefined : value))
  knownKeys.set(expression, known)
  return known
}
