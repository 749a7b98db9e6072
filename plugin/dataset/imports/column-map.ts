import { withoutReasoning } from '../../generation/reasoning.ts'

/** What of a row somebody else's record may have. */
export const fields = ['request', 'answer', 'thought', 'system', 'operator', 'rejected'] as const

export type Field = (typeof fields)[number]

/** Which columns make which field: their texts one below the other, columns as paths, e.g. `messages[0].content`. */
export type ColumnMap = Partial<Record<Field, readonly string[]>>

/** Maps that many corpora fit. */
export const knownMaps: Readonly<Record<string, string>> = {
  alpaca: 'request=instruction+input,answer=output,system=system',
  'alpaca-pairs': 'request=instruction+input,answer=chosen,rejected=rejected,system=system',
  sharegpt: 'request=conversations[0].value,answer=conversations[1].value,system=system',
  openai:
    'request=messages[role:user].content,answer=messages[role:assistant].content,system=messages[role:system].content',
}

const pathForm = /^[\w-]+(?:\[(?:\d+|[\w-]+:[\w-]+)\]|\.[\w-]+)*$/

/** Reads a map, or the name of one; what is wrong with it in a sentence. */
export function columnMapOf(text: string): { map: ColumnMap } | { problem: string } {
  const map: ColumnMap = {}
  for (const part of (knownMaps[text] ?? text).split(',')) {
    const [name = '', columns = ''] = part.split(/=(.*)/s).map((each) => each.trim())
    const field = fields.find((each) => each === name)
    if (field === undefined) return { problem: `"${name}" is no field: there are ${fields.join(', ')}` }
    if (map[field]) return { problem: `${field} is given twice` }
    const paths = columns.split('+').map((path) => path.trim())
    const bad = paths.find((path) => !pathForm.test(path))
    if (bad !== undefined) return { problem: `"${bad}" is no column: they are like output or messages[0].content` }
    map[field] = paths
  }
  const missing = (['request', 'answer'] as const).find((field) => !map[field])
  return missing === undefined ? { map } : { problem: `nothing is said of ${missing}` }
}

const own = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined

/** What stands in a record at a path; undefined: nothing. */
export function valueAt(record: unknown, path: string): unknown {
  let value = record
  for (const [, name, index, key, wanted] of path.matchAll(/\.?([\w-]+)|\[(?:(\d+)|([\w-]+):([\w-]+))\]/g)) {
    if (name !== undefined) value = own(value, name)
    else if (!Array.isArray(value)) return undefined
    else if (index !== undefined) value = value[Number(index)]
    else value = value.find((each) => own(each, key ?? '') === wanted)
  }
  return value
}

/** The fields of a record; texts that are empty are not there. */
export type Mapped = Partial<Record<Field, string>>

/** Takes the fields out of a record; reasoning that stands in the answer is apart. Returns what is wrong as a sentence. */
export function mapped(record: unknown, map: ColumnMap): { found: Mapped } | { problem: string } {
  const found: Mapped = {}
  for (const field of fields) {
    const texts: string[] = []
    for (const path of map[field] ?? []) {
      const value = valueAt(record, path)
      if (value === undefined || value === null || value === '') continue
      if (typeof value !== 'string') return { problem: `${path} is no text` }
      texts.push(value)
    }
    if (texts.length > 0) found[field] = texts.join('\n')
  }
  if (found.thought === undefined && found.answer !== undefined) {
    const { text, reasoning } = withoutReasoning(found.answer)
    if (reasoning !== '') Object.assign(found, { answer: text, thought: reasoning })
  }
  const missing = (['request', 'answer'] as const).find((field) => (found[field] ?? '').trim() === '')
  return missing === undefined ? { found } : { problem: `there is no ${missing}` }
}
