import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cacheDir, Project } from './project.ts'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const corpora = fileURLToPath(new URL('../fixtures/imported', import.meta.url))
const project = new Project()

beforeAll(() => {
  project.operator('ScaleRow')
  project.config('{}')
  cpSync(corpora, join(project.folder, 'corpora'), { recursive: true })
})
afterAll(() => project.remove())

const run = async (...args: string[]) =>
  await execa(process.execPath, [program, ...args], {
    cwd: project.folder,
    env: { NPU_CACHE_DIR: cacheDir, NO_COLOR: '1' },
    reject: false,
  })
const read = (path: string): string => readFileSync(join(project.folder, path), 'utf8')

const maps = [
  ['questions.json', 'request=qus,thought=cot,answer=ans'],
  ['instructions.json', 'alpaca'],
  ['conversations.jsonl', 'sharegpt'],
] as const

test(
  'rows of others are told apart: what compiles, names existing APIs and is no benchmark; prose claims nothing',
  { timeout: 10 * 60_000 },
  async () => {
    // the prompt of a task, as a row
    await run('generate', '--model', 'files:chat', '--tasks', 'ScaleRow', '--card-tokens', '0')
    const laidOut = readdirSync(join(project.folder, 'chat'), { recursive: true, encoding: 'utf8' })
    const prompt = read(join('chat', laidOut.find((name) => name.endsWith('prompt.md')) ?? ''))
    project.write(
      'corpora/leaked.jsonl',
      `${JSON.stringify({ instruction: prompt, input: '', output: 'It scales.' })}\n`,
    )
    for (const [name, map] of [...maps, ['leaked.jsonl', 'alpaca']] as const) {
      const { exitCode } = await run('dataset', 'import', `corpora/${name}`, '--map', map, '--out', `imported/${name}`)
      expect(exitCode).toBe(0)
    }
    const texts = [...maps.map(([name]) => name), 'leaked.jsonl'].map((name) => read(`imported/${name}/rows.jsonl`))
    project.write('rows.jsonl', texts.join(''))
    const checking = ['dataset', 'check', 'rows.jsonl', '--out', 'checked']
    const { exitCode, stdout } = await run(...checking)
    expect(stdout.split('\n').map((line) => line.replace(/(: mixed: [\w ]+: [\w']+).*$/, '$1'))).toEqual([
      'rows.jsonl:2: mixed: unknown name: DataCopyTurbo',
      'rows.jsonl:4: mixed: does not compile: ExpOfNegated',
      'rows.jsonl:9: mixed: does not compile: Muls',
      'rows.jsonl:11: mixed: does not compile: no',
      'rows.jsonl:16: mixed: benchmark task: npukernelbench',
      'mixed: 8 right (7 with code), 5 wrong, 3 with nothing to verify',
      '  3 wrong: does not compile',
      '  1 wrong: unknown name',
      '  1 wrong: benchmark task',
    ])
    expect(exitCode).toBe(1)
    // what was checked is not checked again
    const again = await run(...checking)
    expect([again.exitCode, again.stdout]).toEqual([1, stdout.slice(stdout.indexOf('mixed: 8'))])
    // and is of these rows alone
    project.write('rows.jsonl', texts.slice(1).join(''))
    expect((await run(...checking)).exitCode).toBe(64)
  },
)
