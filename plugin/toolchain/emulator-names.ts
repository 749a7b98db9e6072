import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { lineJoint } from './text.ts'

const prefixes = ['npu_emu', 'NPU_EMU']

/** Stands for a line feed that joins two lines, also within a word. */
const joint = '\f'
const named = new RegExp(prefixes.map((name) => name.split('').join(`${joint}*`)).join('|'), 'g')

/** Does a name begin at a place? Behind digits it does: in the name that a compiler makes, the length stands before it. */
function isBegin(plain: string, at: number): boolean {
  let before = at - 1
  while (plain[before] === joint) before--
  return !/[A-Za-z_$]/.test(plain[before] ?? '')
}

/** Can the preprocessor paste words to one that begins with a name? All but the last of them are whole. */
function canPaste(name: string, words: ReadonlySet<string>): boolean {
  const ends = [0]
  for (let end = 1; end < name.length; end++) {
    if (!ends.some((from) => words.has(name.slice(from, end)))) continue
    ends.push(end)
    const rest = name.slice(end)
    for (const word of words) if (word.startsWith(rest)) return true
  }
  return false
}

/** Does a text, whose lines are joined, put names together? */
export const isPasting = (text: string): boolean => /##|%:%:/.test(text)

/** Texts with their lines joined; a joint stands where they were. */
const plainOf = (text: string): string => text.replaceAll(joint, ' ').replace(lineJoint, joint)

/** The line, from 1, in which a text of a candidate names what is the emulator's own; null where it does not. A device names it otherwise. */
export function namesEmulator(text: string): number | null {
  const plain = plainOf(text)
  for (const { index } of plain.matchAll(named))
    if (isBegin(plain, index)) return plain.slice(0, index).split(/[\n\f]/).length
  return null
}

/** May such a name be pasted of the words of texts that are compiled together? */
export const pastesEmulator = (texts: readonly string[]): boolean => pastedBeginning(texts, prefixes) !== undefined

/** Of some beginnings of names, the first for which this is so. */
export function pastedBeginning(texts: readonly string[], beginnings: readonly string[]): string | undefined {
  const plain = texts.map((text) => plainOf(text).replaceAll(joint, ''))
  if (!plain.some(isPasting)) return undefined
  const words = new Set(plain.flatMap((text) => text.match(/[\w$]+/g) ?? []))
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
