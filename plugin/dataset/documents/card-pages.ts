import { allCalls, entryOf } from '../../generation/api-card.ts'
import { hostSurroundings } from '../../generation/api-calls.ts'
import { fenced } from './sections.ts'

/** Where pages that are made of the API card stand. */
export const cardDocument = 'api-card.md'

/** The API card as a document of pages, as a manual has them. Calls of one name have one page each, by their meaning. */
export function cardPages(): string {
  const seen = new Map<string, number>()
  const pages = allCalls().map(({ call, isHost }) => {
    const times = (seen.get(call.name) ?? 0) + 1
    seen.set(call.name, times)
    const lines = entryOf(call).split('\n').slice(1)
    const code = lines.filter((line) => /^ {2}`.*`$/.test(line)).map((line) => line.trim().slice(1, -1))
    const notes = lines.filter((line) => !/^ {2}`.*`$/.test(line)).map((line) => `- ${line.trim()}`)
    return [
      `## ${call.name}${times === 1 ? '' : ` (${times})`}`,
      `${call.meaning}.`,
      '### Prototype',
      fenced(code.length > 1 ? code.slice(0, -1).join('\n') : call.name),
      ...(isHost ? ['### Parameters', hostSurroundings.text] : []),
      ...(notes.length === 0 ? [] : ['### Constraints', notes.join('\n')]),
      '### Example',
      fenced(code.at(-1) ?? ''),
    ].join('\n\n')
  })
  return `# API card\n\n${pages.join('\n\n')}\n`
}
