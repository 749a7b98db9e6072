import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const document = readFileSync(join(root, 'docs/specs.md'), 'utf8')
/** Examples say in their first line where they lie. */
const examples = [...document.matchAll(/^```ts\n\/\/ (\S+)\n([^]*?)^```$/gm)].map(([, path = '', text = '']) => ({
  path,
  text,
}))
const tasks = ['ScaledAdd', 'RowScale', 'Window']

let folder: string
beforeAll(() => {
  mkdirSync(join(root, '.npu'), { recursive: true })
  folder = mkdtempSync(join(root, '.npu', 'specs-'))
  for (const { path, text } of examples) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `import { npuKernels } from 'vitest-npu/plugin'
export default { plugins: [npuKernels()] }\n`,
  )
  writeFileSync(
    join(folder, 'plain.config.ts'),
    `export default { test: { include: ['tasks/**/*.test.ts'], setupFiles: ['${join(root, 'dist/vitest/setup.js')}'] } }\n`,
  )
  const options = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    noUncheckedIndexedAccess: true,
    target: 'es2023',
    module: 'nodenext',
    allowImportingTsExtensions: true,
    types: ['node'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['tasks'] }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (...command: string[]) =>
  execa(process.execPath, command, { cwd: folder, reject: false, env: { NO_COLOR: '1', CI: '1', NPU_SEED: '7' } })

test('there are as many examples as tasks, and a test', () => {
  expect(examples.map(({ path }) => path).sort()).toEqual([
    'tasks/math/golden.test.ts',
    'tasks/math/scaled-add.spec.ts',
    'tasks/math/window.spec.ts',
    'tasks/norm/row-scale.spec.ts',
  ])
})

test('they have the types that they say', async () => {
  const { stdout, exitCode } = await run(join(root, 'node_modules/typescript/bin/tsc'), '-p', '.')
  expect(stdout).toBe('')
  expect(exitCode).toBe(0)
}, 120_000)

test('they are tasks, and the test beside them passes', async () => {
  const { stdout, stderr } = await run(join(root, 'node_modules/vitest/vitest.mjs'), 'list', '--project=own')
  for (const name of tasks) expect(stdout, stderr).toContain(`> ${name} > static 0: x `)
  expect(stdout).toContain('> RowScale > static 7: x float32[2, 2]')
  expect(stdout).not.toContain('is a task')
  const beside = await run(
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--root',
    folder,
    '-c',
    join(folder, 'plain.config.ts'),
  )
  expect(beside.stdout, beside.stderr).toMatch(/Tests +1 passed/)
}, 120_000)

test.each(tasks)(
  'golden of %s has an answer for what its draws give',
  async (name) => {
    const cli = join(root, 'dist/cli/main.js')
    const drawn = await run(cli, 'inputs', name, '--case', '0', '--out', `drawn-${name}`)
    expect(drawn.stderr).toBe('')
    const right = await run(cli, 'golden', name, '--in', `drawn-${name}/manifest.json`, '--out', `right-${name}`)
    expect(right.stderr).toBe('')
    expect(right.exitCode).toBe(0)
  },
  120_000,
)
