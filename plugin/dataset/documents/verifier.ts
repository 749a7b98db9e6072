import type { RowOf } from '../row.ts'
import type { CheckContext } from '../verifier.ts'
import { checkAnswer } from './check.ts'
import { compileSnippets } from './compile-snippets.ts'
import { snippetsOf } from './snippets.ts'

/** Checks a row about a document: what it says of its passages, its names, and whether all of its code compiles. */
export async function verifyDocumentRow(
  { request, thought = '', answer, proof }: RowOf<'documentation' | 'api'>,
  { judging }: CheckContext,
): Promise<string | undefined> {
  const wrong = checkAnswer({ request, thought, answer }, proof.passages)
  if (wrong) return `${wrong.reason}: ${wrong.detail}`
  const code = snippetsOf(answer)
  if (JSON.stringify(code) !== JSON.stringify(proof.code)) return 'the code of its proof is not that of its answer'
  const problems = await compileSnippets(judging, code)
  const problem = problems.find((each) => each !== null)
  return problem === undefined ? undefined : `does not compile: ${problem}`
}
