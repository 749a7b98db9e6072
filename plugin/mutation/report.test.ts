import { Ajv } from 'ajv'
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { editsOf } from './edits.ts'
import { htmlOf } from './html.ts'
import { countsOf, isPartial, missedThreshold, reportOf, scoreOf, type MutationRun } from './report.ts'
import type { JudgedMutant, Status } from './run.ts'
import type { NamedMutant } from './selection.ts'
import { describeMutant, diffOf, textOf } from './text.ts'

const text = 'void f() {\n  if (a) SyncAll();\n  DataCopy(x[i],\n    y, 8);  // </script>\u001b[2J\n}\n'
const mutants = editsOf(text).map((edit): NamedMutant => ({
  name: 'op_kernel/x.h',
  file: 'op_kernel/x.h',
  path: '/x.h',
  text,
  edit,
}))
const run = (...statuses: Status[]): MutationRun => ({
  task: 'X',
  sample: 'mine',
  root: '/project',
  seed: 3,
  version: '1.0.0',
  thresholdBreak: undefined,
  cases: ['static 0', 'generated 1'].map((id) => ({ kernelCase: undefined!, id, ms: 1, reached: undefined })),
  mutants: statuses.map((status, i): JudgedMutant => ({
    mutant: mutants[i]!,
    status,
    coveredBy: ['static 0'],
    ms: 1.5,
    ...(status === 'Killed' && { killedBy: 'static 0', reason: 'static 0: wrong-value' }),
  })),
})
const all: Status[] = [
  'Killed',
  'Survived',
  'NoCoverage',
  'CompileError',
  'RuntimeError',
  'Timeout',
  'Ignored',
  'Pending',
]

const schema = z
  .record(z.string(), z.unknown())
  .parse(
    JSON.parse(
      readFileSync(
        createRequire(import.meta.url).resolve('mutation-testing-report-schema/mutation-testing-report-schema.json'),
        'utf8',
      ),
    ),
  )

test('the report is what the schema of mutation testing reports asks for', () => {
  // the schema names a format that only a plugin of the validator knows
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  const report: unknown = JSON.parse(JSON.stringify(reportOf(run(...all))))
  expect(validate(report), JSON.stringify(validate.errors)).toBe(true)
  const broken = reportOf(run('Killed'))
  Object.assign(broken.files['op_kernel/x.h']!.mutants[0]!, { status: 'Gone' })
  expect(validate(broken)).toBe(false)
})

test('places are counted from 1, and lie where the edit is', () => {
  const { files, testFiles } = reportOf(run(...all))
  const { source, mutants: reported } = files['op_kernel/x.h']!
  const lines = source.split('\n')
  const textAt = ({ location: { start, end } }: (typeof reported)[number]): string =>
    start.line === end.line ? lines[start.line - 1]!.slice(start.column - 1, end.column - 1) : ''
  expect(reported.map(textAt)).toEqual(mutants.slice(0, all.length).map(({ edit }) => text.slice(edit.start, edit.end)))
  expect(reported[0]).toMatchObject({ status: 'Killed', killedBy: ['static 0'], statusReason: 'static 0: wrong-value' })
  expect(testFiles['X']!.tests.map(({ id }) => id)).toEqual(['static 0', 'generated 1'])
})

test('the score counts what can be noticed', () => {
  const counts = countsOf(run(...all).mutants)
  expect(scoreOf(counts)).toBe(50)
  expect(scoreOf(countsOf(run('Ignored', 'CompileError').mutants))).toBeUndefined()
  expect([isPartial(run(...all)), isPartial(run('Killed'))]).toEqual([true, false])
})

const missed = (threshold: number | undefined, ...statuses: Status[]) =>
  missedThreshold(countsOf(run(...statuses).mutants), threshold)

test('a threshold is reached by a score alone, and by no run that has failed', () => {
  expect(missed(50, 'Killed', 'Survived', 'CompileError', 'Ignored')).toBeUndefined()
  expect(missed(51, 'Killed', 'Survived')).toBe('the score is below --threshold-break 51')
  const noScore = '--threshold-break 0: there is no score, as no mutant that counts was judged'
  expect(missed(0, 'CompileError', 'Ignored')).toBe(noScore)
  const failed = '--threshold-break 0: mutants that this machine failed to judge: 1'
  expect(missed(0, 'RuntimeError')).toBe(failed)
  expect(missed(0, 'Killed', 'RuntimeError')).toBe(failed)
  expect(missed(undefined, 'RuntimeError')).toBeUndefined()
})

test('the page is one file that asks for nothing, and no text of a source ends its scripts', () => {
  const page = htmlOf(reportOf(run(...all)))
  expect(page.match(/<\/script/g)).toHaveLength(2)
  expect(page).toContain("default-src 'none'")
  expect(page.match(/<(?:script|link|img)[^>]*(?:src|href)=/)).toBeNull()
  expect(page).toContain(String.raw`\u003c/script>`)
})

test('the text has survivors with their edit, files with figures, and obeys no source', () => {
  const shown = textOf(run(...all))
  expect(shown).toMatch(
    /^\[Survived\] op_kernel\/x\.h:2 branches\n {2}- {3}if \(a\) SyncAll\(\);\n {2}\+ {3}if \(true\) SyncAll/m,
  )
  expect(shown).toMatch(/^op_kernel\/x\.h +50\.0 % +1 +1 +1 +1 +2 +1 +1$/m)
  expect(shown).toContain('partial: the run was stopped when 7 of 8 mutants were judged')
  expect(textOf(run('Killed'))).not.toContain('partial')
  expect(shown).not.toContain('\u001b')
  const escape = mutants.find(({ edit }) => edit.what === '8 + 1')!
  expect(diffOf(escape)).toContain(String.raw`\x1b[2J`)
  expect(describeMutant({ mutant: escape, status: 'RuntimeError', reason: 'a\u001bb' })).toContain(String.raw`a\x1bb`)
})
