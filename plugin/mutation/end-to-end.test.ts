import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { cacheFolderOf } from '../cache/cache.ts'
import { Project } from '../vitest/end-to-end/project.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The first run on a machine builds the emulator. */
const limitMs = 900_000

const project = new Project(limitMs)
const environment = { NPU_CACHE_DIR: cacheFolderOf(root), NO_COLOR: '1' }
const kernel = 'op_kernel/doubled.cpp'
const candidate = join(project.folder, 'candidates/Doubled', kernel)

/** A task whose cases are those rows. */
const spec = (rows: string): string => `import * as fc from 'fast-check'
import { attr, exact, kernelSuite, tensor, uniform } from 'vitest-npu'
const times = (x: Float32Array, factor: unknown) => x.map((value) => (factor ? -2 : 2) * value)
kernelSuite('Doubled', {
  category: 'Math', kernel: 'doubled',
  inputs: { x: tensor({ dtype: 'float32', shape: ['n'], draw: uniform(1, 9) }) },
  outputs: { y: tensor.like('x') },
  attrs: { negative: attr.int(0) },
  golden: ({ x }, { negative }) => ({ y: { ...x, data: times(x.data as Float32Array, negative) } }),
  domain: fc.record({ x: fc.constantFrom([8], [100]), negative: fc.constant(0) }), strict: exact,
  cases: [${rows}],
})\n`

const small = '{ x: [8], negative: 0 }, { x: [100], negative: 0 }'

const position = z.object({ line: z.int(), column: z.int() })
const mutant = z.object({
  location: z.object({ start: position, end: position }),
  replacement: z.string(),
  description: z.string(),
  status: z.string(),
  statusReason: z.string().optional(),
  killedBy: z.array(z.string()).optional(),
})
const report = z.object({
  config: z.object({ partial: z.boolean() }),
  files: z.record(z.string(), z.object({ source: z.string(), mutants: z.array(mutant) })),
})
type Reported = z.infer<typeof mutant>

async function mutate(...args: string[]) {
  const command = [join(root, 'dist/cli/main.js'), 'mutate', 'Doubled', ...args]
  const options = { cwd: project.folder, env: environment, reject: false, timeout: limitMs } as const
  const running = execa(process.execPath, command, options)
  const { exitCode, stdout, stderr } = await running
  return { pid: running.pid, exitCode, stdout, stderr }
}

/** The line that a command ends with, and its exit code. */
async function errorOf(code: number, ...args: string[]): Promise<string> {
  const { exitCode, stderr } = await mutate(...args)
  expect(exitCode, stderr).toBe(code)
  return stderr
}

const readReport = (): Reported[] =>
  report.parse(JSON.parse(readFileSync(join(project.folder, 'reports/mutation/mutation.json'), 'utf8'))).files[kernel]!
    .mutants

/** What of some status was done to which line. */
const of = (mutants: readonly Reported[], ...wanted: string[]): string[] =>
  mutants
    .filter(({ status }) => wanted.includes(status))
    .map(({ location, description }) => `${lines[location.start.line - 1]!.trim()} | ${description}`)

const lines = readFileSync(join(root, 'fixtures/doubled', kernel), 'utf8').split('\n')

/** The text with an edit as the report states it. */
function withEdit(text: string, { location: { start, end }, replacement }: Reported): string {
  const at = ({ line, column }: z.infer<typeof position>): number =>
    text
      .split('\n')
      .slice(0, line - 1)
      .join('\n').length +
    (line > 1 ? 1 : 0) +
    column -
    1
  return text.slice(0, at(start)) + replacement + text.slice(at(end))
}

/** The verdicts of runs of Vitest on mutants, each as a candidate. */
async function runOf(mutants: readonly Reported[]): Promise<string[][]> {
  const folders = mutants.map((each, i) => {
    const folder = `mutant${i}`
    cpSync(join(root, 'fixtures/doubled'), join(project.folder, folder, 'Doubled'), { recursive: true })
    const path = join(project.folder, folder, 'Doubled', kernel)
    writeFileSync(path, withEdit(readFileSync(path, 'utf8'), each))
    return folder
  })
  await project.run([], { ...environment, NPU_SEED: '0', NPU_CANDIDATES: folders.join(',') })
  return folders.map((folder) =>
    project.ledger().flatMap(({ sample, verdict }) => (sample === folder ? [verdict.kind] : [])),
  )
}

beforeAll(() => {
  cpSync(join(root, 'fixtures/doubled'), join(project.folder, 'candidates/Doubled'), { recursive: true })
  project.write('tasks/level1/math/doubled.spec.ts', spec(small))
  project.write(
    'vitest.config.ts',
    `import { npuKernels } from 'vitest-npu/plugin'\nexport default { plugins: [npuKernels({ fuzzRuns: 4 })] }\n`,
  )
})
afterAll(() => project.remove())

/** What only a longer tensor tells, which takes two tiles. */
const aboutTiles = [
  ...['in_', 'out_'].flatMap((queue) =>
    ['a block less than', 'half of'].map(
      (less) => `pipe_.InitBuffer(${queue}, 1, TILE * sizeof(float)); | InitBuffer with ${less} TILE * sizeof(float)`,
    ),
  ),
  'const uint32_t count = left < TILE ? left : TILE; | || true ? :',
]
const aboutNegative = ['if (negative_) { | if (negative_) is false']
const sign = 'const float sign = count > 0 ? -1.0f : 1.0f;'
const equivalent = `${sign} | || true ? :`

test(
  'finds what no case asks for; more cases find it',
  async () => {
    const before = readFileSync(candidate, 'utf8')
    const { pid, exitCode, stdout, stderr } = await mutate()
    expect(exitCode, stderr).toBe(0)
    const mutants = readReport()
    expect(of(mutants, 'Survived')).toEqual([...aboutTiles, ...aboutNegative])
    expect(of(mutants, 'NoCoverage')).toEqual([`${sign} | && false ? :`, equivalent])
    expect(of(mutants, 'Ignored')).toEqual(
      ['&& false', '|| true'].map((change) => `return value > 0 ? value : 0; | ${change} ? :`),
    )
    expect(of(mutants, 'Killed')).toHaveLength(mutants.length - 10)
    expect(stdout).toContain(
      '[Survived] op_kernel/doubled.cpp:35 branches\n  -     if (negative_) {\n  +     if (false) {',
    )
    expect(stdout).toMatch(/^op_kernel\/doubled\.cpp +71\.4 % +20 +0 +6 +2 +0 +2$/m)
    expect(existsSync(join(project.folder, 'reports/mutation/mutation.html'))).toBe(true)
    expect(readFileSync(candidate, 'utf8')).toBe(before)
    expect(readdirSync(tmpdir()).filter((name) => name.includes(`-${pid}-`))).toEqual([])

    const longer = '{ x: [300], negative: 0 }, { x: [100], negative: 1 }'
    project.write('tasks/level1/math/doubled.spec.ts', spec(`${small}, ${longer}`))
    await mutate('--reporter', 'json')
    expect(of(readReport(), 'Survived', 'NoCoverage')).toEqual([equivalent])
    project.write('tasks/level1/math/doubled.spec.ts', spec(small))
  },
  limitMs,
)

test(
  'the verdicts are those of a run of Vitest, also of what no case reaches',
  async () => {
    await mutate('--reporter', 'json')
    const mutants = readReport()
    const left = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    const killed = mutants.filter(({ status }) => status === 'Killed').filter((_, i) => i % 5 === 0)
    expect([left.length, killed.length]).toEqual([8, 4])
    const kinds = await runOf([...left, ...killed])
    for (const [i, each] of left.entries()) expect(new Set(kinds[i]), each.description).toEqual(new Set(['correct']))
    for (const [i, { description, statusReason, killedBy }] of killed.entries()) {
      const found = kinds[left.length + i]!
      // a warning leaves the verdict as it is
      const isWarning = statusReason?.includes('the device warns') ?? false
      expect(
        found.every((kind) => kind === 'correct'),
        `${description}: ${found.join()}`,
      ).toBe(isWarning)
      expect(killedBy).toHaveLength(1)
    }
  },
  limitMs,
)

test(
  'chooses mutants, fails below a score, and lists without judging',
  async () => {
    const some = await mutate(
      '--kinds',
      'branches',
      '-m',
      `${kernel}:35-36`,
      '--reporter',
      'text',
      '--threshold-break',
      '60',
    )
    expect([some.exitCode, some.stderr]).toEqual([2, 'the score is below --threshold-break 60'])
    expect(some.stdout).toMatch(/^op_kernel\/doubled\.cpp +25\.0 % +1 +0 +1 +2 /m)
    const enough = await mutate('--kinds', 'branches', '-m', `${kernel}:35-36`, '--threshold-break', '25')
    expect(enough.exitCode, enough.stderr).toBe(0)

    // where all edits leave the code as it is, nothing was judged
    const ignored = `${kernel}:${1 + lines.findIndex((line) => line.includes('return value > 0 ? value : 0;'))}`
    expect(await errorOf(2, '--kinds', 'branches', '-m', ignored, '--threshold-break', '0')).toBe(
      '--threshold-break 0: there is no score, as no mutant that counts was judged',
    )

    const listed = await mutate('--dry-run', '--sample', '3', '--seed', '5')
    const again = await mutate('--dry-run', '--sample', '3', '--seed', '5')
    expect(listed.stdout).toMatch(/^3 mutants$/m)
    expect(again.stdout).toBe(listed.stdout)
    expect((await mutate('--dry-run', '--sample', '3', '--seed', '6')).stdout).not.toBe(listed.stdout)
  },
  limitMs,
)

test(
  'says in one line what is wrong',
  async () => {
    expect(await errorOf(64, 'nobody')).toBe('no sample is called nobody; in candidates there are candidates')
    expect(await errorOf(64, '-m', 'op_kernel/other.cpp')).toMatch(
      /^no edit of .* is chosen; see --mutate and --kinds$/,
    )
    const text = readFileSync(candidate, 'utf8')
    writeFileSync(candidate, text.replace('Add(y, x, x, count)', 'Add(y, x, x, count - 1)'))
    expect(await errorOf(1)).toMatch(
      /^Doubled candidates itself is [\w-]+ \(static 0\): mutants of a kernel that is wrong say nothing$/,
    )
    writeFileSync(candidate, text)
    const corpus = '.npu/corpus/npukernelbench/Doubled.json'
    project.write(corpus, '[{ "task":')
    const named = join(project.folder, corpus)
    expect(await errorOf(3)).toBe(
      `Doubled candidates cannot be judged: ${named} is no list of cases; delete it or mend it`,
    )
    rmSync(named)
  },
  limitMs,
)
