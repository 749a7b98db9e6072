import { onAtlasA2 } from '../../toolchain/ascendc-names.ts'
import { emulatorHeaders, type Header } from '../../toolchain/declarations.ts'
import { codeBlocksOf, proseOf } from './sections.ts'

let known: Set<string> | undefined

/** Names that the headers have: functions, classes, methods, macros, and the values of enumerations. */
function headerNames(headers: readonly Header[]): Set<string> {
  const names = new Set<string>()
  for (const { declarations, macros, apis, text } of headers) {
    for (const { name, kind, methods, body, namespace } of declarations) {
      for (const each of [name, ...methods, ...namespace.split('::')]) names.add(each)
      if (kind === 'enum') for (const word of wordsIn(body)) names.add(word)
    }
    for (const { name } of macros) names.add(name)
    for (const api of apis) for (const given of api.names) for (const word of wordsIn(given)) names.add(word)
    for (const [, name = ''] of text.matchAll(/^(?:using std::|NPU_EMU_TILING_DATA\()(\w+)/gm)) names.add(name)
    for (const [, name = ''] of text.matchAll(/^(?:inline )?constexpr [\w:]+ (\w+) ?[={]/gm)) names.add(name)
  }
  return names
}

const wordsIn = (text: string): string[] => text.match(/[A-Za-z_]\w*/g) ?? []

/** Every name of Ascend C that a program for this device may say. */
export const apiNames = (): ReadonlySet<string> =>
  (known ??= new Set([...headerNames(emulatorHeaders()), ...onAtlasA2]))

/** What reads like a name of the API: `AscendC::Add`, `DataCopyPad(`, `QuePosition`. */
const mention =
  /\b(?:AscendC|matmul|gert|ge|platform_ascendc|matmul_tiling)::([A-Za-z_]\w*)|\b([A-Z][a-z0-9]\w*)(?=(?:<[^<>\n]*>)?\()/g

/** What stands in code marks, no longer than a name with its parameters. */
const marked = /`([^`\n]{1,200})(?=`)/g

/** A name that stands alone: `TQue`, `TQue::EnQue`, `Add()`. */
const alone = /^(?:AscendC::)?([A-Z][A-Za-z0-9]*(?:::\w+)*)(?:<.*>)?(?:\(.*\))?$/

/** Names that a text claims to be of the API: in its prose those in code marks, and all that are called. */
export function claimedNames(markdown: string): string[] {
  const prose = proseOf(markdown)
  const found = [
    ...[...prose.matchAll(mention)].map(([, scoped, called]) => scoped ?? called!),
    ...[...prose.matchAll(marked)].flatMap(([, code = '']) => {
      const name = alone.exec(code)?.[1] ?? ''
      return /[a-z]/.test(name) ? name.split('::') : []
    }),
  ]
  return [...new Set(found)].filter((name) => name.length > 1)
}

/** Names that a text claims to be of the API and that neither Ascend C has, nor the material, nor its own code. */
export function unknownNames(markdown: string, material: readonly string[]): string[] {
  const own = new Set([...material, ...codeBlocksOf(markdown).map(({ code }) => code)].flatMap(wordsIn))
  const names = apiNames()
  return claimedNames(markdown).filter((name) => !names.has(name) && !own.has(name))
}
