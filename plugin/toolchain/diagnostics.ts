import type { Diagnostic } from '../model/index.ts'
import { noAssembly, whyNot } from './host-words.ts'

const located =
  /^(?<file>[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)? (?<severity>fatal error|error|warning|note): (?<message>.*)$/
const tool = String.raw`(?:clang|g\+\+|cc1plus|ld|collect2|as)`
/** The first tool in the last part of a path: were it any of them, a name of many would be read as often as it has some. */
const unlocated = new RegExp(
  String.raw`^(?=[\w+./-]+: )(?:[\w+./-]*\/)?(?:(?!${tool})[\w+.-])*${tool}[\w+.-]*: (?<severity>fatal error|error|warning): (?<message>.*)$`,
)
/** `file:line: undefined reference to ...` of the linker, with or without the object's name in front */
const undefinedReference = /^(?:.*?:)?\s*(?<file>\/[^:]+):(?<line>\d+): (?<message>undefined reference to .*)$/
const undefinedAnywhere = /(?<message>undefined reference to .*|multiple definition of .*|cannot find .*)$/

/** Names of the emulator in messages, and what the vendor's compiler would say. */
const vocabulary: [RegExp, string][] = [
  [/\b__global\b/g, '__gm__'],
  [/\b_Float16\b/g, 'half'],
  [/\bnpu_emu_kernel_(\w+)/g, '$1'],
  [/\bnpu_emu(?:_detail)?::(?:\w+::)*/g, ''],
  [/(?:#error )?"([^\s"]+\.h: No such file or directory[^"\n]*)"/g, '$1'],
  [/GNU-style inline assembly is disabled/g, noAssembly],
  // one that has no end goes up to the next
  [/static assertion failed(?: due to requirement '(?:(?!static assertion).)*?')?: (?=[A-Z])/g, ''],
]

export const inVendorTerms = (text: string): string =>
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
    message: inVendorTerms(message),
    ...(file === undefined ? {} : { file }),
    ...(row === undefined ? {} : { line: Number(row) }),
    ...(column === undefined ? {} : { column: Number(column) }),
  }
}

type Group = readonly [Diagnostic, ...Diagnostic[]]

const isError = ([first]: Group): boolean => first.severity === 'error'

const notesShown = 4

/** A name in capitals that nobody declared: the arguments of a macro that does not exist seem unknown as well. */
const unknownMacro = /(?:undeclared identifier|^)\s*'[A-Z][A-Z0-9]*_[A-Z0-9_]+'(?: was not declared)?/

/** Headers of the emulator, which are read where the cache has them: nothing there is the fault of a kernel. */
const ownHeader = /\/headers\/[0-9a-f]{16,}\/include\//

type Place = Pick<Diagnostic, 'file' | 'line' | 'column'>

/** Where the kernel has asked for what an error in a header of the emulator speaks of; the innermost of several places. */
const askedFor = (error: Diagnostic, places: readonly Place[]): Place | undefined =>
  ownHeader.test(error.file ?? '') ? places.find(({ file }) => file !== undefined && !ownHeader.test(file)) : undefined

/** One error with its notes: what the notes say of the call comes to the front, long lists of candidates are cut. */
function condensed([error, ...notes]: Group): Diagnostic[] {
  const told = (wording: RegExp) => notes.map(({ message }) => wording.exec(message)?.[1]).find(Boolean)
  const called = told(/^['‘]([^'’]+)['’] declared here/)
  const macro = told(/expan(?:ded from|sion of) macro ['‘](\w+)/)
  // g++ puts such an error into the macro and the place of its use into the note
  const requests = notes.filter(({ message }) => message.endsWith('requested here'))
  const use =
    notes.find(({ message }) => message.startsWith('in expansion of macro')) ?? askedFor(error, requests) ?? error
  const { file, line, column } = use
  let { message } = error
  if (called && /^too (?:few|many) arguments/.test(message)) message = `${called}: ${message}`
  if (macro && message.startsWith('expected')) message = `in ${macro}: ${message}`
  const left = notes.length - notesShown
  const more: Diagnostic[] = left > 0 ? [{ severity: 'note', message: `and ${left} more notes` }] : []
  const place = { ...(file && { file }), ...(line && { line }), ...(column && { column }) }
  return [{ severity: error.severity, message, ...place }, ...notes.slice(0, notesShown), ...more]
}

/** Each error and warning with the notes that follow it. */
function grouped(diagnostics: readonly Diagnostic[]): Group[] {
  const groups: [Diagnostic, ...Diagnostic[]][] = []
  for (const diagnostic of diagnostics) {
    const last = groups.at(-1)
    if (diagnostic.severity === 'note' && last) last.push(diagnostic)
    else groups.push([diagnostic])
  }
  return groups
}

/** Errors lead, each followed by its own notes; the compiler's order is kept otherwise. */
function errorsFirst(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const groups = grouped(diagnostics)
  const errors = groups.filter(isError)
  const [first] = errors
  const cause = errors.find(([error]) => error.line === first?.[0].line && unknownMacro.test(error.message))
  if (cause) errors.unshift(...errors.splice(errors.indexOf(cause), 1))
  return [...errors, ...groups.filter((group) => !isError(group))].flatMap(condensed)
}

/** The macro that stands at a column of the code line below a message; g++ says no more of where it was expanded. */
function macroAt(codeLine: string | undefined, column: number | undefined): string | undefined {
  const code = codeLine?.replace(/^\s*\d+ \| /, '')
  return code === undefined || column === undefined
    ? undefined
    : /^[A-Z][A-Z0-9]*_[A-Z0-9_]+/.exec(code.slice(column - 1))?.[0]
}

/** Words of `ascendc/host_only.h`; clang leaves it to the code line below to say which. */
const poisoned = /^attempt to use (?:poisoned "(\w+)"|a poisoned identifier)$/

function explained(diagnostic: Diagnostic, codeLine: string | undefined): Diagnostic {
  const use = poisoned.exec(diagnostic.message)
  if (!use) return diagnostic
  const { column = 1 } = diagnostic
  return { ...diagnostic, message: whyNot(use[1] ?? /^\w+/.exec(codeLine?.slice(column - 1) ?? '')?.[0] ?? '') }
}

/** Both compilers say before an error which includes led to it. */
const included = /^(?:In file included|\s+) from (?<file>[^\s:][^:]*):(?<line>\d+)/

/** g++ says before an error where the template was asked for. */
const required = /^(?<file>[^\s:][^:]*):(?<line>\d+):(?<column>\d+):\s+required from /

/** Names and requirements of a candidate can be of any length. */
const longestLine = 8192

/** The lines of what a compiler says, none longer than anybody reads. */
export const messageLines = (text: string): string[] =>
  text.split('\n').map((line) => line.slice(0, longestLine).trimEnd())

/** Reads the text of clang++, g++ and ld. Lines that are no message (code frames, carets, summaries) are left out. */
export function parseDiagnostics(text: string): Diagnostic[] {
  const lines = messageLines(text)
  let requests: Place[] = []
  let includes: Place[] = []
  const found = lines.flatMap((line, i) => {
    const asked = required.exec(line)?.groups
    if (asked) requests.push({ file: asked['file'], line: Number(asked['line']), column: Number(asked['column']) })
    const include = included.exec(line)?.groups
    if (include) includes.push({ file: include['file'], line: Number(include['line']), column: 1 })
    const told = parseLine(line)
    if (!told) return []
    const parsed = explained(told, lines[i + 1])
    // a header that is not for the including file
    const isAbsent = /^\S+\.h: No such file/.test(parsed.message)
    const diagnostic = { ...parsed, ...askedFor(parsed, isAbsent ? includes : requests) }
    requests = []
    includes = []
    const macro = macroAt(lines[i + 1], diagnostic.column)
    const isInMacro = macro !== undefined && diagnostic.message.startsWith('expected')
    return isInMacro ? { ...diagnostic, message: `in ${macro}: ${diagnostic.message}` } : diagnostic
  })
  const unique = new Map(found.map((item) => [JSON.stringify(item), item]))
  return errorsFirst([...unique.values()])
}
