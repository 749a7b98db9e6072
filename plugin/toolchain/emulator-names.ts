import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { lineJoint } from './text.ts'

const prefixes = ['npu_emu', 'NPU_EMU']

/** Stands for a line feed that joins two lines, also within a word. */
const joint = '\f'
const named = new RegExp(
  // digits: in the name that a compiler makes, the length stands before it
  `(?<![A-Za-z_$]${joint}*)(?:${prefixes.map((name) => name.split('').join(`${joint}*`)).join('|')})`,
)

/** Can the preprocessor paste words to one that begins with a name? All but the last of them are whole. */
const canPaste = (name: string, words: readonly string[]): boolean =>
  name.split('').some((_, end) => {
    const rest = name.slice(end)
    return (
      end > 0 &&
      words.includes(name.slice(0, end)) &&
      (words.some((word) => word.startsWith(rest)) || canPaste(rest, words))
    )
  })

/** Does a text, whose lines are joined, put names together? */
export const isPasting = (text: string): boolean => /##|%:%:/.test(text)

/** Texts with their lines joined; a joint stands where they were. */
const plainOf = (text: string): string => text.replaceAll(joint, ' ').replace(lineJoint, joint)

/** The line, from 1, in which a text of a candidate names what is the emulator's own; null where it does not. A device names it otherwise. */
export function namesEmulator(text: string): number | null {
  const plain = plainOf(text)
  const found = named.exec(plain)
  return found && plain.slice(0, found.index).split(/[\n\f]/).length
}

/** May such a name be pasted of the words of texts that are compiled together? */
export const pastesEmulator = (texts: readonly string[]): boolean => pastedBeginning(texts, prefixes) !== undefined

/** Of some beginnings of names, the first for which this is so. */
export function pastedBeginning(texts: readonly string[], beginnings: readonly string[]): string | undefined {
  const plain = texts.map((text) => plainOf(text).replaceAll(joint, ''))
  if (!plain.some(isPasting)) return undefined
  const words = [...new Set(plain.flatMap((text) => text.match(/[\w$]+/g) ?? []))]
  return beginnings.find((beginning) => canPaste(beginning, words))
}

const headers = ['entry.h', 'template_entry.h']
const folder = fileURLToPath(new URL('../../plugin/emulator/include/ascendc', import.meta.url))

let words: readonly string[] | undefined

/** The words of the macros that stand behind a kernel's text: none of them may be a macro of the kernel. */
export function wordsOfEntry(): readonly string[] {
  words ??= [
    ...new Set(
      headers
        .flatMap(
          (name) => readFileSync(`${folder}/${name}`, 'utf8').match(/^#define NPU_EMU_(?:[^\n]*\\\n)*[^\n]*/gm) ?? [],
        )
        .flatMap((macro) => macro.replace(/^#define/, '').match(/\b[A-Za-z_]\w*/g) ?? [])
        .filter((word) => !/^NPU_EMU_|^__[A-Z]+__$/.test(word)),
    ),
  ]
  return words
}
