import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { primitiveTable } from '../../dsl/language-text.ts'
import { areTwins } from './families.ts'

/** The page that has all of the language. */
const page = new URL('../../../docs/dsl-reference.md', import.meta.url)

/** Behind that heading it speaks of the command line and of editors. */
const end = '\n## Commands\n'

const table = /<!-- primitives -->.*?<!-- \/primitives -->/s
const programs = /```ts\n.*?```\n*/gs

/**
 * What somebody has to know of the language to write a program for a task: the page from its first heading to that on commands,
 * with the primitives that there are. Programs on it are left out where they would tell how this one is
 * written.
 */
export function languageText(task: string): string {
  const text = readFileSync(fileURLToPath(page), 'utf8')
  return text
    .slice(text.indexOf('\n## '), text.indexOf(end))
    .replace(table, () => primitiveTable())
    .replace(programs, (program) => (areTwins(/name: '(\w+)'/.exec(program)?.[1] ?? '', task) ? '' : program))
    .trim()
}
