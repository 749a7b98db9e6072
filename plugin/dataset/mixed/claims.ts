import { readAnswer, unfenced } from '../../generation/answer.ts'
import { isDeviceCode, isHostCode, saysAscendC, snippetsOf } from '../documents/snippets.ts'
import { codeBlocksOf } from '../documents/sections.ts'
import type { Row } from '../row.ts'

/** Code of an answer that claims to be Ascend C. */
export interface Block {
  /** path or tag that it stands under */
  name?: string
  text: string
}

const isOurs = (code: string): boolean => isDeviceCode(code) || isHostCode(code)

/** Programs that call an operator through the runtime: the host of no operator. */
const isApplication = (code: string): boolean =>
  /#\s*include\s*["<](?:acl\/|aclnn|torch\/|gtest\/)|\baclInit\s*\(|\bint(?:32_t)?\s+main\s*\(/.test(code)

/** Whether a row is about Ascend C at all: other C++ claims nothing. */
export const isAboutAscendC = ({ system = '', request, thought = '', answer }: Row): boolean =>
  saysAscendC([system, request, thought, answer].join('\n'))

/** `<kernel_impl>`, a file or a part for each tag, as prompts ask for that want files within tags. */
const tag = /^[ \t]*<(\/?)([A-Za-z_][\w./-]*)>[ \t]*\r?$/

/** The text without what stands within tags and is taken. A tag ends at the next line that closes it. */
function withoutTagged(text: string, take: (name: string, content: string) => boolean): string {
  const lines = text.split('\n')
  const tags = lines.map((line) => tag.exec(line))
  const next = new Map<string, number>()
  const ends: (number | undefined)[] = []
  for (let at = lines.length - 1; at >= 0; at--) {
    const [, closes, name = ''] = tags[at] ?? []
    if (closes === '/') next.set(name, at)
    ends[at] = closes === '' ? next.get(name) : undefined
  }
  const left: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const [end, name = ''] = [ends[at], tags[at]?.[2]]
    const isTaken = end !== undefined && take(name, lines.slice(at + 1, end).join('\n'))
    left.push(isTaken ? '' : lines.slice(at, (end ?? at) + 1).join('\n'))
    at = end ?? at
  }
  return left.join('\n')
}

/** An answer that is a source, without a mark around it. */
function isSource(answer: string): boolean {
  const lines = answer.split('\n').filter((line) => line.trim() !== '')
  const ofCode = lines.filter((line) => /[;{}\\,(]\s*(?:\/\/[^\n]*)?$|^\s*(?:#|\/[/*]|\*)/.test(line))
  return isOurs(answer) && ofCode.length > 0.6 * lines.length
}

/** The code of an answer: files with their paths, what stands within tags, fenced blocks, or all of it where it is a source. */
export function blocksOf(answer: string): Block[] {
  const files = readAnswer(answer, 'full')
  if (files.kind === 'files') return files.files.map(({ path, content }) => ({ name: path, text: content }))
  const within: Block[] = []
  const rest = withoutTagged(answer, (name, content) => {
    const text = unfenced(content.split('\n'))
    if (isOurs(text)) within.push({ name, text })
    return isOurs(text)
  })
  const fenced = snippetsOf(rest).map(({ text }) => ({ text }))
  const found = [...within, ...fenced].filter(({ text }) => !isApplication(text))
  const isBare = within.length === 0 && codeBlocksOf(answer).length === 0
  return isBare && isSource(answer) && !isApplication(answer) ? [{ text: answer }] : found
}
