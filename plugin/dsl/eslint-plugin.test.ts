import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Linter } from 'eslint'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { compileDsl } from './compile.ts'
import plugin from './eslint-plugin.ts'
import { placeOf } from './problem.ts'

const good = `import { buffer, compute, copyIn, copyOut, fit, load, muls, operator, store, tensor } from 'vitest-npu/dsl'

export default operator({
  name: 'Twice',
  inputs: { x: tensor('float32') },
  outputs: { y: tensor.like('x') },
  host({ x }) {
    const tile = fit(x.size)
    return { blockDim: 1, tile }
  },
  kernel({ x, y }, { tile }) {
    const xs = buffer('float32', tile)
    const ys = buffer('float32', tile)
    copyIn(() => load(xs, x, 0, tile))
    compute(() => muls(ys, xs, 2, tile))
    copyOut(() => store(y, 0, ys, tile))
  },
})
`
/** Two of them, in lines that are not the first. */
const bad = good
  .replace('ys, xs, 2,', 'ys, xs, true as boolean,')
  .replace("ys = buffer('float32'", "ys = buffer('int32'")

// the plugin knows no types of ESLint: who has oxlint alone need not install it
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const recommended = plugin.configs.recommended as Linter.Config

/** What the compiler says, as linters count. */
function expected(text: string): { line: number; column: number; message: string }[] {
  const compiled = compileDsl('twice.npu.ts', text)
  if (compiled.ok) return []
  return compiled.problems.map(({ span, message, hint }) => ({
    ...placeOf(text, span.start),
    message: hint === undefined ? message : `${message}: ${hint}`,
  }))
}

const lint = (text: string, name = 'twice.npu.ts') => new Linter().verify(text, [recommended], name)

test('ESLint shows the problems of the compiler at their places', () => {
  const found = lint(bad).map(({ line, column, message }) => ({ line, column, message }))
  expect(found.length).toBeGreaterThan(0)
  expect(found).toEqual(expected(bad))
  expect(lint(good)).toEqual([])
  // a file that is no program is none of its business
  expect(lint(bad, 'twice.ts').filter(({ ruleId }) => ruleId !== null)).toEqual([])
})

test('a program that cannot be parsed is shown where it ends', () => {
  const text = good.slice(0, good.indexOf('copyOut(() =>'))
  const [first] = lint(text)
  expect(first).toMatchObject({ ruleId: 'vitest-npu/program', ...expected(text)[0] })
})

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'npu-lint-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const answer = z.object({
  diagnostics: z.array(
    z.object({
      code: z.string(),
      filename: z.string(),
      message: z.string(),
      labels: z.array(z.object({ span: z.object({ line: z.number(), column: z.number() }) })),
    }),
  ),
})

test('oxlint shows them as well', async () => {
  const specifier = fileURLToPath(new URL('../../dist/dsl/eslint-plugin.js', import.meta.url))
  writeFileSync(
    join(folder, '.oxlintrc.json'),
    JSON.stringify({ jsPlugins: [specifier], rules: { 'vitest-npu/program': 'error' } }),
  )
  writeFileSync(join(folder, 'good.npu.ts'), good)
  writeFileSync(join(folder, 'bad.npu.ts'), bad)
  const bin = fileURLToPath(new URL('../../node_modules/.bin/oxlint', import.meta.url))
  const { stdout } = await execa(bin, ['-c', '.oxlintrc.json', '-f', 'json'], { cwd: folder, reject: false })
  const { diagnostics } = answer.parse(JSON.parse(stdout))
  const own = diagnostics.filter(({ code }) => code.startsWith('vitest-npu'))
  expect(own.map(({ filename }) => filename)).toEqual(expected(bad).map(() => 'bad.npu.ts'))
  expect(own.map(({ message, labels }) => ({ ...labels[0]!.span, message }))).toMatchObject(expected(bad))
})
