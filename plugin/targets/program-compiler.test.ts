import { afterAll, expect, test } from 'vitest'
import { ProgramCompiler } from './program-compiler.ts'

const compiler = new ProgramCompiler()
afterAll(() => compiler.close())

const program = (size: string): string => `import { operator, tensor } from 'vitest-npu/dsl'
export default operator({
  name: 'Nothing',
  inputs: { x: tensor(['float32']) },
  outputs: { y: tensor.like('x') },
  host({ x }) {
    return { blockDim: 1, size: ${size} }
  },
  kernel() {},
})
`
const compile = async (size: string) => await compiler.compile({ file: 'nothing.npu.ts', text: program(size) })

test('a program that ends its compiler costs the next one nothing', { timeout: 120_000 }, async () => {
  const honest = await compile('x.size')
  const deep = await compile(`${'('.repeat(200_000)}x.size${')'.repeat(200_000)}`)
  expect(deep).toMatchObject({ ok: false, message: expect.stringContaining('the compiler ends at this program') })
  expect(await compile('x.size')).toEqual(honest)
})

test('programs that are asked for at once are answered one by one', async () => {
  const answers = await Promise.all(['x.size', 'nothing', 'x.size'].map(compile))
  expect(answers[0]).toEqual(answers[2])
  expect(answers[1]).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining('nothing') }] })
})
