import { neutralText } from '../model/index.ts'
import { applyEdit } from './edits.ts'
import { countsOf, isPartial, scoreOf, type MutationRun } from './report.ts'
import { placeNamed, type JudgedMutant } from './run.ts'
import type { NamedMutant } from './selection.ts'

const shown = (mark: string, lines: readonly string[]): string[] => lines.map((line) => neutralText(`${mark} ${line}`))

/** The lines that an edit changes, before and after. */
export function diffOf({ text, edit }: NamedMutant): string {
  const from = edit.start === 0 ? 0 : text.lastIndexOf('\n', edit.start - 1) + 1
  const end = text.indexOf('\n', edit.end)
  const lines = text.slice(from, end < 0 ? text.length : end)
  const edited = applyEdit(lines, { ...edit, start: edit.start - from, end: edit.end - from })
  const before = lines.split('\n')
  const after = edited.split('\n').slice(0, before.length)
  return [
    ...shown('-', before),
    ...shown(
      '+',
      after.filter((line) => line.trim() !== ''),
    ),
  ].join('\n')
}

/** One mutant: what became of it, where, and the edit. */
export function describeMutant({ mutant, status, reason }: Pick<JudgedMutant, 'mutant' | 'status' | 'reason'>): string {
  const because = reason === undefined ? '' : `\n  ${neutralText(reason)}`
  const line = `[${status}] ${placeNamed(mutant)} ${mutant.edit.damage}`
  return `${neutralText(line)}${because}\n${indented(diffOf(mutant))}`
}

const indented = (text: string): string => text.replaceAll(/^/gm, '  ')

const percent = (score: number | undefined): string => (score === undefined ? '-' : `${score.toFixed(1)} %`)

/** The survivors, a table of files, and the score. */
export function textOf(run: MutationRun): string {
  const { mutants, cases, task, sample, seed } = run
  const left = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  const broken = mutants.filter(({ status }) => status === 'RuntimeError')
  const names = [...new Set(mutants.map(({ mutant }) => mutant.name))]
  const row = (name: string, of: readonly JudgedMutant[]): string[] => {
    const counts = countsOf(of)
    const { Killed, Timeout, Survived, NoCoverage, CompileError, RuntimeError, Ignored, Pending } = counts
    const figures = [Killed, Timeout, Survived, NoCoverage, CompileError + RuntimeError, Ignored]
    return [
      neutralText(name),
      percent(scoreOf(counts)),
      ...[...figures, ...(isPartial(run) ? [Pending] : [])].map(String),
    ]
  }
  const headings = ['file', 'score', 'killed', 'timeout', 'survived', 'no coverage', 'errors', 'ignored']
  const table = [
    [...headings, ...(isPartial(run) ? ['pending'] : [])],
    ...names.map((name) =>
      row(
        name,
        mutants.filter(({ mutant }) => mutant.name === name),
      ),
    ),
    ...(names.length === 1 ? [] : [row('all', mutants)]),
  ]
  const done = mutants.length - countsOf(mutants).Pending
  return [
    ...[...left, ...broken].map((each) => `${describeMutant(each)}\n`),
    columns(table),
    '',
    `${task} ${sample}: ${cases.length} cases, seed ${seed}; ${mutants.length} mutants`,
    ...(isPartial(run) ? [`partial: the run was stopped when ${done} of ${mutants.length} mutants were judged`] : []),
    `mutation score: ${percent(scoreOf(countsOf(mutants)))}`,
  ].join('\n')
}

/** The first column to the left, figures to the right. */
function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  return rows
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}
