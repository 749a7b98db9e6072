import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs } from '../../fixtures/operator.ts'
import { cacheFolderOf } from '../cache/cache.ts'
import { writeFiles } from '../generation/answer.ts'
import { createPrompter } from '../generation/prompter.ts'
import { toFloat64, uniform } from '../inputs/index.ts'
import type { KernelCase, ProjectFile, TensorSpec, TilingFacts } from '../model/index.ts'
import { attr, defineTask, exact, tensor, type KernelTask } from '../task/index.ts'
import { resolveOptions } from '../vitest/options.ts'
import { runSuites } from '../vitest/run-suites.ts'
import { itemsOf } from './answer-items.ts'
import type { ApiError, KernelError } from './error-sources.ts'
import { ApiErrorBuilder, KernelErrorBuilder, type ErrorOptions } from './errors.ts'
import type { Answered } from './builder.ts'
import { Judging } from './judging.ts'
import type { ProjectSource } from './project-source.ts'
import { answerOf, ProjectBuilder, type Scenario } from './projects.ts'
import { projectFor } from './prune-project.ts'
import { rowOf, type Draft, type RowOf } from './row.ts'
import { snippetText } from './snippet.ts'
import { datasetTemplates } from './templates.ts'
import type { Decision, WorkFolder } from './work-folder.ts'
import { verifyError } from './verify-error.ts'
import { verifyProject } from './verify-project.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const kernel = 'op_kernel/doubled.cpp'
const read = (path: string): ProjectFile => ({
  path,
  content: readFileSync(join(root, 'fixtures/doubled', path), 'utf8'),
})
const right = [read('op_host/doubled.cpp'), read(kernel)]

/** The operator with another kernel. Throws where there is nothing to replace. */
const withKernel = (from: string, to: string): ProjectFile[] =>
  right.map((file) => {
    if (file.path !== kernel) return file
    if (!file.content.includes(from)) throw new Error(`there is no ${from}`)
    return { ...file, content: file.content.replace(from, to) }
  })
const tripled = withKernel('Add(y, x, x, count);', 'Muls(y, x, 3.0f, count);')
const broken = withKernel('Add(y, x, x, count);', 'Twice(y, x, count);')

const doubled: KernelTask = defineTask('Doubled', {
  category: 'Math',
  kernel: 'doubled',
  inputs: { x: tensor({ dtype: 'float32', shape: ['n'], draw: uniform(1, 9) }) },
  outputs: { y: tensor.like('x') },
  attrs: { negative: attr.int(0) },
  golden: ({ x }, { negative }) => ({
    y: { values: toFloat64(x).map((value) => (negative ? -2 : 2) * value) },
  }),
  domain: fc.record({ x: fc.constantFrom([8], [100]), negative: fc.constantFrom(0, 1) }),
  strict: exact,
  cases: [{ x: [100], negative: 0 }],
})
const [kernelCase] = doubled.staticCases
const generatedWith = (x: Partial<TensorSpec>): KernelCase => ({
  ...kernelCase!,
  name: 'generated',
  inputs: { x: { dtype: 'float32', shape: [100], ...x } },
})
const limits = { draws: 4, seed: 1, bytes: 1 << 20 }
const proofOf = { suite: doubled.interface.suite, task: 'Doubled' }
const provenance = { source: 'doubled', sha256: '0'.repeat(64), licence: 'MIT' }
const thought = 'Every element is added to itself, in tiles of 256, by one core. '.repeat(10)

let judging: Judging
beforeAll(() => {
  const options = resolveOptions({}, { NPU_CACHE_DIR: cacheFolderOf(root) })
  judging = new Judging({ root, options, suites: runSuites(options, root) }, new AbortController().signal, () => {})
})
afterAll(async () => await judging.close())

const context = () => ({ taskOf: () => Promise.resolve(doubled), judging })

const tiling: TilingFacts = { blockDim: 1, tilingKey: '0', workspaceBytes: 0, fields: { length: 100, negative: 0 } }

describe('a row about a project', () => {
  const row = (changed: {
    tiling?: TilingFacts
    files?: ProjectFile[]
    answer?: string
    soc?: string
    thought?: string
    kernelCase?: KernelCase
  }) => {
    const facts = { tiling, files: right, ...changed }
    const made = rowOf({
      kind: 'project',
      request: 'Double it.',
      thought: changed.thought ?? thought,
      answer: changed.answer ?? answerOf(facts),
      proof: {
        ...proofOf,
        case: changed.kernelCase ?? kernelCase!,
        soc: changed.soc ?? 'Ascend910B2',
        tiling: facts.tiling,
        files: facts.files,
        pruned: false,
      },
      provenance,
    })
    if (made.kind !== 'project') throw new Error('is one of a project')
    return made
  }
  const check = async (changed: Parameters<typeof row>[0]) => await verifyProject(row(changed), context())

  test('is right where the project makes that tiling', { timeout: buildLimitMs }, async () => {
    expect(await check({})).toBeUndefined()
    expect(await check({ kernelCase: generatedWith({}) })).toBeUndefined()
  })

  test.each<[string, Parameters<typeof row>[0]]>([
    ['makes another tiling', { tiling: { ...tiling, fields: { length: 101, negative: 0 } } }],
    ['makes another tiling', { tiling: { ...tiling, blockDim: 2 } }],
    ['makes another tiling', { tiling: { ...tiling, workspaceBytes: 32 } }],
    ['is wrong-value', { files: tripled }],
    ['does not compile: ', { files: broken }],
    ['the answer is not the project', { answer: answerOf({ files: tripled, tiling }) }],
    ['is of Ascend310P3', { soc: 'Ascend310P3' }],
    ['has no reasoning', { thought: 'It doubles.' }],
    ['is of no case', { kernelCase: { ...kernelCase!, combination: 9 } }],
    ['is of no case', { kernelCase: { ...kernelCase!, inputs: { x: { dtype: 'float32', shape: [2 ** 33] } } } }],
    // where 3x is 2x
    [
      'its case fixes the values of x',
      { kernelCase: generatedWith({ values: Array<number>(100).fill(0) }), files: tripled },
    ],
  ])('is wrong where it %s', { timeout: buildLimitMs }, async (problem, changed) => {
    expect(await check(changed)).toContain(problem)
  })
})

test('what its case does not need is taken out of a project that is right', { timeout: buildLimitMs }, async () => {
  const scenario = { kernelCase: kernelCase!, tiling }
  const project = await projectFor(doubled, scenario, right, judging)
  if ('problem' in project) throw new Error(project.problem)
  const text = project.files.map(({ content }) => content).join('\n')
  expect(project).toMatchObject({ pruned: true })
  expect(text).toContain('Add(y, x, x, count)')
  expect(text).not.toMatch(/Unused|Muls|if \(negative_\)/)
  expect(await projectFor(doubled, scenario, tripled, judging)).toEqual({ problem: 'is wrong-value' })
})

test('a project that breaks where something is taken out stays as it is', { timeout: buildLimitMs }, async () => {
  // reads as one declaration with what follows it, which nothing names
  const declared = '#define DECLARE_TILE constexpr uint32_t TILE = 256;\nDECLARE_TILE\ninline int rows() { return 2; }'
  const files = withKernel('constexpr uint32_t TILE = 256;', declared)
  expect(await projectFor(doubled, { kernelCase: kernelCase!, tiling }, files, judging)).toEqual({
    files,
    pruned: false,
    note: expect.stringMatching(/^does not compile/),
  })
})

const fence = (code: string): string => `\`\`\`cpp\n${code.trimEnd()}\n\`\`\``
const lines = { path: kernel, first: 30, last: 50 }
const textIn = (files: readonly ProjectFile[]): string =>
  snippetText(files.find(({ path }) => path === kernel)!.content, lines)

const errorRow = (
  proof: Partial<Omit<RowOf<'error'>['proof'], 'cases'>> &
    Pick<RowOf<'error'>['proof'], 'level' | 'failing'> & { without?: 'cases' },
  texts: { request?: string; answer?: string } = {},
): RowOf<'error'> => {
  const { without, ...given } = proof
  const { level, failing } = given
  const isApi = level === 'api'
  const corrected = proof.corrected ?? right
  const changed = corrected.filter(({ path }) => path === kernel)
  const made = rowOf({
    kind: 'error',
    request: texts.request ?? (isApi ? fence(textIn(failing)) : 'Double it.'),
    thought,
    answer: texts.answer ?? (isApi ? fence(textIn(corrected)) : writeFiles(changed)),
    proof: {
      ...proofOf,
      verdict: isApi ? 'compile-failed' : 'wrong-value',
      class: isApi ? 'api-signature' : null,
      ...(!isApi && without === undefined && { cases: limits }),
      ...given,
      corrected,
    },
    provenance,
  })
  if (made.kind !== 'error') throw new Error('is one of an error')
  return made
}
const checkError = async (...of: Parameters<typeof errorRow>) => await verifyError(errorRow(...of), context())

/** Right for the static case, and wrong where it is asked for negative ones. */
const halfRight = withKernel('Muls(y, y, sign, count);', 'Muls(y, y, -sign, count);')

test('the size of the cases of a row is not its own choice', { timeout: buildLimitMs }, async () => {
  const made = errorRow({ level: 'kernel', failing: broken, corrected: tripled, verdict: 'compile-failed' })
  const proof = { ...made.proof, class: 'api-signature', cases: { draws: 0, seed: 1, bytes: 1 } }
  expect(await verifyError({ ...made, proof }, context())).toBe('the correction ends in wrong-value')
})

describe('a row about an error', () => {
  test('is right where one side fails and the other does not', { timeout: buildLimitMs }, async () => {
    expect(await checkError({ level: 'api', failing: broken })).toBeUndefined()
    expect(await checkError({ level: 'kernel', failing: tripled })).toBeUndefined()
  })

  const other = withKernel('Add(y, x, x, count);', 'Muls(y, x, 2.0f, count);')
  test.each<[string, ...Parameters<typeof errorRow>]>([
    [
      'the correction ends in compile-failed',
      { level: 'api', failing: withKernel('Add(y,', 'Sum(y,'), corrected: broken },
    ],
    ['the correction ends in wrong-value', { level: 'kernel', failing: tripled, corrected: halfRight }],
    ['fails by correct', { level: 'api', failing: other }],
    ['fails by wrong-value', { level: 'kernel', failing: halfRight, verdict: 'crashed' }],
    ['is of class api-signature', { level: 'api', failing: broken, class: 'syntax' }],
    ['nothing was corrected', { level: 'api', failing: right }],
    ['the answer has other code', { level: 'api', failing: broken }, { answer: fence(textIn(tripled)) }],
    ['the answer has other code', { level: 'api', failing: broken }, { answer: 'Like this:\n\n```cpp\n\n```' }],
    ['the correction is not that of the answer', { level: 'api', failing: broken }, { answer: fence(';') }],
    [
      'the answer has more code',
      { level: 'api', failing: broken },
      { answer: `${fence('Nothing();')}\n\n${fence(textIn(right))}` },
    ],
    ['the request has other code', { level: 'api', failing: broken }, { request: fence(textIn(tripled)) }],
    [
      'the answer has another op_host/doubled.cpp',
      { level: 'kernel', failing: tripled },
      { answer: `${writeFiles([right[1]!])}\n${writeFiles([{ path: right[0]!.path, content: 'int x;' }])}` },
    ],
    [
      'names no case',
      { level: 'kernel', failing: broken, corrected: tripled, verdict: 'compile-failed', without: 'cases' },
    ],
    [
      'the answer has another op_kernel/doubled.cpp',
      { level: 'kernel', failing: tripled },
      { answer: writeFiles(halfRight.filter(({ path }) => path === kernel)) },
    ],
    ['the answer holds no files', { level: 'kernel', failing: tripled }, { answer: 'It has to add.' }],
  ])('is wrong where %s', { timeout: buildLimitMs }, async (problem, proof, texts = {}) => {
    expect(await checkError(proof, texts)).toContain(problem)
  })
})

const answered = (entry: Record<string, unknown>, blocks: Record<string, string> = {}): Answered => {
  const text = [
    `\`\`\`json\n${JSON.stringify([{ item: 1, ...entry }])}\n\`\`\``,
    ...Object.entries(blocks).map(([name, code]) => `\`\`\`cpp name=1/${name}\n${code}\n\`\`\``),
  ]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the line in the transcript is not read
  return { items: itemsOf(text.join('\n\n')), number: 1, prompt: '1', model: 'm', line: {} as Answered['line'] }
}

const outcome = ({ rows, rejections }: Decision): readonly (Draft | string)[] => [
  ...rows,
  ...rejections.map(({ reason, detail }) => `${reason}: ${detail}`),
]

const contentOf = (files: readonly ProjectFile[]): string => files.find(({ path }) => path === kernel)!.content

describe('an answer', () => {
  const source: ProjectSource = {
    task: doubled,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing of it is read when an answer is decided
    sample: {} as ProjectSource['sample'],
    source: 'doubled',
    licence: 'MIT',
    revision: undefined,
  }
  const fill = datasetTemplates(undefined)
  const common = () => ({
    sources: [source],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing of it is read when an answer is decided
    folder: {} as WorkFolder,
    judging,
    prompter: createPrompter(),
    fill,
    batch: 1,
    limit: 1,
    tell: () => {},
  })
  const errorOptions = (): ErrorOptions => ({ ...common(), limits, mistakes: 1, alike: 1 })
  const said = { thought, answer: 'There is no such function: `Add` sums two tensors, here one and itself.' }
  const base = { key: 'k', ...proofOf, source: 'doubled', sha256: provenance.sha256 }
  const scenario: Scenario = { ...base, kernelCase: kernelCase!, tiling, files: right, pruned: false }
  const apiError: ApiError = {
    ...base,
    files: broken,
    snippet: lines,
    findings: [{ kind: 'compile-failed', text: 'Twice: there is no such function' }],
    class: 'api-signature',
    signature: 's',
  }
  const wrong: KernelError = {
    ...base,
    files: tripled,
    findings: [{ kind: 'wrong-value', text: 'y is 3, and should be 2' }],
    verdict: 'wrong-value',
    class: null,
    reference: right,
  }
  const aboutApi = async (code: string) =>
    outcome(await new ApiErrorBuilder(errorOptions()).decide(apiError, answered(said, { fixed: code })))
  const aboutKernel = async (blocks: Record<string, string>) =>
    outcome(await new KernelErrorBuilder(errorOptions()).decide(wrong, answered(said, blocks)))
  const aboutTiling = async (entry: Record<string, unknown>) => {
    const scenarioLimits = { count: 1, draws: 0, numbers: 9, seed: 1, bytes: 1 << 20 }
    const builder = new ProjectBuilder({ ...common(), limits: scenarioLimits })
    return outcome(await builder.decide(scenario, answered(entry)))
  }
  const told = { blockDim: 1, tilingKey: 0, fields: { length: 100, negative: 0 } }

  test('becomes a row that holds when it is checked', { timeout: buildLimitMs }, async () => {
    const [project] = await aboutTiling({ thought, tiling: told })
    const [api] = await aboutApi(textIn(right))
    const [whole] = await aboutKernel({ [kernel]: contentOf(right) })
    const rows = [project, api, whole].flatMap((draft) => (typeof draft === 'object' ? rowOf(draft) : []))
    expect(rows.map(({ kind }) => kind)).toEqual(['project', 'error', 'error'])
    const problems = await Promise.all(
      rows.map(async (row) => {
        if (row.kind === 'project') return await verifyProject(row, context())
        return row.kind === 'error' ? await verifyError(row, context()) : 'another kind'
      }),
    )
    expect(problems).toEqual([undefined, undefined, undefined])
  })

  test('about a tiling is refused where a value is wrong, a field is missing, or nothing explains it', async () => {
    const wrongField = { ...told, fields: { length: 101, negative: 0 } }
    expect(await aboutTiling({ thought, tiling: wrongField })).toEqual([
      'tiling disagrees: fields.length is 100, and was said to be 101',
    ])
    expect(await aboutTiling({ thought, tiling: { ...told, fields: { length: 100 } } })).toEqual([
      'tiling disagrees: fields.negative is 0, and was said to be nothing',
    ])
    expect(await aboutTiling({ thought: 'It doubles.', tiling: told })).toEqual([
      expect.stringMatching(/^no reasoning/),
    ])
    const spoken = `${thought} In scenario 2 it is another.`
    expect(await aboutTiling({ thought: spoken, tiling: told })).toEqual([
      'reasoning about the prompt: it speaks of scenario 2',
    ])
  })

  test('about a call is refused where its correction does not compile', { timeout: buildLimitMs }, async () => {
    expect(await aboutApi(textIn(withKernel('Add(y, x, x, count)', 'Add(y, x)')))).toEqual([
      expect.stringMatching(/^does not compile: [^]*Add/),
    ])
    expect(await aboutApi(textIn(broken))).toEqual(['nothing corrected: the snippet is as it was'])
    expect(await aboutApi('Add(y, x, x, count);')).toEqual([expect.stringMatching(/^left out/)])
  })

  test('about an operator is refused where the corrected one is wrong', { timeout: buildLimitMs }, async () => {
    expect(await aboutKernel({ [kernel]: contentOf(halfRight) })).toEqual([
      expect.stringMatching(/^is not right: wrong-value/),
    ])
    expect(await aboutKernel({ [kernel]: contentOf(broken) })).toEqual([
      expect.stringMatching(/^does not compile: api-signature/),
    ])
    expect(await aboutKernel({ '../outside.cpp': 'int x;' })).toEqual([
      expect.stringMatching(/^is not right: unusable-answer/),
    ])
    expect(await aboutKernel({})).toEqual([expect.stringMatching(/^no correction/)])
  })
})
