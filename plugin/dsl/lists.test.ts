import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileDsl } from './compile.ts'
import { explainMemory } from './explain.ts'
import { interpret } from './interpret.ts'
import { listValue, startsOf } from './lists.ts'
import { rightListProgram } from './rejected-lists.ts'

const sizes = fc.array(fc.nat({ max: 3000 }), { minLength: 1, maxLength: 40 })

describe('a list that is split among cores', () => {
  test('has every element in the part of one core', () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 5000 }), (lengths, share) => {
        const starts = startsOf(lengths.map((length) => [length]))
        const covered = lengths.map((length) => new Uint8Array(length))
        const total = starts.at(-1)!
        for (let core = 0; core * share < total; core++) {
          const [begin, end] = [core * share, (core + 1) * share]
          const last = listValue('begun', starts, [end])
          for (let i = listValue('first', starts, [begin]); i < last; i++) {
            const [from, to] = [listValue('cut', starts, [i, begin]), listValue('cut', starts, [i, end])]
            for (let at = from; at < to; at++) covered[i]![at]!++
          }
        }
        expect(covered.every((tensor) => tensor.every((times) => times === 1))).toBe(true)
      }),
    )
  })

  test('is cut at whole bursts of its tensors', () => {
    const starts = startsOf([[1000], [3], [1000]])
    expect(listValue('cut', starts, [0, 300])).toBe(512)
    expect(listValue('cut', starts, [0, 1000])).toBe(1000)
    expect(listValue('cut', starts, [2, 1001])).toBe(0)
    expect(listValue('cut', starts, [2, 1004])).toBe(256)
  })
})

const compiled = compileDsl('example.npu.ts', rightListProgram)
if (!compiled.ok) throw new Error(compiled.message)
const fileOf = (ending: string): string => compiled.files.find(({ path }) => path.endsWith(ending))!.content

describe('a program on lists', () => {
  test('means the same for each tensor', () => {
    const shapes = [[3], [700, 2], [1]]
    const contents = new Map([['other', Float64Array.of(1, 10, 100)]])
    for (const [i, shape] of shapes.entries()) {
      const size = shape.reduce((product, extent) => product * extent, 1)
      contents.set(
        `xs[${i}]`,
        Float64Array.from({ length: size }, (_, at) => at % 64),
      )
      contents.set(`ys[${i}]`, new Float64Array(size).fill(NaN))
    }
    const given = { shapes: new Map(), lists: new Map([['xs', shapes]]), attributes: new Map(), column: 1, cores: 5 }
    expect(interpret(compiled, given, contents)).toBe(true)
    for (const [i, added] of [1, 10, 100].entries())
      expect(Array.from(contents.get(`ys[${i}]`)!)).toEqual(Array.from(contents.get(`xs[${i}]`)!, (x) => x + added))
  })

  test('is refused where there is nothing', () => {
    const given = { shapes: new Map(), lists: new Map([['xs', []]]), attributes: new Map(), column: 0, cores: 5 }
    expect(interpret(compiled, given, new Map())).toBe(false)
  })

  test('declares its arguments as lists, and their sizes as tiling', () => {
    expect(fileOf('_tiling.h')).toContain('TILING_DATA_FIELD_DEF_ARR(int64_t, 257, xsStarts);')
    expect(fileOf('op_host/example.cpp').match(/ParamType\(DYNAMIC\)/g)).toHaveLength(2)
    // beside lists inputs are counted by the definition
    expect(fileOf('op_host/example.cpp')).toContain('context->GetRequiredInputDesc(1)->GetDataType() == types[1]')
  })

  test('finds tensors by their descriptors, and scalars in global memory', () => {
    const kernel = fileOf('op_kernel/example.cpp')
    expect(kernel).toContain('LoadRun(xIn, TensorOf<TypeXs>(xsList_, i)[at], n);')
    expect(kernel).toContain('StoreRun(TensorOf<TypeXs>(ysList_, i)[at], yOut, n);')
    expect(kernel).toContain('Element<float>(otherGm_, i)')
  })

  test('is explained for one tensor', () => {
    const given = { shapes: new Map([['xs', [64, 1024]]]), attributes: new Map(), column: 0, cores: 40 }
    expect(explainMemory(compiled, rightListProgram, given)).toContain('share = 1639')
  })
})

test('an element in global memory is a whole number where every column that comes there has one', () => {
  const program = rightListProgram
    .replace("['float16', 'float32']", "['float16', 'int32']")
    .replace("tensor('float32', ['count'])", "tensor(['float32', 'int64'], ['count'])")
    .replace(
      'cast(wide, xIn, n)',
      "if (xs.dtype === 'int32') { const whole = get(other, i); adds(yOut, xIn, whole % 7, n) } else { cast(wide, xIn, n)",
    )
    .replace('cast(yOut, wide, n)', 'cast(yOut, wide, n) }')
  const result = compileDsl('example.npu.ts', program)
  if (!result.ok) throw new Error(result.message)
  expect(result.files.at(-1)!.content).toContain('const int64_t whole = Element<int64_t>(otherGm_, i);')
})
