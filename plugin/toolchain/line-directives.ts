import { lineJoint, withoutComments } from './text.ts'

/** Where a text gives itself out for another file, in the forms of C++ and of preprocessors; null where it does not. */
export function lineOfAnotherFile(text: string): number | null {
  const plain = withoutComments(text).replace(lineJoint, '')
  const found = /(?:^|[\n\r])[ \t\v\f]*(?:#|%:|\?\?=)[ \t\v\f]*(?:line\b|\d)/.exec(plain)
  return found && plain.slice(0, found.index + 1).split(/[\n\f]/).length
}
