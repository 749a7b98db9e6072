import { unknownNames } from '../documents/api-names.ts'
import { codeBlocksOf } from '../documents/sections.ts'
import type { RowOf } from '../row.ts'
import { buildErrors, kernelFileOf, type Compiler } from './compile.ts'
import { leakOf } from './leaks.ts'

/** Checks a row about a kernel: its answer is what compiles, and its request does not give it away. */
export async function verifyKernelRow(
  { request, thought = '', answer, proof }: RowOf<'kernel'>,
  { judging }: { judging: Compiler },
): Promise<string | undefined> {
  const [block, another] = codeBlocksOf(answer)
  if (!block || another) return 'its answer is not one block of code'
  const code = block.code.trim()
  const host = proof.files.filter(({ path }) => path.startsWith('op_host/'))
  const [entry, ...others] = proof.files.filter(({ path }) => !path.startsWith('op_host/'))
  const core = /\bKERNEL_TASK_TYPE_DEFAULT\((\w+)\);\n\}\n$/.exec(entry?.content ?? '')?.[1] ?? ''
  const expected = kernelFileOf({ interface: proof.interface, core }, block.code)
  if (!entry || others.length > 0 || entry.path !== proof.entry || entry.content.trim() !== expected.content.trim())
    return 'what its proof compiles is not the code of its answer'
  const leak = leakOf(request, code)
  if (leak !== undefined) return leak
  const [unknown] = unknownNames(`${request}\n\n${thought}`, [code])
  if (unknown !== undefined) return `unknown name: ${unknown}`
  const [error] = await buildErrors(judging, { interface: proof.interface, combination: proof.combination, host }, [
    entry,
  ])
  return error && `does not compile: ${error.message}`
}
