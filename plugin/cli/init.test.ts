import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { cacheFolderOf } from '../cache/cache.ts'
import { buildLimitMs } from '../../fixtures/operator.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
vi.setConfig({ testTimeout: buildLimitMs })

let folder: string
beforeAll(() => {
  mkdirSync(join(root, '.npu'), { recursive: true })
  folder = mkdtempSync(join(root, '.npu', 'init-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const cli = (...args: string[]) =>
  execa(process.execPath, [join(root, 'dist/cli/main.js'), ...args], {
    cwd: folder,
    reject: false,
    env: { NPU_CACHE_DIR: cacheFolderOf(root) },
  })

const baseline = (operator: string): string => join(root, 'references/baseline', operator)

test('writes specs that are tasks with the interface of the operator', async () => {
  for (const operator of ['RmsNorm', 'ForeachAddList', 'Muls']) {
    const { stdout, stderr, exitCode } = await cli('init', baseline(operator))
    // who comes first builds the emulator, and hears of it
    const said = stderr.split('\n').filter((line) => !/^(?:building|built|precompiling) /.test(line))
    expect({ exitCode, said: said.join('\n') }).toEqual({ exitCode: 0, said: '' })
    expect(stdout).toMatch(/^tasks\/\S+\.spec\.ts: write its golden/)
    expect(stdout).toMatch(/\nNPU_CANDIDATES=\S+\/references\/baseline npx vitest run tasks\//)
  }
  const { stdout, stderr } = await cli('tasks')
  expect(stderr).toBe('')
  expect(stdout).toMatch(
    /RmsNorm +5 cases +rms_norm\(x float16\|bfloat16\|float32, gamma float32\|float16\|bfloat16; epsilon = 1\) -> y /,
  )
  expect(stdout).toMatch(/ForeachAddList +4 cases +foreach_add_list\(x1\[\] float16\|/)
})

test('golden is said to be missing until it is written', async () => {
  const drawn = await cli('inputs', 'RmsNorm', '--case', '0', '--out', 'drawn')
  expect(drawn.stderr).toBe('')
  const missing = await cli('golden', 'RmsNorm', '--in', 'drawn/manifest.json', '--out', 'right')
  expect(missing.stderr).toContain('write the golden of RmsNorm in tasks/rms-norm.spec.ts')
  expect(missing.exitCode).toBe(64)
  const spec = join(folder, 'tasks/rms-norm.spec.ts')
  const stub = /golden: \(\) => \{[^]*?\n {2}\},/
  writeFileSync(
    spec,
    readFileSync(spec, 'utf8').replace(
      stub,
      'golden: ({ x }) => ({ y: x, rstd: { values: new Float64Array(2048) } }),',
    ),
  )
  const right = await cli('golden', 'RmsNorm', '--in', 'drawn/manifest.json', '--out', 'right')
  expect(right.stderr).toBe('')
})

test('nothing that is there is overwritten, and what is no operator project is one line', async () => {
  const before = readFileSync(join(folder, 'tasks/rms-norm.spec.ts'), 'utf8')
  const again = await cli('init', baseline('RmsNorm'))
  expect(again.stderr).toBe(
    'init: tasks/rms-norm.spec.ts is there already: remove it, or give another folder by --tasks',
  )
  expect(readFileSync(join(folder, 'tasks/rms-norm.spec.ts'), 'utf8')).toBe(before)
  expect((await cli('init', 'tasks')).stderr).toBe(
    'init: tasks has no op_kernel: name the folder of an operator project',
  )
  expect((await cli('init')).stderr).toBe(
    'init: name the folder of an operator project, e.g. vitest-npu init AddCustom',
  )
})

test.each([
  ['x: process.exit(7), y', 'x: process.exit(7), y becomes the parameter'],
  ['__proto__', 'the OpDef has the name "__proto__": names are letters, digits and _'],
])('an OpDef decides no path and writes no code: %s', async (name, says) => {
  const project = join(folder, 'Hostile')
  cpSync(baseline('AddCustom'), project, { recursive: true })
  const [file = ''] = readdirSync(join(project, 'op_host')).filter((name) => name.endsWith('.cpp'))
  const path = join(project, 'op_host', file)
  writeFileSync(path, readFileSync(path, 'utf8').replace('Input("x")', `Input("${name}")`))
  const { stderr, exitCode } = await cli('init', project, '--tasks', 'hostile')
  expect(stderr).toMatch(/^init: [^\n]*$/)
  expect(stderr).toContain(says)
  expect(exitCode).toBe(64)
  expect(readdirSync(folder)).not.toContain('hostile')
})

test('attributes called like what a spec has of its own are kept apart', async () => {
  const project = join(folder, 'Named')
  cpSync(baseline('AddCustom'), project, { recursive: true })
  const [file = ''] = readdirSync(join(project, 'op_host')).filter((name) => name.endsWith('.cpp'))
  const path = join(project, 'op_host', file)
  const text = readFileSync(path, 'utf8')
  const attrs = ['s', 'dtype'].map((name) => `this->Attr("${name}").Int();`).join(' ')
  writeFileSync(path, text.replace(/(?=this->Input\("x"\))/, `${attrs} `))
  // found in a time that is linear in it
  writeFileSync(join(project, 'op_kernel/other.cpp'), '__global__ '.repeat(95_000))
  const { stderr, exitCode } = await cli('init', project, '--tasks', 'named')
  expect([stderr, exitCode]).toEqual([expect.not.stringContaining('init:'), 0])
  const [spec = ''] = readdirSync(join(folder, 'named'))
  const written = readFileSync(join(folder, 'named', spec), 'utf8')
  expect(written).toContain("shape: ['...s_']")
  expect(written).toMatch(/\{ s_: \[32, 64\], dtype: 0, s: 1 \},/)
  expect(written).toMatch(/ s_: dim\.list.*\n +s: fc\.constantFrom\(1\),\n +dtype: fc\.nat\(\{ max: \d+ \}\),/)
})
