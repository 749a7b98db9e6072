import type { Diagnostic } from '../model/index.ts'

const located =
  /^(?<file>[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)? (?<severity>fatal error|error|warning|note): (?<message>.*)$/
const unlocated =
  /^(?:[\w+./-]*(?:clang|g\+\+|cc1plus|ld|collect2|as)[\w+.-]*: )(?<severity>fatal error|error|warning): (?<message>.*)$/
/** `file:line: undefined reference to ...` of the linker, with or without the object's name in front */
const undefinedReference = /^(?:.*?:)?\s*(?<file>\/[^:]+):(?<line>\d+): (?<message>undefined reference to .*)$/
const undefinedAnywhere = /(?<message>undefined reference to .*|multiple definition of .*|cannot find .*)$/

/** What the emulator needs and the vendor's compiler would name otherwise. */
const vocabulary: [RegExp, string][] = [
  [/__attribute__\(\(address_space\(1\)\)\)/g, '__gm__'],
  [/\b_Float16\b/g, 'half'],
  [/\bnpu_emu_kernel_(\w+)/g, '$1'],
]

export const inVendorWords = (text: string): string =>
  vocabulary.reduce((result, [pattern, word]) => result.replace(pattern, word), text)

const severityOf = (word: string | undefined): Diagnostic['severity'] =>
  word === 'warning' ? 'warning' : word === 'note' ? 'note' : 'error'

function parseLine(line: string): Diagnostic | null {
  const groups = (
    located.exec(line) ??
    undefinedReference.exec(line) ??
    unlocated.exec(line) ??
    undefinedAnywhere.exec(line)
  )?.groups
  if (!groups) return null
  const { file, line: row, column, severity, message = '' } = groups
  return {
    severity: severityOf(severity),
    message: inVendorWords(message),
    ...(file === undefined ? {} : { file }),
    ...(row === undefined ? {} : { line: Number(row) }),
    ...(column === undefined ? {} : { column: Number(column) }),
  }
}

const isError = (group: readonly Diagnostic[]): boolean => group[0]?.severity === 'error'

/** Errors lead, each followed by its own notes; the compiler's order is kept otherwise. */
function errorsFirst(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const groups: Diagnostic[][] = []
  for (const diagnostic of diagnostics) {
    const last = groups.at(-1)
    if (diagnostic.severity === 'note' && last) last.push(diagnostic)
    else groups.push([diagnostic])
  }
  return [...groups.filter(isError), ...groups.filter((group) => !isError(group))].flat()
}

/** Reads the text of clang++, g++ and ld. Lines that are no message (code frames, carets, summaries) are left out. */
export function parseDiagnostics(text: string): Diagnostic[] {
  const found = text.split('\n').flatMap((line) => parseLine(line.trimEnd()) ?? [])
  const unique = new Map(found.map((item) => [JSON.stringify(item), item]))
  return errorsFirst([...unique.values()])
}
