import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf } from '../model/index.ts'

/** Beside `plugin/` (source) and beside `dist/` (built). */
export const packagedPrompts = fileURLToPath(new URL('../../plugin/generation/prompts', import.meta.url))

/** A defect of a template: names the file, the line and what to do about it. */
export class TemplateError extends Error {
  override name = 'TemplateError'
}

/** A text with places to be filled. */
export interface Template {
  /** its file, as messages name it */
  file: string
  text: string
}

/** Templates by name: `task` is `task.md`. */
export interface Templates {
  of: (name: string) => Template
  /** hash of those that are not the packaged ones; null: all of them are */
  ownDigest: string | null
}

/**
 * The packaged templates, and instead of each the file of its name in a folder of the user's. Throws a TemplateError where that
 * cannot be read, or has a file that stands for none.
 */
export function loadTemplates(own?: string, folder: string = packagedPrompts): Templates {
  const packaged = templatesIn(folder)
  const overriding = own === undefined ? new Map<string, Template>() : templatesIn(own)
  for (const [name, { file }] of overriding)
    if (!packaged.has(name))
      throw new TemplateError(
        `${file}: is no template; there are ${[...packaged.keys()].map((each) => `${each}.md`).join(', ')}`,
      )
  const all = new Map([...packaged, ...overriding])
  return {
    of(name) {
      const found = all.get(name)
      if (!found) throw new TemplateError(`no template is called ${name}.md`)
      return found
    },
    ownDigest: overriding.size === 0 ? null : digestOf(overriding),
  }
}

function digestOf(templates: ReadonlyMap<string, Template>): string {
  const hash = createHash('sha256')
  for (const [name, { text }] of templates) hash.update(`${name}\0${text}\0`)
  return hash.digest('hex')
}

function templatesIn(folder: string): Map<string, Template> {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith('.md'))
    return new Map(
      files.sort().map((file) => {
        const text = readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n')
        return [basename(file, '.md'), { file: join(folder, file), text }]
      }),
    )
  } catch (error) {
    throw new TemplateError(`${folder}: templates cannot be read: ${messageOf(error)}`)
  }
}

/** What the places of templates are filled with. */
export type Facts = Readonly<Record<string, string>>

/**
 * Fills every `{{name}}` of a template. What facts say is not looked at again. A line that is nothing but a place whose fact is
 * empty goes, with the empty line behind it. Throws a TemplateError at a place that no fact fills.
 */
export function render({ file, text }: Template, facts: Facts): string {
  const lines = text.trimEnd().split('\n')
  const filled: string[] = []
  for (const [i, line] of lines.entries()) {
    const after = line.replace(/\{\{([^}]*)\}?\}?/g, (place, name: string) => {
      const fact = Object.hasOwn(facts, name) ? facts[name] : undefined
      if (fact === undefined || !place.endsWith('}}'))
        throw new TemplateError(
          `${file}:${i + 1}: ${place} is filled by nothing; places are ${Object.keys(facts)
            .map((each) => `{{${each}}}`)
            .join(', ')}`,
        )
      return fact.trimEnd()
    })
    const vanished = after === '' && line !== ''
    const doubled = after === '' && line === '' && (filled.length === 0 || filled.at(-1) === '')
    if (!vanished && !doubled) filled.push(after)
  }
  return filled.join('\n').trim()
}
