import { withoutComments } from './text.ts'

/** Where a text gives itself out for another file, in the forms of C++ and of preprocessors; null where it does not. */
export function lineOfAnotherFile(text: string): number | null {
  // lines are joined before comments are found
  const plain = withoutComments(text.replace(/\\[ \t]*\r?\n/g, ''))
  const found = /(?:^|[\n\r])[ \t\v\f]*(?:#|%:|\?\?=)[ \t\v\f]*(?:line\b|\d)/.exec(plain)
  return found && plain.slice(0, found.index + 1).split(/[\n\f]/).length
}
