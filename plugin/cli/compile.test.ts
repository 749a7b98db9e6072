import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { compileCommand } from './compile.ts'

const folder = mkdtempSync(join(tmpdir(), 'npu-compile-'))
afterAll(() => rmSync(folder, { recursive: true }))

const programs = fileURLToPath(new URL('../../references/dsl/', import.meta.url))
const program = (name: string): string => join(programs, `${name}.npu.ts`)

/** What the command prints. */
async function compile(...args: string[]): Promise<string> {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  try {
    await compileCommand(args)
  } finally {
    log.mockRestore()
  }
  return lines.join('\n')
}

test('writes a project, and names its files', async () => {
  const out = join(folder, 'project')
  const files = (await compile(program('Gelu'), '--out', out)).split('\n')
  expect(files).toContain(join(out, 'op_kernel/gelu.cpp'))
  expect(files.filter((file) => !existsSync(file))).toEqual([])
})

/** A program of one buffer that is as long as its input. */
const whole = join(folder, 'whole.npu.ts')
writeFileSync(
  whole,
  `import { adds, buffer, compute, copyIn, copyOut, load, operator, store, tensor } from 'vitest-npu/dsl'

export default operator({
  name: 'Whole',
  inputs: { x: tensor('float32', ['n']) },
  outputs: { y: tensor.like('x') },
  host({ x }) {
    return { blockDim: 1, n: x.size }
  },
  kernel({ x, y }, { n }) {
    const xs = buffer('float32', n)
    const ys = buffer('float32', n)
    copyIn(() => load(xs, x, 0, n))
    compute(() => adds(ys, xs, 1, n))
    copyOut(() => store(y, 0, ys, n))
  },
})
`,
)

const explained = async (...args: string[]): Promise<string> => await compile(...args, '--explain-memory')

const pool = async (size: string): Promise<string> =>
  await explained(program('MaxPooling1dCustom'), '--attr', `kernel_size=${size}`, '--attr', 'stride=1')

describe('memory is explained', () => {
  test('for a problem that fits', async () => {
    expect(await explained(whole, '--shape', 'x=1000')).toBe(`\
for x float32[1000]
on 1 core, with n = 1000

buffer   dtype        bytes  line
xs       float32       8192    11  loaded x 2
ys       float32       8192    12  stored x 2
(total)               16384        of 188160`)
  })

  test('for one that the host part refuses, with what is too many', async () => {
    expect(await explained(whole, '--shape', 'x=16384')).toBe(`\
for x float32[16384]: the host part refuses this, since the buffers do not fit
with n = 16384

buffer   dtype        bytes  line
xs       float32     131072    11  loaded x 2
ys       float32     131072    12  stored x 2
(total)              262144        of 188160: 73984 too many`)
  })

  test('where not even a tile of one row fits', async () => {
    const text = await explained(
      program('MaxPooling2dCustom'),
      '--shape',
      'x=1x1x2x60000',
      '--attr',
      'kernel_size=2',
      '--attr',
      'stride=1',
    )
    expect(text).toContain('the host part refuses this, since the buffers do not fit\n')
    expect(text).toMatch(/ {2}of 188160: \d+ too many$/)
  })

  test('for attributes, which change what is needed', async () => {
    expect(await pool('3')).not.toBe(await pool('5'))
  })

  test.each([
    [['Gelu', '--shape', 'z=64'], '--shape z=64: no input is called z'],
    [['RmsNorm', '--shape', 'gama=64'], '--shape gama=64: no input is called gama (did you mean gamma?)'],
    [['RmsNorm', '--shape', 'gamma=64x2'], '--shape gamma=64x2: write gamma=64'],
    [['SoftmaxCustom', '--shape', 'x=64x0'], '--shape x=64x0: write x=64x64'],
    [['RmsNorm', '--attr', 'epsilon=small'], '--attr epsilon=small: write epsilon=0.5'],
    [['RmsNorm', '--attr', 'eps=1'], '--attr eps=1: no attribute is called eps'],
    [['RmsNorm', '--column', '5'], '--column 5: the program has columns 0 to 4'],
    [['MaxPooling2dCustom'], 'compile: the attribute kernel_size has no default: give --attr kernel_size=…'],
  ])('%j is refused', async ([name, ...args], message) => {
    await expect(explained(program(name!), ...args)).rejects.toThrow(message)
  })
})

test.each([
  [['x.ts'], 'compile: a program is called <name>.npu.ts, and not x.ts'],
  [['x.npu.ts'], 'compile: give --out, --stage, --explain-memory or --explain-sync'],
  [['none.npu.ts', '--stage', 'host'], 'compile: there is no none.npu.ts'],
  [['x.npu.ts', '--stage', 'hots'], '--stage hots: is none (did you mean host?)'],
])('%j is a wrong call', async (args, message) => {
  await expect(compile(...args)).rejects.toThrow(message)
})

test('a program that ends its compiler is refused in one line', async () => {
  const nested = join(folder, 'nested.npu.ts')
  writeFileSync(nested, `export default ${'('.repeat(20_000)}1${')'.repeat(20_000)}\n`)
  await expect(compile(nested, '--stage', 'host')).rejects.toThrow(
    `${nested}: the compiler ends at this program: nest less, and write shorter expressions`,
  )
})
