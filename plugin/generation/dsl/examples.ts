import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { packagedPrograms } from '../../candidates/packaged.ts'
import type { TaskInterface } from '../../model/index.ts'
import { categoriesIn, packagedTasks } from '../../suites/index.ts'
import { areTwins } from './families.ts'

/** A program that is shown to whoever writes another one. */
export interface Example {
  /** of its operator */
  name: string
  /** of its task; undefined where no spec spells it */
  category: string | undefined
  text: string
  /** what it uses of the language */
  uses: ReadonlySet<string>
}

/** How many are shown, and how many of them of the category of the task at most. */
const shown = { all: 4, near: 2 }

let read: readonly Example[] | undefined

/** The programs that come with the package. */
export function allExamples(): readonly Example[] {
  if (read) return read
  const categories = categoriesIn(packagedTasks)
  const files = readdirSync(packagedPrograms).filter((file) => file.endsWith('.npu.ts'))
  return (read = files.sort().map((file): Example => {
    const name = basename(file, '.npu.ts')
    const text = readFileSync(join(packagedPrograms, file), 'utf8')
    return { name, category: categories.get(name), text, uses: usesOf(text) }
  }))
}

/** What a program imports. */
const usesOf = (text: string): Set<string> => new Set(/import \{([^}]*)\}/.exec(text)?.[1]?.match(/\w+/g))

/**
 * Programs for a task: of its category, then whatever else there is; of each those that together show the most of the language. None is
 * for the task itself, nor for one with the same formula.
 */
export function examplesFor({ name, category }: Pick<TaskInterface, 'name' | 'category'>): Example[] {
  const others = allExamples().filter((each) => !areTwins(each.name, name))
  const near = others.filter((each) => each.category === category)
  return widest(others, shown.all, widest(near, shown.near, []))
}

/** Adds programs, each time the one that uses most of what those before it do not; of equals the shortest. */
function widest(from: readonly Example[], most: number, before: readonly Example[]): Example[] {
  const chosen = [...before]
  const seen = new Set(chosen.flatMap(({ uses }) => [...uses]))
  const gain = ({ uses }: Example): number => [...uses].filter((each) => !seen.has(each)).length
  while (chosen.length < most) {
    const [next] = from
      .filter((each) => !chosen.includes(each))
      .sort((a, b) => gain(b) - gain(a) || a.text.length - b.text.length || (a.name < b.name ? -1 : 1))
    if (!next) break
    for (const each of next.uses) seen.add(each)
    chosen.push(next)
  }
  return chosen
}
