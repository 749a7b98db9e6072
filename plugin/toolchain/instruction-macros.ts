/**
 * Headers declare the overloads of an instruction by a macro of its family, so that an instruction is one line there.
 * Compilers of candidates and readers of declarations get what the macros stand for: a compiler's note then shows the
 * overload that a call has missed, with its parameters.
 */
const definition = /^(?:\/\/[^\n]*\n)*#define (NPU_EMU_DECLARE_\w+)\(([^)]*)\)((?:[^\n]*\\\n)*[^\n]*)\n/gm
const use = /^(NPU_EMU_DECLARE_\w+)\(([^)]*)\)$/gm
const removal = /^#undef NPU_EMU_DECLARE_\w+\n\n?/gm

interface Macro {
  parameters: readonly string[]
  body: string
}

const listOf = (text: string): string[] => text.split(',').map((item) => item.trim())

/** The body without the ends of continued lines, and without the indentation that all lines have. */
const plainBody = (body: string): string =>
  body
    .replace(/(?<![ \t])[ \t]*\\\n/g, '\n')
    .trimStart()
    .replace(/^ {2}/gm, '')

function expand({ parameters, body }: Macro, values: readonly string[]): string {
  const valueOf = (word: string): string => values[parameters.indexOf(word)] ?? word
  return body
    .replace(/#(\w+) "/g, (_, word: string) => `"${valueOf(word)}`)
    .replace(/"[^"]*"|\w+/g, (word) => (word.startsWith('"') ? word : valueOf(word)))
}

const macrosOf = (text: string): Map<string, Macro> =>
  new Map(
    [...text.matchAll(definition)].map(([, name = '', parameters = '', body = '']) => [
      name,
      { parameters: listOf(parameters), body: plainBody(body) },
    ]),
  )

function expandUses(text: string, spell: (expanded: string) => string): string {
  const macros = macrosOf(text)
  return text.replace(use, (all, name: string, values: string) => {
    const macro = macros.get(name)
    return macro ? spell(expand(macro, listOf(values))) : all
  })
}

/** The text of a header with each declaration in the line of its macro. */
export const expandedInPlace = (text: string): string => expandUses(text, (expanded) => expanded.replaceAll('\n', ' '))

/** The text of a header as if nobody had used a macro. */
export const writtenOut = (text: string): string =>
  expandUses(text, (expanded) => expanded)
    .replace(definition, '')
    .replace(removal, '')
