import { beforeAll, describe, expect, test } from 'vitest'
import { loadSpecs } from '../../../references/load-specs.ts'
import { declarationsText } from '../../dsl/declarations.ts'
import type { Argument, Program } from '../../dsl/ir.ts'
import { readProgram } from '../../dsl/operator.ts'
import { parse } from '../../dsl/syntax.ts'
import { multiKernelBench } from '../../suites/index.ts'
import type { KernelTask } from '../../task/index.ts'
import { prompter, promptVersion } from '../prompter.ts'
import type { EarlierTurn, Prompt, PromptOptions } from '../types.ts'
import { readProgramAnswer } from './answer.ts'
import { allExamples, examplesFor } from './examples.ts'
import { areTwins } from './families.ts'
import { programSkeletonOf } from './skeleton.ts'

const options: PromptOptions = { language: 'dsl', mode: 'full', shapes: 'dynamic', soc: 'Ascend910B2', cardTokens: 0 }

let tasks: KernelTask[]
beforeAll(async () => {
  tasks = await loadSpecs()
}, 120_000)

const taskOf = (name: string): KernelTask => tasks.find((task) => task.interface.name === name)!
const system = ({ messages }: Prompt): string => messages[0]!.content
const user = ({ messages }: Prompt): string => messages[1]!.content
const operatorsIn = (text: string): string[] => [...text.matchAll(/^ {2}name: '(\w+)',$/gm)].map(([, name]) => name!)

describe('a prompt for a program', () => {
  test.each(['AdamCustom', 'CrossEntropyLossCustom'])('of %s', async (name) => {
    const prompt = await prompter.first(taskOf(name), options)
    expect(prompt.version).toMatch(new RegExp(`^${promptVersion}\\+[0-9a-f]{12}$`))
    await expect(`${user(prompt)}\n`).toMatchFileSnapshot(`../__snapshots__/${name}-dsl.md`)
  })

  test('describes the language: what the page teaches, the primitives, the declarations', async () => {
    const text = system(await prompter.first(taskOf('AdamCustom'), options))
    for (const part of ['**The kernel** has buffers', '| `rowSum(dst, src, extent)` |', declarationsText()])
      expect(text).toContain(part)
    expect(text).not.toContain('<!--')
    expect(text).not.toContain('npx vitest-npu compile')
  })

  test('declares without bodies', () => {
    const text = declarationsText()
    expect(text).toContain('/** a / b, rounded up. */\nfunction ceilDiv(a: number, b: number): number\n')
    expect(text).toContain('tensor.like(input: string): TensorArgument\n')
    expect(text).toContain('int: (initial?: number): AttributeOf<number>,')
    expect(text).not.toMatch(/neverRun|void \[|unknown\[\]|export/)
  })

  test('shows four programs, none of the task or of its formula, also in the text of the language', async () => {
    for (const task of tasks.filter(({ interface: { suite } }) => suite === multiKernelBench.name)) {
      const { name } = task.interface
      const shown = operatorsIn(system(await prompter.first(task, options)))
      expect(shown.length, name).toBeGreaterThanOrEqual(6)
      expect(
        shown.filter((each) => areTwins(each, name)),
        name,
      ).toEqual([])
    }
  }, 120_000)

  test('shows two of the category of the task where there are such', () => {
    const shown = examplesFor({ name: 'LambCustom', category: 'Optimizer' })
    expect(shown).toHaveLength(4)
    expect(shown.slice(0, 2).map(({ category }) => category)).toEqual(['Optimizer', 'Optimizer'])
    // specs of lists and of products are made by a function, which names their category
    const unknown = allExamples().filter(({ category }) => category === undefined)
    expect(unknown.filter(({ name }) => !/^Foreach|Matmul/.test(name))).toEqual([])
  })

  test('has the task alone in the message of the user, which a larger language leaves as it is', async () => {
    const text = user(await prompter.first(taskOf('AdamCustom'), options))
    expect(operatorsIn(text)).toEqual(['AdamCustom'])
    expect(text).not.toContain('rowSum')
  })
})

/** The primitives of a program in the order of its calls; casts only change the type. */
const primitivesOf = (text: string): string =>
  (text.slice(text.indexOf('kernel(')).match(/\b[a-z]\w*(?=\()/g) ?? [])
    .filter((each) => each !== 'cast' && text.slice(0, text.indexOf('} from')).includes(` ${each},`))
    .join(' ')

test('no program is an example for a task whose own program has the same primitives', () => {
  for (const { name, category, text } of allExamples()) {
    const same = examplesFor({ name, category: category ?? '' }).filter(
      (each) => primitivesOf(each.text) === primitivesOf(text),
    )
    expect(
      same.map((each) => each.name),
      name,
    ).toEqual([])
  }
})

const programOf = (text: string): Program => readProgram(parse('x.npu.ts', text).program)

const argument = ({ dtypes, shape, required }: Argument): unknown => [dtypes, shape.length, required]

/** What of a program its task decides: arguments are known by their place, extents have names of their own. */
const interfaceOf = ({ name, entry, inputs, outputs, attributes }: Program): unknown => [
  name,
  entry,
  inputs.map(argument),
  outputs.map((each) => [argument(each), inputs.findIndex((input) => input.name === each.name)]),
  attributes.map((each) => [each.name, each.type]),
]

/** Host part and kernel as little as can be. */
const filled = (skeleton: string): string => skeleton.replace('return { blockDim }', 'return { blockDim: 1 }')

describe('what a program starts from', () => {
  test.each(allExamples().map(({ name, text }) => ({ name, text })))('is the interface of $name', ({ name, text }) => {
    expect(interfaceOf(programOf(filled(programSkeletonOf(taskOf(name)))))).toEqual(interfaceOf(programOf(text)))
  })
})

const file = (content: string, path = 'program.npu.ts'): string => `<file path="${path}">\n${content}</file>`

test('arguments that no program can call so have names of their own', () => {
  const skeleton = programSkeletonOf(taskOf('MaskedCumsumCustom'))
  expect(skeleton).toContain("ownMask: tensor('bool', ['B', 'D']),")
  expect(skeleton).toContain('host({ x, ownMask }, { cores })')
  expect(() => programOf(filled(skeleton))).not.toThrow()
})

describe('an answer', () => {
  const program = 'export default operator({})\n'
  const files = { kind: 'files', files: [{ path: 'program.npu.ts', content: program }] }

  test.each([
    ['a tagged block', `Here:\n${file(program)}\nDone.`],
    ['with another name', file(program, 'adam.npu.ts')],
    ['a fence inside the tags', file(`\`\`\`ts\n${program}\`\`\`\n`)],
    ['a fenced block', `It is\n\n\`\`\`ts\n${program}\`\`\`\n`],
    ['a fenced block after a piece', `\`\`\`ts\nexp(a, b, n)\n\`\`\`\nand\n\`\`\`typescript\n${program}\`\`\`\n`],
  ])('%s is a program', (_, answer) => expect(readProgramAnswer(answer)).toEqual(files))

  test.each([
    ['no-answer', '', /is empty/],
    ['no-answer', 'I cannot do that.', /no program in it; it begins "I cannot/],
    ['no-answer', '```ts\nexp(a, b, n)\n```\n', /no program in it/],
    ['unusable-answer', `<file path="program.npu.ts">\n${program}`, /cut off/],
    ['unusable-answer', `${file(program)}\n${file(program)}`, /there are 2 files in it/],
    ['unusable-answer', file('\n'), /the program is empty/],
    ['unusable-answer', 'x'.repeat(5 << 20), /characters/],
  ])('%s: %j', (kind, answer, reason) => {
    const read = readProgramAnswer(answer)
    expect(read.kind).toBe(kind)
    expect('reason' in read ? read.reason : '').toMatch(reason)
  })
})

const turn = async (): Promise<EarlierTurn> => ({
  prompt: await prompter.first(taskOf('AdamCustom'), options),
  answer: 'my answer',
  findings: [
    { kind: 'compile-failed', text: 'The program does not compile.\nprogram.npu.ts:3:1: error: WholeReduceSum' },
  ],
})

describe('a repair', () => {
  test('that keeps the conversation adds what was found, and no card', async () => {
    const last = (await prompter.repair(taskOf('AdamCustom'), { ...options, cardTokens: 3000 }, [await turn()], 'keep'))
      .messages
    expect(last.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(last[3]!.content).toContain('program.npu.ts:3:1: error')
    expect(last[3]!.content).not.toContain('## API')
  })

  test('that starts afresh has the language, the task and the answer', async () => {
    const { messages } = await prompter.repair(taskOf('AdamCustom'), options, [await turn()], 'fresh')
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(messages[0]).toEqual((await turn()).prompt.messages[0])
    expect(messages[1]!.content).toMatch(/the operator \*\*AdamCustom\*\*[^]*my answer[^]*error: WholeReduceSum/)
  })
})
