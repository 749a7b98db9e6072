import { skeletonOf as projectSkeleton } from '../../generation/skeleton.ts'
import type { TaskInterface } from '../../model/index.ts'
import { buildErrors, compileCodes, type Compiler } from '../kernels/compile.ts'
import type { OperatorFacts } from '../kernels/operator.ts'
import { codeOf } from '../kernels/pieces.ts'
import {
  asDeclarations,
  asFunction,
  asHost,
  elementTypes,
  isOfCube,
  type ForeignSnippet,
  type Snippet,
} from './snippets.ts'

const argument = (name: string): TaskInterface['inputs'][number] => ({
  name,
  kind: 'tensor',
  required: true,
  dtypes: ['float32'],
})

/** An operator of so many inputs and one output, of which nothing but a skeleton is there. */
function skeletonFacts(kernel: string, inputs: number, core: string): OperatorFacts {
  const task: TaskInterface = {
    name: 'Snippet',
    kernel,
    suite: 'own',
    group: null,
    category: '',
    inputs: Array.from({ length: inputs }, (_, i) => argument(inputs === 1 ? 'x' : `x${i + 1}`)),
    outputs: [argument('y')],
    attrs: [],
  }
  return {
    interface: task,
    combination: { inputs: task.inputs.map(() => 'float32'), outputs: ['float32'] },
    core,
    host: projectSkeleton(task).filter(({ path }) => path.startsWith('op_host/')),
  }
}

const vectorCore = 'KERNEL_TYPE_AIV_ONLY'
const bothCores = 'KERNEL_TYPE_MIX_AIC_1_2'

const key = ({ skeleton, text, names = [], fields = [] }: ForeignSnippet): string =>
  [skeleton, text, ...names, ...fields].join('\n')

/** Compiles snippets in the skeletons that they need, many at a time. For each the first error; null where it compiles. */
export async function compileSnippets(
  compiler: Compiler,
  snippets: readonly ForeignSnippet[],
): Promise<(string | null)[]> {
  const problems = new Map<string, string | null>()
  const of = (...skeletons: Snippet['skeleton'][]): ForeignSnippet[] =>
    snippets.filter(({ skeleton }) => skeletons.includes(skeleton))
  const together = [false, true].flatMap((cube) => {
    const facts = skeletonFacts('snippet', 1, cube ? bothCores : vectorCore)
    const isHere = ({ text }: Snippet): boolean => isOfCube(text) === cube
    return [
      compileDeclarations(compiler, facts, of('declarations').filter(isHere), problems),
      compileStatements(compiler, facts, of('statements').filter(isHere), problems),
    ]
  })
  const alone = [
    ...of('kernel').map(async (each) => problems.set(key(each), await kernelProblem(compiler, each))),
    ...of('host-statements', 'host-declarations').map(async (each) =>
      problems.set(key(each), await hostProblem(compiler, each)),
    ),
  ]
  await Promise.all([...together, ...alone])
  return snippets.map((snippet) => problems.get(key(snippet)) ?? null)
}

async function compileDeclarations(
  compiler: Compiler,
  facts: OperatorFacts,
  snippets: readonly Snippet[],
  problems: Map<string, string | null>,
): Promise<void> {
  const codes = snippets.map(({ text }) => asDeclarations(text))
  const found = await compileCodes(compiler, facts, codes)
  for (const [i, snippet] of snippets.entries()) problems.set(key(snippet), found[i] ?? null)
}

/** What no other element type mends. */
const isFinal = (message: string): boolean =>
  /undeclared identifier|was not declared|unknown type name|does not name a type|^expected |file not found/.test(
    message,
  )

/** Statements are legal where they are for one of the element types. */
async function compileStatements(
  compiler: Compiler,
  facts: OperatorFacts,
  snippets: readonly ForeignSnippet[],
  problems: Map<string, string | null>,
): Promise<void> {
  let left = snippets
  for (const [i, types] of elementTypes.entries()) {
    if (left.length === 0) return
    const codes = left.map(({ text, names }) => asFunction(text, types, names))
    const found = await compileCodes(compiler, facts, codes)
    for (const [j, snippet] of left.entries()) {
      // the first type is the plainest: its message is the one to tell
      if (found[j] === null || i === 0) problems.set(key(snippet), found[j] ?? null)
    }
    left = left.filter((_, j) => found[j] != null && !isFinal(found[j]))
  }
}

/** The entry point of a kernel, as far as one reaches. */
export function kernelEntry(code: string): { kernel?: string | undefined; parameters?: string | undefined } {
  const [, kernel, parameters] = /__global__[^;{]{0,1000}?\bvoid\s+(\w+)\s*\(([^(){};]{0,2000})\)/.exec(code) ?? []
  return { kernel, parameters }
}

async function kernelProblem(compiler: Compiler, { text, fields = [] }: ForeignSnippet): Promise<string | null> {
  const code = codeOf(text)
  const { kernel, parameters = '' } = kernelEntry(code)
  if (kernel === undefined) return 'the kernel has no entry point that takes addresses'
  const inputs = parameters.split(',').length - 3
  if (inputs < 1)
    return 'the entry point takes fewer than the addresses of an input, an output, the workspace and the tiling data'
  const core = /\bKERNEL_TYPE_\w+/.exec(code)?.[0] ?? vectorCore
  const facts = skeletonFacts(kernel, inputs, core)
  const host = fields.length === 0 ? facts.host : withFields(facts.host, fields)
  const [problem] = await compileCodes(compiler, { ...facts, host }, [text])
  return problem ?? null
}

/** The host part of a skeleton with more fields in its tiling data. It has a length of its own. */
function withFields(host: OperatorFacts['host'], fields: readonly string[]): OperatorFacts['host'] {
  const more = fields.filter((line) => !/\btotalLength\b/.test(line)).join('\n')
  return host.map(({ path, content }) => ({
    path,
    content: content.replace(/^END_TILING_DATA_DEF/m, () => `${more}\nEND_TILING_DATA_DEF`),
  }))
}

async function hostProblem(compiler: Compiler, snippet: Snippet): Promise<string | null> {
  const facts = skeletonFacts('snippet', 1, vectorCore)
  const host = facts.host.map(({ path, content }) => ({
    path,
    content: path.endsWith('.cpp') ? `${asHost(snippet)}\n${content}` : content,
  }))
  const kernel = projectSkeleton(facts.interface).filter(({ path }) => path.startsWith('op_kernel/'))
  const [error] = await buildErrors(compiler, { ...facts, host }, kernel)
  return error ? error.message : null
}
