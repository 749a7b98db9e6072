import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadSpecs } from '../../references/load-specs.ts'
import { multiKernelBench, npuKernelBench } from '../suites/index.ts'
import type { KernelTask } from '../task/index.ts'
import { createPrompter, prompter, promptVersion } from './prompter.ts'
import versions from './prompt-versions.json' with { type: 'json' }
import { tokenCounter } from './api-card.ts'
import type { EarlierTurn, Finding, Passage, Prompt, PromptOptions } from './types.ts'

const folder = mkdtempSync(join(tmpdir(), 'npu-prompter-test-'))
let tasks: KernelTask[]

beforeAll(async () => {
  tasks = await loadSpecs()
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const taskOf = (name: string): KernelTask => tasks.find((task) => task.interface.name === name)!
const textOf = ({ messages }: Prompt): string =>
  messages.map(({ role, content }) => `[${role}]\n${content}\n`).join('\n')

const full: PromptOptions = { mode: 'full', shapes: 'dynamic', soc: 'Ascend910B2', cardTokens: 0 }
const kernelOnly: PromptOptions = { ...full, mode: 'kernel-only' }
const onCase = (options: PromptOptions, id: number): PromptOptions => ({ ...options, shapes: 'static', case: id })

test('the specs of the package say what their operators compute', () => {
  const silent = tasks.filter(({ description = '' }) => description.length < 40).map((task) => task.interface.name)
  expect(tasks.length).toBeGreaterThanOrEqual(157)
  expect(silent).toEqual([])
})

describe.each(['AddCustom', 'ForeachAddScalarList', 'RmsNorm'])('prompts for %s', (name) => {
  test.each([
    ['full, dynamic', full],
    ['full, static', onCase(full, 1)],
    ['kernel-only, dynamic', kernelOnly],
    ['kernel-only, static', onCase(kernelOnly, 1)],
  ])('%s', async (title, options) => {
    const prompt = await prompter.first(taskOf(name), options)
    await expect(textOf(prompt)).toMatchFileSnapshot(`__snapshots__/${name}-${title.replaceAll(', ', '-')}.md`)
  })
})

test('every task with a baseline has a prompt in every mode, and one that changes has a version of its own', async () => {
  const hash = createHash('sha256')
  for (const task of tasks.filter(({ interface: { suite } }) => suite === npuKernelBench.name)) {
    const id = Number(task.staticCases[0]!.name.replace('static ', ''))
    for (const options of [full, kernelOnly, onCase(full, id), onCase(kernelOnly, id)]) {
      const { version, messages } = await prompter.first(task, options)
      expect(version).toBe(promptVersion)
      hash.update(JSON.stringify(messages))
    }
  }
  // what is rendered has changed: raise promptVersion, and add a line with the hash that is received here
  expect({ [promptVersion]: hash.digest('hex') }).toEqual({
    [promptVersion]: (versions as Record<string, string>)[promptVersion],
  })
})

test('the others have prompts for host part and kernel together', async () => {
  const others = tasks.filter(({ interface: { suite } }) => suite === multiKernelBench.name)
  expect(others.length).toBe(52)
  for (const task of others) {
    expect((await prompter.first(task, full)).version).toBe(promptVersion)
    await expect(prompter.first(task, kernelOnly)).rejects.toThrow('there is no host part')
  }
})

test('a static case that is not there, or not said, is an error that names those that are', async () => {
  const task = taskOf('AddCustom')
  await expect(prompter.first(task, onCase(full, 99))).rejects.toThrow(
    'task AddCustom: there is no static case 99; there are 0, 1, 2, 3, 4',
  )
  await expect(prompter.first(task, { ...full, shapes: 'static' })).rejects.toThrow(
    'has to be told which; there are 0, 1',
  )
})

test('a kernel alone needs a host part', async () => {
  const task = { ...taskOf('AddCustom'), interface: { ...taskOf('AddCustom').interface, suite: 'own' } }
  await expect(prompter.first(task, kernelOnly)).rejects.toThrow('task AddCustom: there is no host part')
})

describe('templates of the user', () => {
  test('take the place of ours, by name, and change the version', async () => {
    writeFileSync(join(folder, 'system.md'), 'Be brief.\n')
    const prompt = await createPrompter({ templates: folder }).first(taskOf('AddCustom'), full)
    expect(prompt.messages[0]).toEqual({ role: 'system', content: 'Be brief.' })
    expect(prompt.messages[1]).toEqual((await prompter.first(taskOf('AddCustom'), full)).messages[1])
    expect(prompt.version).toMatch(new RegExp(`^${promptVersion}\\+[0-9a-f]{12}$`))
    rmSync(join(folder, 'system.md'))
  })

  test('that stand for none of ours are refused', () => {
    writeFileSync(join(folder, 'tsak.md'), 'x')
    expect(() => createPrompter({ templates: folder })).toThrow(
      /tsak\.md: is no template; there are attributes\.md, .*task\.md/,
    )
    rmSync(join(folder, 'tsak.md'))
  })

  test('with a place that nothing fills are refused with file and line', async () => {
    writeFileSync(join(folder, 'task.md'), 'a\nb {{operator}}\n{{baseline}}\n')
    const own = createPrompter({ templates: folder })
    await expect(own.first(taskOf('AddCustom'), full)).rejects.toThrow(
      /task\.md:3: \{\{baseline\}\} is filled by nothing; places are \{\{operator\}\}/,
    )
    rmSync(join(folder, 'task.md'))
  })

  test('in a folder that is not there are an error', () => {
    expect(() => createPrompter({ templates: join(folder, 'none') })).toThrow('templates cannot be read')
  })
})

describe('a prompt with a card', () => {
  const withCard = { ...full, cardTokens: 3000 }
  const cardIn = async (task: KernelTask): Promise<string | undefined> =>
    /## API\n[^]*?\n## /.exec(textOf(await prompter.first(task, withCard)))?.[0]

  test('holds functions for the category of the task, and a version that follows from them', async () => {
    const prompt = await prompter.first(taskOf('RmsNorm'), withCard)
    expect(textOf(prompt)).toMatch(/## API\n[^]*\*\*ReduceSum\*\*[^]*ReduceSum\(LocalTensor<T> dst/)
    expect(prompt.version).toMatch(new RegExp(`^${promptVersion}\\+[0-9a-f]{12}$`))
    const without = textOf(await prompter.first(taskOf('RmsNorm'), full))
    expect(without).not.toContain('## API')
    const count = await tokenCounter()
    const extra = count(textOf(prompt)) - count(without)
    expect(extra).toBeGreaterThan(2500)
    expect(extra).toBeLessThan(3150)
  })

  test('says nothing of the baseline', async () => {
    const same = { ...taskOf('RmsNorm'), interface: { ...taskOf('RmsNorm').interface, suite: 'own', name: 'Other' } }
    expect(await cardIn(same)).toBe(await cardIn(taskOf('RmsNorm')))
  })
})

describe('passages of documents', () => {
  test('are asked for by what the operator computes, and shown with their place', async () => {
    const queries: string[] = []
    const documents = (query: string): Passage[] => {
      queries.push(query)
      return [{ place: 'guide.md:12', text: 'Queues have two ends.' }]
    }
    const prompt = await prompter.first(taskOf('Sqrt'), { ...full, documents })
    expect(queries).toEqual(['Sqrt Math Square root of every element: y = sqrt(x). sqrt(0) is 0.'])
    expect(textOf(prompt)).toContain('## From the manuals\n\nFrom guide.md:12:\n\nQueues have two ends.\n')
  })
})

describe('a repair', () => {
  const withCard = { ...full, cardTokens: 3000 }
  const complaint = "op_kernel/sqrt.cpp:7: no matching function for call to 'WholeReduceSum'"
  const turnOf = async (findings: Finding[], answer = 'my answer'): Promise<EarlierTurn> => ({
    prompt: await prompter.first(taskOf('Sqrt'), withCard),
    answer,
    findings,
  })
  const broken = { kind: 'compile-failed', text: complaint }

  const lastOf = async (findings: Finding[]): Promise<string> =>
    (await prompter.repair(taskOf('Sqrt'), full, [await turnOf(findings)], 'keep')).messages.at(-1)!.content

  test('that keeps the conversation adds to it', async () => {
    const turn = await turnOf([broken])
    const prompt = await prompter.repair(taskOf('Sqrt'), withCard, [turn], 'keep')
    expect(prompt.messages.slice(0, 2)).toEqual(turn.prompt.messages)
    expect(prompt.messages[2]).toEqual({ role: 'assistant', content: 'my answer' })
    await expect(`${prompt.messages[3]!.content}\n`).toMatchFileSnapshot('__snapshots__/repair-keep.md')
    expect(prompt.messages).toHaveLength(4)
    const next = await prompter.repair(taskOf('Sqrt'), withCard, [turn, { ...turn, prompt }], 'keep')
    expect(next.messages.slice(0, 4)).toEqual(prompt.messages)
    expect(next.messages).toHaveLength(6)
  })

  test('that starts afresh has the task, the newest answer and what came of it', async () => {
    const turns = [
      await turnOf([broken], 'first answer'),
      await turnOf([{ kind: 'wrong-values', text: 'y[3] is 2, not 4' }], 'second answer'),
    ]
    const { messages } = await prompter.repair(taskOf('Sqrt'), { ...withCard, cardTokens: 0 }, turns, 'fresh')
    const first = await prompter.first(taskOf('Sqrt'), full)
    expect(messages).toHaveLength(2)
    expect(messages[1]!.content.startsWith(first.messages[1]!.content)).toBe(true)
    await expect(`${messages[1]!.content.slice(first.messages[1]!.content.length).trim()}\n`).toMatchFileSnapshot(
      '__snapshots__/repair-fresh.md',
    )
  })

  test('that starts afresh begins its card with the names of the complaint', async () => {
    const [turn] = [await turnOf([broken])]
    const { messages } = await prompter.repair(taskOf('Sqrt'), withCard, [turn], 'fresh')
    const [first] = /\*\*\w+\*\*: /g.exec(messages[1]!.content.slice(messages[1]!.content.indexOf('## API')))!
    expect(first).toBe('**WholeReduceSum**: ')
  })

  test('is bounded, however much is said', async () => {
    const findings = Array.from({ length: 100 }, (_, i) => ({
      kind: 'wrong-values',
      text: `${i} ${'v'.repeat(20_000)}`,
    }))
    const turn = await turnOf(findings, 'a'.repeat(1_000_000))
    const { messages } = await prompter.repair(taskOf('Sqrt'), withCard, [turn], 'fresh')
    expect(messages[1]!.content.length).toBeLessThan(160_000)
    expect(messages[1]!.content).toContain('[900000 characters left out]')
    expect(messages[1]!.content).toMatch(/\d+ more of these are left out\./)
    const kept = await prompter.repair(taskOf('Sqrt'), withCard, [turn], 'keep')
    expect(kept.messages[2]!.content.length).toBeLessThan(100_100)
  })

  test.each([
    ['no-answer', 'There is no file in your answer.'],
    ['unusable-answer', 'The files of your answer cannot be taken as they are.'],
    ['compile-failed', 'It does not compile.'],
    ['race', 'It compiles, and is not right yet.'],
    ['slow', 'It is right, and can be faster.'],
  ])('says what came of a %s', async (kind, words) => {
    const { messages } = await prompter.repair(taskOf('Sqrt'), full, [await turnOf([{ kind, text: 'so' }])], 'keep')
    expect(messages.at(-1)!.content).toContain(`${words}\n\n### ${kind}\n\nso\n`)
  })

  test('asks for speed where nothing is wrong', async () => {
    expect(await lastOf([{ kind: 'slow', text: 'MTE2 90%' }])).toContain(
      '\n\nMake it faster, and keep it right. Give all files',
    )
    expect(await lastOf([])).toMatch(/It is right, and can be faster\.\n\nMake it faster/)
    expect(await lastOf([{ kind: 'race', text: 'two cores' }])).toContain(
      '\n\nCorrect this, and keep what was right. Give',
    )
  })

  test('needs an answer', async () => {
    await expect(prompter.repair(taskOf('Sqrt'), full, [], 'keep')).rejects.toThrow(
      'task Sqrt: there is no answer to repair',
    )
  })
})
