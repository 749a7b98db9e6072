import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadSpecs } from '../../references/load-specs.ts'
import type { KernelTask } from '../task/index.ts'
import { createPrompter, prompter, promptVersion } from './prompter.ts'
import versions from './prompt-versions.json' with { type: 'json' }
import type { Prompt, PromptOptions } from './types.ts'

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

test('every task has a prompt in every mode, and one that changes has a version of its own', async () => {
  const hash = createHash('sha256')
  for (const task of tasks) {
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
