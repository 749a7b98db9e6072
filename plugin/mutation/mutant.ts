import type { RandomStream } from '../inputs/index.ts'
import { closing, codeOf, lineOf, type Edit } from './edits.ts'

/** A source that edits are made of. */
export interface Source {
  /** relative to the folder that a {@link Workspace} copies from */
  file: string
  text: string
}

/** One edit of a source, whose text is without it. */
export interface Mutant extends Source {
  edit: Edit
}

/** Whether a source is code of the device, which edits are for. */
export const isDeviceSource = ({ file }: Pick<Source, 'file'>): boolean =>
  /\.(?:cpp|cc|cxx|h|hh|hpp|hxx|inl|ipp|tpp)$/.test(file) && !/(?:^|\/)op_host\//.test(file)

/** `count` different elements; the same ones for the same stream. */
export function drawn<T>(all: readonly T[], count: number, random: RandomStream): T[] {
  const left = [...all]
  return Array.from({ length: Math.min(count, all.length) }, () => left.splice(random.below(left.length), 1)).flat()
}

/** A condition, or what else stands before a statement that depends on it. */
const before = /^\s*(?:else\b|(?:if|while)\s*\()/

/** Where the statement begins and ends that an edit is part of, without the condition that it depends on. */
export function statementAround(text: string, { start, end }: Edit): { start: number; end: number } {
  const code = codeOf(text)
  let first = Math.max(...[';', '{', '}'].map((mark) => code.lastIndexOf(mark, start - 1))) + 1
  for (;;) {
    const match = before.exec(code.slice(first, start))
    if (!match) break
    const last = first + match[0].length - 1
    const past = code[last] === '(' ? closing(code, last) : last
    if (past < 0 || past >= start) break
    first = past + 1
  }
  const blanks = code.slice(first).search(/\S/)
  const rest = code.slice(end).search(/[;{}]/)
  return { start: first + Math.max(0, blanks), end: rest < 0 ? text.length : end + rest }
}

/** The lines of the statement that an edit is part of. */
export function statementLines(text: string, edit: Edit): number[] {
  const { start, end } = statementAround(text, edit)
  const [first, last] = [lineOf(text, start), lineOf(text, end)]
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}
