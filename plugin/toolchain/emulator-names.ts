import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { lineJoint } from './text.ts'

const prefixes = ['npu_emu', 'NPU_EMU']

/** Stands for a line feed that joins two lines, also within a word. */
const joint = '\f'
const named = new RegExp(
  `(?<![\\w$]${joint}*)(?:${prefixes.map((name) => name.split('').join(`${joint}*`)).join('|')})`,
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

/**
 * The line, from 1, in which a text of a candidate names what is the emulator's own; 0 where it may paste such a name; null where it
 * does neither. What a device has is named otherwise.
 */
export function namesEmulator(text: string): number | null {
  const plain = text.replaceAll(joint, ' ').replace(lineJoint, joint)
  const found = named.exec(plain)
  if (found) return plain.slice(0, found.index).split(/[\n\f]/).length
  if (!/##|%:%:/.test(plain)) return null
  const words = [...new Set(plain.replaceAll(joint, '').match(/[\w$]+/g))]
  return prefixes.some((name) => canPaste(name, words)) ? 0 : null
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
