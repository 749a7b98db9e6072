import type { ProjectFile } from '../model/index.ts'
import { readAnswer, writeFiles } from '../generation/answer.ts'
import type { KernelTask } from '../task/index.ts'
import { casesFor, classOf, compileAttempt, judgeAttempt, type Attempt, type CaseLimits } from './attempts.ts'
import { codeBlocksOf } from './documents/sections.ts'
import type { Judging } from './judging.ts'
import { mostBytes, usualDraws } from './proof-error.ts'
import type { RowOf } from './row.ts'
import type { Verifier } from './verifier.ts'

/** What the failing files fail by is as it was told, the corrected ones do not fail, and they are what the answer says. */
export const verifyError: Verifier<'error'> = async (row, { taskOf, judging }) => {
  const { proof, thought = '' } = row
  if (thought === '') return 'has no reasoning'
  const stray = strayIn(row)
  if (stray !== undefined) return stray
  const task = await taskOf(proof.suite, proof.task)
  if (proof.level === 'kernel' && (!proof.cases || casesFor(task, limitsOf(proof.cases)).length === 0))
    return 'names no case that the correction could be judged on'
  const failing = await attempt(task, proof.failing, proof, judging)
  if (failing.verdict.kind !== proof.verdict) return `fails by ${failing.verdict.kind}, and not by ${proof.verdict}`
  if (classOf(failing.verdict) !== proof.class) return `is of class ${classOf(failing.verdict)}, and not ${proof.class}`
  const corrected = await attempt(task, proof.corrected, proof, judging)
  return corrected.verdict.kind === 'correct' ? undefined : `the correction ends in ${corrected.verdict.kind}`
}

const attempt = async (
  task: KernelTask,
  files: readonly ProjectFile[],
  { level, cases }: RowOf<'error'>['proof'],
  judging: Judging,
): Promise<Attempt> =>
  level === 'api' || !cases
    ? await compileAttempt(task, files, judging)
    : await judgeAttempt(task, files, judging, limitsOf(cases))

/** The cases of a row are at least those that rows of its kind are judged on: it may name more draws, and not fewer or smaller ones. */
const limitsOf = ({ draws, seed }: NonNullable<RowOf<'error'>['proof']['cases']>): CaseLimits => ({
  draws: Math.max(draws, usualDraws),
  seed,
  bytes: mostBytes,
})

const blocks = (text: string): string[] =>
  codeBlocksOf(text)
    .filter(({ language }) => language === 'cpp')
    .map(({ code }) => code.trimEnd())

const among = (files: readonly ProjectFile[], file: ProjectFile): boolean =>
  files.some((each) => writeFiles([each]) === writeFiles([file]))

/** Why the answer is not what was judged; undefined: it is. */
function strayIn({ answer, request, proof: { level, failing, corrected } }: RowOf<'error'>): string | undefined {
  const changed = corrected.filter(
    ({ path, content }) => !failing.some((file) => file.path === path && file.content === content),
  )
  if (changed.length === 0) return 'nothing was corrected'
  if (level === 'kernel') {
    // of an operator whose kernel is right the answer has the host part alone
    const others = corrected.filter((file) => !changed.includes(file) && !answer.includes(`<file path="${file.path}">`))
    const read = readAnswer(`${answer}\n${writeFiles(others)}`, 'full')
    if (read.kind !== 'files') return `the answer holds no files: ${read.reason}`
    // what the answer says beside the correction was judged as well
    const wrong = changed.find((file) => !among(read.files, file)) ?? read.files.find((file) => !among(corrected, file))
    return wrong && `the answer has another ${wrong.path} than the one that was judged`
  }
  const [told = '', ...others] = blocks(answer)
  const [asked = ''] = blocks(request)
  if (others.length > 0) return 'the answer has more code than what was compiled'
  if (told === '' || !corrected.some(({ content }) => content.includes(told)))
    return 'the answer has other code than what was compiled'
  if (asked === '' || !failing.some(({ content }) => content.includes(asked)))
    return 'the request has other code than what was compiled'
  const isCorrected = changed.every(({ path, content }) =>
    failing.some((file) => file.path === path && isReplaced({ before: file.content, after: content, asked, told })),
  )
  return isCorrected ? undefined : 'the correction is not that of the answer'
}

/** Whether a source becomes another one where one code of it takes the place of the other; blocks do not tell how they end. */
function isReplaced({ before, after, asked, told }: Record<'before' | 'after' | 'asked' | 'told', string>): boolean {
  for (let at = before.indexOf(asked); at >= 0; at = before.indexOf(asked, at + 1)) {
    const start = before.slice(0, at) + told
    const rest = before.slice(at + asked.length)
    if (after.startsWith(start) && after.slice(start.length).trimStart() === rest.trimStart()) return true
  }
  return false
}
