import type { ProjectFile } from '../model/index.ts'
import { readAnswer, writeFiles } from '../generation/answer.ts'
import type { KernelTask } from '../task/index.ts'
import { classOf, compileAttempt, judgeAttempt, type Attempt } from './attempts.ts'
import type { Judging } from './judging.ts'
import type { RowOf } from './row.ts'
import type { Verifier } from './verifier.ts'

/** What the failing files fail by is as it was told, the corrected ones do not fail, and they are what the answer says. */
export const verifyError: Verifier<'error'> = async (row, { taskOf, judging }) => {
  const { proof, thought = '' } = row
  if (thought === '') return 'has no reasoning'
  const stray = strayIn(row)
  if (stray !== undefined) return stray
  const task = await taskOf(proof.suite, proof.task)
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
    : await judgeAttempt(task, files, judging, cases)

const blocks = (text: string): string[] =>
  [...text.matchAll(/^```cpp\n([^]*?)\n```$/gm)].map(([, code = '']) => code.trimEnd())

/** Why the answer is not what was judged; undefined: it is. */
function strayIn({ answer, request, proof: { level, failing, corrected } }: RowOf<'error'>): string | undefined {
  const changed = corrected.filter(
    ({ path, content }) => !failing.some((file) => file.path === path && file.content === content),
  )
  if (changed.length === 0) return 'nothing was corrected'
  if (level === 'kernel') {
    const read = readAnswer(answer, 'full')
    if (read.kind !== 'files') return `the answer holds no files: ${read.reason}`
    const wrong = changed.find((file) => !read.files.some((each) => writeFiles([each]) === writeFiles([file])))
    return wrong && `the answer has another ${wrong.path} than the one that was judged`
  }
  const [told, asked] = [blocks(answer).at(-1), blocks(request)[0]]
  if (told === undefined || !corrected.some(({ content }) => content.includes(told)))
    return 'the answer has other code than what was compiled'
  if (asked === undefined || !failing.some(({ content }) => content.includes(asked)))
    return 'the request has other code than what was compiled'
  return undefined
}
