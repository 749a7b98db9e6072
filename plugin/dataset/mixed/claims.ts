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
const tagged = /^[ \t]*<([A-Za-z_][\w./-]*)>[ \t]*\r?\n([^]*?)\r?\n?^[ \t]*<\/\1>[ \t]*$/gm

/** An answer that is a source, without a mark around it. */
function isSource(answer: string): boolean {
  const lines = answer.split('\n').filter((line) => line.trim() !== '')
  const ofCode = lines.filter((line) => /[;{}\\,(]\s*(?:\/\/.*)?$|^\s*(?:#|\/[/*]|\*)/.test(line))
  return isOurs(answer) && ofCode.length > 0.6 * lines.length
}

/** The code of an answer: files with their paths, what stands within tags, fenced blocks, or all of it where it is a source. */
export function blocksOf(answer: string): Block[] {
  const files = readAnswer(answer, 'full')
  if (files.kind === 'files') return files.files.map(({ path, content }) => ({ name: path, text: content }))
  const within: Block[] = []
  const rest = answer.replaceAll(tagged, (all, name: string, content: string) => {
    const text = unfenced(content.split('\n'))
    if (!isOurs(text)) return all
    within.push({ name, text })
    return ''
  })
  const fenced = snippetsOf(rest).map(({ text }) => ({ text }))
  const found = [...within, ...fenced].filter(({ text }) => !isApplication(text))
  const isBare = within.length === 0 && codeBlocksOf(answer).length === 0
  return isBare && isSource(answer) && !isApplication(answer) ? [{ text: answer }] : found
}
