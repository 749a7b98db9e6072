import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { primitiveTable } from '../../dsl/language-text.ts'
import { areTwins } from './families.ts'

/** The page that teaches the language. */
const page = new URL('../../../docs/dsl.md', import.meta.url)

const table = /<!-- primitives -->.*?<!-- \/primitives -->/s
const programs = /```ts\n.*?```\n*/gs

/**
 * What somebody has to know of the language to write a program for a task: the page on it from its first heading on, before which it
 * speaks of the command line, with the primitives that there are. Programs on it are left out where they would tell how this one is
 * written.
 */
export function languageText(task: string): string {
  const text = readFileSync(fileURLToPath(page), 'utf8')
  return text
    .slice(text.indexOf('\n## '))
    .replace(table, () => primitiveTable())
    .replace(programs, (program) => (areTwins(/name: '(\w+)'/.exec(program)?.[1] ?? '', task) ? '' : program))
    .trim()
}
