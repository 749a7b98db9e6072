import { expect, test } from 'vitest'
import { compileDsl } from './compile.ts'

const program = (of: Record<string, string>): string => {
  const { half = 'half', column = 'column', work = 'work', rowBytes = 'rowBytes' } = of
  return `import { add, buffer, ceilDiv, compute, copyIn, copyOut, fit, load, min, operator, range, store, tensor } from 'vitest-npu/dsl'

export default operator({
  name: 'Double',
  inputs: { x: tensor(['float16', 'float32']) },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    const ${half} = ceilDiv(x.size, cores)
    const tile = fit(${half})
    return { blockDim: ceilDiv(x.size, ${half}), size: x.size, ${half}, tile, ${rowBytes}: tile * 4 }
  },
  kernel({ x, y }, { size, ${half}, tile, ${rowBytes} }, core) {
    const ${work} = buffer(x.dtype, tile)
    const ys = buffer(x.dtype, tile)
    const end = min((core + 1) * ${half}, size)
    for (const ${column} of range(core * ${half}, end, ${rowBytes} / 4)) {
      const n = min(tile, end - ${column})
      copyIn(() => load(${work}, x, ${column}, n))
      compute(() => add(ys, ${work}, ${work}, n))
      copyOut(() => store(y, ${column}, ys, n))
    }
  },
})
`
}

const filesOf = (text: string): unknown => {
  const compiled = compileDsl('double.npu.ts', text)
  expect(compiled.ok ? '' : compiled.message).toBe('')
  // comments show the lines of the program as they are
  return compiled.ok && compiled.files.map(({ content }) => content.replaceAll(/\/\/.*/g, ''))
}

test('variables may be called as C++ or the project calls something: they are written otherwise', () => {
  const others = { half: 'half1', column: 'column1', work: 'work1', rowBytes: 'rowBytes1' }
  expect(filesOf(program({}))).toEqual(filesOf(program(others)))
})

test('a name that the program has already is not taken', () => {
  const compiled = compileDsl('double.npu.ts', program({ column: 'half1' }))
  expect(compiled.ok && compiled.files.some(({ content }) => content.includes('half2'))).toBe(true)
})

test('what the language calls by name stays that', () => {
  for (const name of ['min', 'range']) expect(compileDsl('double.npu.ts', program({ column: name })).ok).toBe(false)
})

test.each(['é', '_', '$', '_x', 'hasMore', 'TypeWide', '__', 'constructor_'])(
  '%s may be a variable as well',
  (name) => {
    expect(filesOf(program({ column: name }))).not.toBe(false)
  },
)

test.each(['NULL', 'EOF', 'errno', 'INT32_MAX', 'HUGE_VAL', 'M_PI', 'GM_ADDR', 'SEEK_SET', 'P_tmpdir'])(
  '%s is a macro of headers, and so another name in C++',
  (name) => {
    const uses = (text: string): number =>
      JSON.stringify(filesOf(text)).split(new RegExp(String.raw`\b${name}\b`)).length
    expect(uses(program({ half: name }))).toBe(uses(program({})))
  },
)

test('the struct of the host part is called after the operator', () => {
  expect(filesOf(program({ half: 'DoubleTilingData' }))).toEqual(filesOf(program({ half: 'DoubleTilingData1' })))
})

test.each(['and_eq', 'bitor', 'char16_t', 'static_cast', 'thread_local', 'co_await'])('%s is a word of C++', (name) => {
  for (const change of [{ half: name }, { work: name }]) {
    const others = Object.fromEntries(Object.keys(change).map((key) => [key, `${name}1`]))
    expect(filesOf(program(change))).toEqual(filesOf(program(others)))
  }
})
