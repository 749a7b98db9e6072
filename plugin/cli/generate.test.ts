import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readLedger } from '../ledger/index.ts'
import { ModelServer, type Asked } from '../../fixtures/model-server.ts'
import { buildLimitMs } from '../../fixtures/operator.ts'

// whichever judges first builds the emulator
vi.setConfig({ testTimeout: buildLimitMs })

const repository = join(import.meta.dirname, '../..')
const key = 'sk-canary-77d0c1e4'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-generate-'))))
afterEach(() => rmSync(folder, { recursive: true }))

interface Result {
  code: number | undefined
  out: string
  error: string
}

/** Runs the command line in the folder of the test. */
async function generate(args: readonly string[], env: Record<string, string> = {}): Promise<Result> {
  const program = join(repository, 'dist/cli/main.js')
  const { exitCode, stdout, stderr } = await execa('node', [program, 'generate', ...args], {
    cwd: folder,
    env: { NPU_FUZZ_RUNS: '2', NPU_MAX_ELEMENTS: '65536', NO_COLOR: '1', ...env },
    reject: false,
  })
  return { code: exitCode, out: stdout, error: stderr }
}

/** The files of an operator that ships with the package, as an answer gives them. */
function answerOf(operator: string, change: (text: string) => string = (text) => text): string {
  const root = join(repository, 'references/baseline', operator)
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return `<file path="${path.slice(root.length + 1)}">\n${change(readFileSync(path, 'utf8'))}</file>`
    })
    .join('\n')
}

/** Every file below a folder, as one text. */
const allText = (root: string): string =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')

const one = ['--name', 'first', '--tasks', 'AddCustom']

describe('what makes no sense is one line', () => {
  test.each([
    ['no task of that name', ['--model', 'files:f', '--name', 'first', '--tasks', 'Adddd'], /Adddd/],
    ['no task at all', ['--model', 'files:f', '--name', 'first', '--tasks', 'level9/**'], /level9/],
    ['no such case', ['--model', 'files:f', ...one, '--case', '99'], /--case 99: AddCustom has no such static case/],
    ['no recording', ['--model', 'recorded:nowhere', ...one], /nowhere/],
    ['no server named', ['--model', 'some-model', ...one], /--base-url/],
    ['a name that leads out', ['--model', 'files:f', '--tasks', 'AddCustom', '--name', '../out'], /--name/],

    ['a number that is none', ['--model', 'files:f', ...one, '--turns', 'many'], /--turns/],
  ])('%s', async (_, args, message) => {
    const { code, out, error } = await generate(args)
    expect(out).toBe('')
    expect(error).toMatch(message)
    expect(error.trim().split('\n')).toHaveLength(1)
    expect(code).toBe(64)
    expect(existsSync(join(folder, 'runs'))).toBe(false)
  })
})

test('prompts are laid out, answers taken, judged and repaired; a recording leads to the same', async () => {
  const args = [...one, '--model', 'files:chat', '--turns', '2', '--card-tokens', '300']
  const begun = await generate(args)
  expect(begun.code).toBe(0)
  expect(begun.error + begun.out).toMatch(/1 prompts? waits? for an answer\.md/)
  const turn = (number: number): string => join(folder, `chat/AddCustom/s0/turn${number}`)
  expect(readFileSync(join(turn(1), 'prompt.md'), 'utf8')).toContain('Write the operator **AddCustom**')

  // a call that no overload takes
  writeFileSync(
    join(turn(1), 'answer.md'),
    answerOf('AddCustom', (text) => text.replaceAll('Add(', 'Addd(')),
  )
  const second = await generate(args)
  expect(second.code, second.error).toBe(0)
  const repair = readFileSync(join(turn(2), 'prompt.md'), 'utf8')
  expect(repair).toContain('Addd')
  expect(repair).toMatch(/op_kernel\/add_custom\.cpp:\d+/)

  writeFileSync(join(turn(2), 'answer.md'), answerOf('AddCustom'))
  const third = await generate(args)
  expect(third.code, third.error).toBe(0)
  const table = /level1 +1 +1 .*/.exec(third.out)?.[0]
  expect(third.out).toContain('correct 2')
  const entries = readLedger(join(folder, 'runs/first/ledger.jsonl'))
  expect(new Set(entries.map(({ verdict }) => verdict.kind))).toEqual(new Set(['correct']))
  expect(existsSync(join(folder, 'runs/first/AddCustom/s0/op_kernel'))).toBe(true)

  // everything was answered: the same command asks for nothing more
  expect((await generate(args)).out).toContain(table)
  const replay = ['--model', 'recorded:runs/first', '--name', 'again', '--tasks', 'AddCustom', '--turns', '2']
  const again = await generate([...replay, '--card-tokens', '300'])
  expect(again.code, again.error).toBe(0)
  expect(/level1 +1 +1 .*/.exec(again.out)?.[0]).toBe(table)
  // of a pattern, tasks that nobody has answered are left out; the run is called like the recording
  const level = ['--model', 'recorded:runs/first', '--tasks', 'level1/**', '--turns', '2', '--out', 'replays']
  const patterned = await generate([...level, '--card-tokens', '300'])
  expect(patterned.code, patterned.error).toBe(0)
  expect(patterned.error).toMatch(
    /^generate: (\d+) of \d+ tasks are left out: recorded:runs\/first has no answer for them$/m,
  )
  expect(/level1 +1 +1 .*/.exec(patterned.out)?.[0]).toBe(table)
  expect(existsSync(join(folder, 'replays/first/AddCustom/s0'))).toBe(true)
  expect((await generate(level.map((arg) => arg.replace('level1', 'level3')))).error).toMatch(
    /recorded:runs\/first has no answer for any of the \d+ tasks$/,
  )
  // another prompt has no recording, which names the task
  const other = await generate([...replay.map((arg) => (arg === 'again' ? 'other' : arg)), '--card-tokens', '0'])
  expect(other.code).toBe(3)
  expect(other.error).toContain('AddCustom')

  const changed = await generate([...args.slice(0, -1), '200'])
  expect(changed.code).toBe(64)
  expect(changed.error.trim().split('\n')).toHaveLength(1)
  expect(changed.error).toMatch(/first/)
})

const programAnswer = (text: string): string => `<file path="program.npu.ts">\n${text}</file>\n`

test('programs are asked for, judged and repaired, and a recording of them is served', async () => {
  const program = readFileSync(join(repository, 'references/dsl/ReluCustom.npu.ts'), 'utf8')
  const args = ['--language', 'dsl', '--tasks', 'ReluCustom', '--turns', '2']
  for (const [i, text] of [program.replace('relu(ys', 'rellu(ys'), program].entries()) {
    const turn = join(folder, `chat/ReluCustom/s0/turn${i + 1}`)
    mkdirSync(turn, { recursive: true })
    writeFileSync(join(turn, 'answer.md'), programAnswer(text))
  }
  const { code, out, error } = await generate([...args, '--model', 'files:chat', '--name', 'first'])
  expect(code, error).toBe(0)
  expect(out).toContain('correct 2')
  const table = /mkb +1 +1 .*/.exec(out)?.[0]
  expect(table).toMatch(/0\.0% +0\.0% +100\.0% +100\.0% +1 /)
  expect(readFileSync(join(folder, 'runs/first/ReluCustom/s0.npu.ts'), 'utf8')).toBe(program)
  const transcript = readFileSync(join(folder, 'runs/first/transcript.jsonl'), 'utf8')
  expect(transcript).toContain('# The language')
  expect(transcript).not.toContain("name: 'LeakyReluCustom'")
  expect(transcript).toMatch(/program\.npu\.ts:\d+:\d+: error: no primitive is called rellu/)

  // when the language is described otherwise, the same question about the task has the same answer
  mkdirSync(join(folder, 'old'))
  const older = transcript.replaceAll('# The language', '# The language of old')
  writeFileSync(join(folder, 'old/transcript.jsonl'), older.replaceAll(/"(hash|prompt)":"[^"]{4}/g, '"$1":"0000'))
  const again = await generate([...args, '--model', 'recorded:old', '--name', 'again'])
  expect(again.code, again.error).toBe(0)
  expect(/mkb +1 +1 .*/.exec(again.out)?.[0]).toBe(table)
  expect(again.error).toContain('was answered when the language was described otherwise')
})

test.each([
  ['--mode', 'kernel-only'],
  ['--case', '0'],
])('programs have no %s', async (...more) => {
  const { code, error } = await generate([...one, '--language', 'dsl', '--model', 'files:f', ...more])
  expect(code).toBe(64)
  expect(error).toMatch(/--language dsl asks for whole programs, for all cases/)
})

test('a server is asked with the key, which nothing else has; what is no answer is a failed sample', async () => {
  const asked: Asked[] = []
  const server = new ModelServer((request) => {
    asked.push(request)
    return { kind: 'answer', text: `I cannot help with that, ${request.authorization}.` }
  })
  const baseUrl = await server.start()
  try {
    const { code, out, error } = await generate([...one, '--model', 'm', '--base-url', baseUrl], { NPU_API_KEY: key })
    expect(code, error).toBe(0)
    expect(asked.map(({ authorization }) => authorization)).toEqual([`Bearer ${key}`])
    expect(out + error + allText(folder)).not.toContain(key)
    const ledger = readFileSync(join(folder, 'runs/first/ledger.jsonl'), 'utf8')
    expect(ledger).toContain('"kind":"no-answer"')
  } finally {
    await server.stop()
  }
})

test('a server that is down ends the run, which goes on when it is up', async () => {
  const server = new ModelServer(() => ({ kind: 'answer', text: 'nothing' }))
  const baseUrl = await server.start()
  await server.stop()
  const args = [...one, '--model', 'm', '--base-url', baseUrl, '--retries', '0']
  const down = await generate(args)
  expect(down.code).toBe(3)
  expect(down.error).not.toMatch(/^ +at /m)
  await server.start(Number(new URL(baseUrl).port))
  try {
    const up = await generate(args)
    expect(up.code, up.error).toBe(0)
  } finally {
    await server.stop()
  }
})

test('a template with a place that nothing fills is one line', async () => {
  mkdirSync(join(folder, 'own'))
  writeFileSync(join(folder, 'own/task.md'), '{{typo}}\n')
  const { code, error } = await generate([...one, '--model', 'files:chat', '--prompts', 'own'])
  expect(error).toMatch(/task\.md:1: \{\{typo\}\} is filled by nothing/)
  expect(error.trim().split('\n')).toHaveLength(1)
  expect(code).toBe(64)
})

test('an answer that leads out of its folder writes nothing there', async () => {
  const answer = join(folder, 'chat/AddCustom/s0/turn1/answer.md')
  mkdirSync(dirname(answer), { recursive: true })
  writeFileSync(answer, '<file path="op_kernel/../../../../../escaped.cpp">\nint main() {}\n</file>\n')
  const { code, out } = await generate([...one, '--model', 'files:chat'])
  expect(code).toBe(0)
  expect(out).toContain('unusable-answer')
  expect(allText(join(folder, 'runs'))).toContain('"kind":"unusable-answer"')
  expect(existsSync(join(folder, 'escaped.cpp')) || existsSync(join(dirname(folder), 'escaped.cpp'))).toBe(false)
})
