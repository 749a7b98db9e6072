import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('runtime/', import.meta.url))
const isOfIssuePoint = (file: string): boolean => /^issue(_\w+)?\.(cpp|h)$/.test(file)
const isOfRaceDetector = (file: string): boolean => file.startsWith('race_detector')

const sources = readdirSync(folder)
  .filter((file) => /\.(cpp|h)$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))

/**
 * What a launch sets before its cores start, whether there is a detector, how many instructions it has seen, and what it holds for
 * those that follow leftovers.
 */
const noAccess = new Set(['keepCopiesBack', 'isOff', 'vectorInstructions', 'leftovers'])

/** Members of the race detector that a source names. */
const namedOfDetector = (text: string): string[] =>
  [...text.matchAll(/\bhazards(?:\.|->)(\w+)/g)].map(([, name]) => name!).filter((name) => !noAccess.has(name))

test('only the issue point tells the race detector of accesses, and of what they are ordered by', () => {
  const own = new Set(sources.filter(({ file }) => isOfIssuePoint(file)).flatMap(({ text }) => namedOfDetector(text)))
  expect(own).toContain('local')
  expect(own).toContain('issue')
  const others = sources.filter(({ file }) => !isOfIssuePoint(file) && !isOfRaceDetector(file))
  const past = others.flatMap(({ file, text }) =>
    namedOfDetector(text)
      .filter((name) => own.has(name))
      .map((name) => `${file} hazards.${name}`),
  )
  expect(past).toEqual([])
})

test('only the issue point leaves records for the clock, and knows what the compiler waits for', () => {
  const past = sources
    .filter(({ file }) => !isOfIssuePoint(file))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/\btrace(?:\.|->)(?:emplace|push)_back|\bpendingCount\b|\bIssuePoint\b/g)].map(
        ([name]) => `${file} ${name}`,
      ),
    )
  expect(past).toEqual(['core.h pendingCount'])
})
