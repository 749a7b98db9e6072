import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { row, rowOf } from '../plugin/dataset/row.ts'
import { cacheDir, edited, Project } from './project.ts'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const timeoutMs = 10 * 60_000
const project = new Project()
const kernelPath = 'op_kernel/scale_row.cpp'

const read = (path: string): string => readFileSync(join(project.folder, path), 'utf8')

beforeAll(() => {
  project.operator('ScaleRow')
  project.config('{}')
  for (const sample of ['right', 'wrong'])
    cpSync(join(project.folder, 'candidates/ScaleRow'), join(project.folder, 'samples/ScaleRow', sample), {
      recursive: true,
    })
  rmSync(join(project.folder, 'candidates'), { recursive: true })
  const wrong = edited(read(`samples/ScaleRow/right/${kernelPath}`), [['data.factor,', '-data.factor,']])
  project.write(`samples/ScaleRow/wrong/${kernelPath}`, wrong)
  project.write('manual/adding.md', manual)
})
afterAll(() => project.remove())

const manual = `# Adding

The sum of two rows is one vector instruction. Its count is the number of elements and not of bytes, and what lies in the
destination behind that count stays as it was before, so that tails need no padding at all.
`

const words = (text: string, least: number): string => {
  const sentences: string[] = []
  while (sentences.join(' ').split(' ').length < least) sentences.push(text)
  return sentences.join(' ')
}

const ofAdding = {
  question: 'How many elements does Add sum, and what happens to the rest of its destination?',
  thought: words('I ask what bounds the work: the count does, in elements, and nothing past it is written.', 60),
  answer: `${words('The count of the instruction bounds what is summed, in elements, and the rest of the destination stays.', 40)}
\n\`\`\`cpp\nAdd(y, x, z, count);\n\`\`\``,
}

/** Puts the answer to the first prompt of a builder where the command finds it. */
function answer(builder: string, entry: Record<string, unknown>, blocks: Record<string, string> = {}): void {
  const named = Object.entries(blocks).map(([name, code]) => `\`\`\`cpp name=1/${name}\n${code}\n\`\`\`\n`)
  const json = JSON.stringify([{ item: 1, ...entry }], undefined, 1)
  project.write(`chat/${builder}/0001/answer.md`, `\`\`\`json\n${json}\n\`\`\`\n\n${named.join('\n')}`)
}

const run = async (...args: string[]) =>
  await execa(process.execPath, [program, 'dataset', ...args], {
    cwd: project.folder,
    env: { NPU_CACHE_DIR: cacheDir, NO_COLOR: '1' },
    reject: false,
    all: true,
  })
const build = async (what: string, place: string, ...more: string[]) =>
  await run(what, place, '--model', 'files:chat', '--limit', '1', '--out', `data/${what}`, ...more)

test(
  'answers in files become rows of all kinds, which hold when they are checked, and others do not',
  { timeout: timeoutMs },
  async () => {
    answer('documents', ofAdding)
    answer('kernels', {
      request:
        'Write a whole kernel for vector cores that scales every element of a float32 tensor by an attribute, on any shape.',
      thought: words(
        'Cores share the rows evenly, and each moves its part in tiles through queues and scales it once.',
        80,
      ),
    })
    const why = words(
      'The case has 8192 elements, which are 1024 blocks of 32 bytes, and eight cores take 128 blocks each.',
      90,
    )
    const tiling = { blockDim: 8, tilingKey: 0, fields: { length: 8192, lengthPerCore: 1024, factor: 2 } }
    answer('projects', { thought: why, tiling })
    const right = read(`samples/ScaleRow/right/${kernelPath}`)
    const told = 'The call is not one that the API has: it takes what the interface says, and nothing else.'
    const entry = right.slice(right.indexOf('extern "C"')).trimEnd()
    answer('errors-api', { thought: why, answer: told }, { fixed: entry })
    answer('errors-kernel', { thought: why, answer: told }, { [kernelPath]: right })

    const outcomes = await Promise.all([build('docs', 'manual'), build('kernels', 'samples/ScaleRow/right')])
    outcomes.push(await build('projects', 'samples/ScaleRow/right', '--draws', '0'))
    outcomes.push(await build('errors', 'samples', '--mistakes', '1', '--draws', '1'))
    expect(outcomes.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual([
      [0, '1 rows of 1 prompts in data/docs'],
      [0, '1 rows of 1 prompts in data/kernels'],
      [0, '1 rows of 1 prompts in data/projects'],
      [0, '2 rows of 2 prompts in data/errors'],
    ])
    // what was recorded makes the same rows
    const again = async (what: string, place: string, ...more: string[]) =>
      await run(what, place, '--model', `recorded:data/${what}`, '--limit', '1', '--out', `again/${what}`, ...more)
    await Promise.all([again('docs', 'manual'), again('kernels', 'samples/ScaleRow/right')])
    await again('projects', 'samples/ScaleRow/right', '--draws', '0')
    await again('errors', 'samples', '--mistakes', '1', '--draws', '1')
    const requestsOf = (path: string): string[] =>
      read(path)
        .trimEnd()
        .split('\n')
        .map((line) => row.parse(JSON.parse(line)).request)
    for (const what of ['docs', 'kernels', 'projects', 'errors'])
      expect(requestsOf(`again/${what}/rows.jsonl`)).toEqual(requestsOf(`data/${what}/rows.jsonl`))
    // nothing was laid out: all of it was answered
    expect(existsSync(join(project.folder, 'chat/projects/0001/prompt.md'))).toBe(false)

    const rows = ['docs', 'kernels', 'projects', 'errors'].map((what) => read(`data/${what}/rows.jsonl`)).join('')
    // the same rows, and one whose tiling is another one in all of its places
    const { id: _, ...draft } = row.parse(JSON.parse(read('data/projects/rows.jsonl').replaceAll('1024', '1032')))
    project.write('rows.jsonl', `${rows}${JSON.stringify(rowOf(draft))}\n`)
    const { exitCode, stdout } = await run('check', 'rows.jsonl')
    expect([exitCode, stdout.split('\n').sort()]).toEqual([
      1,
      [
        'documentation: 1 right, 0 wrong',
        'error: 2 right, 0 wrong',
        'kernel: 1 right, 0 wrong',
        'project: 1 right, 1 wrong',
        'rows.jsonl:6: project: the project makes another tiling of the case',
      ],
    ])
  },
)

test('questions that came first are answered from what was retrieved', { timeout: timeoutMs }, async () => {
  const { question, ...answered } = ofAdding
  const ask = async () => await run('docs', 'manual', '--retrieve', '--model', 'files:chat', '--out', 'data/retrieved')
  answer('questions', { question })
  const waiting = await ask()
  expect(waiting.stderr).toContain('1 prompts wait for an answer.md')
  expect(read('chat/answers/0001/prompt.md')).toContain('so that tails need no padding at all')
  answer('answers', answered)
  const done = await ask()
  expect(done.stdout.split('\n')).toEqual([
    '1 rows of 2 prompts in data/retrieved',
    '1 sections',
    '0 sections without a question',
    '1 questions',
    '1 questions that found their section',
  ])
  const { stdout } = await run('check', 'data/retrieved/rows.jsonl')
  expect(stdout).toBe('documentation: 1 right, 0 wrong')
})
