import type { Expression } from './ir.ts'

/** Are two expressions written alike? */
export const sameExpression = (a: Expression, b: Expression): boolean => keyOf(a) === keyOf(b)

/** An expression as a text that says nothing of its place. */
export function keyOf(expression: Expression): string {
  return JSON.stringify(expression, (name, value: unknown) => (name === 'span' ? undefined : value))
}
