import type { Compiler } from '../kernels/compile.ts'
import type { RowOf } from '../row.ts'
import { checkAnswer, isAbout } from './check.ts'
import { compileSnippets } from './compile-snippets.ts'
import { snippetsOf } from './snippets.ts'

/** Checks a row about a document: what it says of its passages, its names, and whether all of its code compiles. */
export async function verifyDocumentRow(
  { kind, request, thought = '', answer, operator = '', proof, provenance }: RowOf<'documentation' | 'api'>,
  { judging }: { judging: Compiler },
): Promise<string | undefined> {
  const { passages } = proof
  const { retrieved } = provenance
  if (retrieved && retrieved.length !== passages.length)
    return `its passages are ${passages.length}, and it names the places of ${retrieved.length}`
  // what was retrieved for a question may settle it in any of its passages
  const texts = retrieved ? passages : passages.slice(0, 1)
  const wrong =
    checkAnswer({ request, thought, answer }, passages) ?? isAbout({ kind, title: operator, texts }, request, answer)
  if (wrong) return `${wrong.reason}: ${wrong.detail}`
  const code = snippetsOf(answer)
  if (JSON.stringify(code) !== JSON.stringify(proof.code)) return 'the code of its proof is not that of its answer'
  const problems = await compileSnippets(judging, code)
  const problem = problems.find((each) => each !== null)
  return problem === undefined ? undefined : `does not compile: ${problem}`
}
