import { codeBlocksOf, fenced, proseOf, type Section } from './sections.ts'

/** A page about one function or class of an API. */
export interface ApiPage {
  document: string
  /** as programs write it */
  name: string
  /** what it does */
  summary: string
  prototype: string
  parameters: string
  constraints: string
  example: string
}

type Part = Exclude<keyof ApiPage, 'document' | 'name'>

/** What pages call their parts, in the languages that manuals of Ascend C are written in. */
const titles: Readonly<Record<Part, RegExp>> = {
  summary: /^(?:function|functions?\s+description|description|overview|功能(?:说明|描述)?)$/i,
  prototype: /^(?:(?:function\s+)?prototypes?|signatures?|syntax|函数原型|定义原型|接口原型)$/i,
  parameters: /^(?:parameters?(?:\s+description)?|arguments|参数(?:说明|列表|解释)?)$/i,
  constraints:
    /^(?:constraints?|restrictions?(?:\s+and\s+limitations)?|precautions|notes?|约束(?:说明|与限制)?|注意事项)$/i,
  example: /^(?:examples?|(?:call(?:ing)?|usage|invocation)\s+examples?|example\s+of\s+use|调用示例|使用示例|样例)$/i,
}

const partOf = (heading: string): Part | undefined => {
  const bare = heading.replace(/^[\d.]+\s*/, '').trim()
  return parts.find((part) => titles[part].test(bare))
}
const parts: readonly Part[] = ['summary', 'prototype', 'parameters', 'constraints', 'example']

/** `AscendC::DataCopyPad(ISASI)` is a page of DataCopyPad; undefined where a heading is no name. */
const nameIn = (heading: string): string | undefined =>
  /^(?:[\d.]+\s+)?(?:AscendC::)?([A-Za-z_]\w*(?:::~?\w+(?:\[\])?)?)(?:\s*[（(][^)）]*[)）])?$/.exec(heading.trim())?.[1]

/** The pages of an API in a document: a heading that is a name, and below it at least a prototype. */
export function apiPagesOf(sections: readonly Section[]): ApiPage[] {
  const pages = new Map<string, ApiPage>()
  for (const { document, headings, text } of sections) {
    const at = headings.findLastIndex((heading) => partOf(heading) === undefined && nameIn(heading) !== undefined)
    if (at < 0 || headings.length > at + 2) continue
    const name = nameIn(headings[at]!)!
    const place = JSON.stringify([document, ...headings.slice(0, at + 1)])
    const page = pages.get(place) ?? empty(document, name)
    pages.set(place, page)
    const part = headings.length === at + 1 ? 'summary' : partOf(headings[at + 1]!)
    if (part === undefined) continue
    page[part] = [page[part], ['prototype', 'example'].includes(part) ? codeIn(text) : text]
      .filter((each) => each !== '')
      .join('\n\n')
  }
  return [...pages.values()].filter(({ prototype }) => prototype !== '')
}

const empty = (document: string, name: string): ApiPage => ({
  document,
  name,
  summary: '',
  prototype: '',
  parameters: '',
  constraints: '',
  example: '',
})

/** The code of a part, or all of it where it has none. */
function codeIn(text: string): string {
  const code = codeBlocksOf(text).map((block) => block.code.trim())
  return code.length > 0 ? code.join('\n\n') : proseOf(text).trim()
}

/** The page as a prompt shows it. */
export function pageText({ name, summary, prototype, parameters, constraints, example }: ApiPage): string {
  return [
    `**${name}**${summary === '' ? '' : `: ${summary}`}`,
    `Prototype:\n${fenced(prototype)}`,
    ...(parameters === '' ? [] : [`Parameters:\n${parameters}`]),
    ...(constraints === '' ? [] : [`Constraints:\n${constraints}`]),
    ...(example === '' ? [] : [`Example:\n${fenced(example)}`]),
  ].join('\n')
}
