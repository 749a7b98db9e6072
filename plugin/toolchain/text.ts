/**
 * Replaces comments (and, on demand, string literals) by spaces, so that positions and line numbers stay what they were.
 */
export function blankComments(source: string, literals = false): string {
  const token = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g
  return source.replace(token, (found) => (found.startsWith('/') || literals ? found.replace(/[^\n]/g, ' ') : found))
}

/** A path or name as the inside of a C string literal. */
export const cString = (text: string): string => `"${text.replace(/["\\]/g, String.raw`\$&`)}"`

const identifier = /^[A-Za-z_]\w*$/

export const isIdentifier = (text: string): boolean => identifier.test(text)
