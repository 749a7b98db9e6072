import * as fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { toFloat64 } from '../inputs/index.ts'
import { bytesView, kernelCase as kernelCaseSchema, taskInterface, type Tensor } from '../model/index.ts'
import { attr, byCase, defineTask, dim, exact, scalarTensor, tensor, tensorList, tensorsOf, uniform } from './index.ts'
import type { Row, TaskDefinition } from './index.ts'

const zeros = (like: Tensor) => ({ values: new Float64Array(like.data.length) })

// A task with everything in it: several combinations, patterns, an optional input, attributes.
const norm = {
  level: 2 as const,
  category: 'Norm',
  kernel: 'norm',
  inputs: {
    x: tensor({ dtype: ['float16', 'float32', 'float16'], shape: ['...rows', 'D'], draw: uniform(0, 1) }),
    gamma: tensor({ dtype: ['float16', 'float32', 'float32'], shape: ['D'] }),
    bias: tensor({ dtype: 'float32', shape: ['D'], optional: true }),
  },
  outputs: { y: tensor.like('x'), mean: tensor({ dtype: 'float32', shape: ['...rows', 1] }) },
  attrs: { epsilon: attr.float(1e-6), axis: attr.int(-1), mode: attr.string('mean') },
  golden: ({ x }: { x: Tensor }) => ({ y: zeros(x), mean: { values: new Float64Array(1) } }),
  domain: { rows: dim.list({ max: 3 }), D: dim({ max: 4096 }), epsilon: fc.constantFrom(1e-6, 1e-3) },
  strict: exact,
  cases: [{ x: [4, 128], dtype: 0 }],
}

// Deliberately beyond the types: these tests are about what is said at run time.
const define = (changes: Partial<TaskDefinition>) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  defineTask('Norm', { ...norm, ...changes } as unknown as TaskDefinition)
const withCase = (row: Row) => define({ cases: [norm.cases[0]!, row] })

test('a reference of the public benchmark may leave outputs to golden, but names no other', () => {
  const [inputs, kernelCase] = [{}, defineTask('Norm', norm).staticCases[0]!]
  const mean = { values: Float64Array.of(7) }
  const task = define({ benchmark: { reference: () => ({ mean, y: undefined }) } })
  expect(task.reference!(inputs, kernelCase)).toEqual({ mean })
  expect(() => define({ benchmark: { reference: () => ({ z: mean }) } }).reference!(inputs, kernelCase)).toThrow(
    'task Norm: benchmark.reference: there is no output z',
  )
  expect(defineTask('Norm', norm)).not.toHaveProperty('reference')
})

test('says what it computes, and the shapes that its definition gives', () => {
  const task = define({ description: 'y = x', maxElements: 512 })
  expect(task.description).toBe('y = x')
  expect(task.maxElements).toBe(512)
  expect(task.patterns).toEqual({
    inputs: { x: ['...rows', 'D'], gamma: ['D'], bias: ['D'] },
    outputs: { y: ['...rows', 'D'], mean: ['...rows', 1] },
  })
  expect(define({})).not.toHaveProperty('description')
})

describe('the group of a task', () => {
  const { level: _, ...plain } = norm
  const placed =
    (changes: { group?: string; level?: number }, group: string | null = 'level2') =>
    () => {
      const task = defineTask('Norm', { ...plain, ...changes }, { suite: 'some', group })
      return [task.interface.suite, task.interface.group]
    }

  test('is that of the folder, which a definition may repeat', () => {
    for (const changes of [{}, { level: 2 }, { group: 'level2' }, { group: 'level2', level: 2 }])
      expect(placed(changes)()).toEqual(['some', 'level2'])
  })

  test('is that of the definition where the folder says none, or there is none', () => {
    expect(placed({ group: 'hard' }, null)()).toEqual(['some', 'hard'])
    expect(placed({ level: 3 }, null)()).toEqual(['some', 'level3'])
    expect(placed({}, null)()).toEqual(['some', null])
    expect(defineTask('Norm', plain).interface).toMatchObject({ suite: 'own', group: null })
  })

  test.each([
    [{ level: 1 }, 'task Norm: level: says 1, but the spec is one of level2'],
    [{ group: 'hard' }, 'task Norm: group: says hard, but the spec is one of level2'],
    [{ group: 'hard', level: 2 }, 'task Norm: group: says hard, but level says 2'],
    [{ level: 1.5 }, 'task Norm: level: must be a whole number, 1 or more'],
  ])('%j is refused in a folder of level2', (changes, message) => {
    expect(placed(changes)).toThrow(message)
  })
})

describe('a definition that contradicts itself is refused in one sentence', () => {
  test.each<[string, Partial<TaskDefinition> & Record<string, unknown>, string]>([
    [
      'an unknown field',
      { tolerance: 1 },
      'task Norm: tolerance: unknown field; the fields are group, level, category',
    ],
    ['a description without words', { description: ' ' }, 'task Norm: description: must be a text'],
    ['no case', { cases: [] }, 'task Norm: cases: a task has at least one static case'],
    ['a kernel that is no symbol', { kernel: 'a-b' }, 'task Norm: kernel: must be a C++ identifier'],
    [
      'columns that differ',
      { outputs: { y: tensor({ dtype: ['float16', 'float16'], shape: ['D'] }) } },
      'task Norm: outputs.y.dtype: has 2 columns, inputs.x.dtype has 3',
    ],
    [
      'an unknown dtype',
      // @ts-expect-error -- half is not a dtype
      { outputs: { y: tensor({ dtype: 'half', shape: ['D'] }) } },
      'task Norm: outputs.y.dtype: unknown dtype half',
    ],
    ['like nothing', { outputs: { y: tensor.like('z') } }, "task Norm: outputs.y: like('z'): there is no such input"],
    [
      'like another kind',
      { outputs: { y: tensorList.like('x') } },
      "task Norm: outputs.y: like('x'): that input is a tensor, this a tensorList",
    ],
    [
      'aliasing nothing',
      { outputs: { y: tensor.like('x', { aliases: 'w' }) } },
      'task Norm: outputs.y.aliases: there is no input w',
    ],
    [
      'two runs in a pattern',
      { outputs: { y: tensor({ dtype: 'float16', shape: ['...a', '...b'] }) } },
      "task Norm: outputs.y: [...a, ...b] has more than one '...' run",
    ],
    [
      'a default of the wrong type',
      { attrs: { axis: { type: 'int', default: 0.5 } } },
      'task Norm: attrs.axis: the default is not of type int',
    ],
    [
      'an unknown domain field',
      { domain: { E: dim({ max: 4 }) } },
      'task Norm: domain.E: unknown field; the fields are x',
    ],
  ])('%s', (_, changes, message) => {
    expect(() => define(changes)).toThrow(message)
  })
})

describe('a row that does not fit is refused with its number and field', () => {
  test.each<[string, Row, string]>([
    [
      'an unknown field',
      { x: [4, 8], dtype: 1, width: 4 },
      'task Norm: case 1: unknown field width; the fields are dtype, x',
    ],
    ['a shape of the wrong rank', { x: [], dtype: 1 }, 'case 1: x: [] has rank 0, which does not fit [...rows, D]'],
    [
      'a contradiction between arguments',
      { x: [4, 8], gamma: [9], dtype: 1 },
      'case 1: gamma: [9] does not fit [D]: D is 8 elsewhere in the case and 9 here',
    ],
    ['an ambiguous dtype', { x: [4, 8], dtype: 'float16' }, 'dtype "float16" names columns 0 and 2; give the column'],
    ['an impossible dtype', { x: [4, 8], dtype: 'int8' }, 'columns are 0 (float16), 1 (float32), 2 (float16)'],
    ['no dtype', { x: [4, 8] }, 'names no combination'],
    ['a shape that is none', { x: [4, -8], dtype: 1 }, 'x: [4,-8] is not a shape, e.g. [4, 128]'],
    ['a missing extent', { gamma: [8], dtype: 1 }, 'nothing gives the extent rows of x; add x or rows'],
    ['an attribute of the wrong type', { x: [4, 8], dtype: 1, axis: 0.5 }, 'axis: 0.5 is not of type int'],
    [
      'an attribute that is no number',
      { x: [4, 8], dtype: 1, epsilon: Infinity },
      'epsilon: Infinity cannot be handed',
    ],
    ['null for a required input', { x: null, D: 8, rows: [], dtype: 1 }, 'x: null, but the argument is required'],
    ['too few values', { x: [4, 8], dtype: 1, values: { gamma: [1] } }, 'values.gamma: 1 values, the tensor has 8'],
    ['values of nothing', { x: [4, 8], dtype: 1, values: { z: [1] } }, 'values.z: there is no present tensor input'],
  ])('%s', (_, row, message) => {
    expect(() => withCase(row)).toThrow(message)
  })

  test('a missing required attribute', () => {
    expect(() => define({ attrs: { epsilon: attr.float() } })).toThrow(
      'case 0: epsilon: there is no default; give a value',
    )
  })
})

describe('a row becomes a case', () => {
  test('shapes of all arguments follow from one, attributes have defaults, dtypes are those of the column', () => {
    const [, kernelCase] = withCase({ x: [2, 3, 8], dtype: 'float32', epsilon: 0.5, bias: null }).staticCases
    expect(kernelCase).toMatchObject({
      task: 'Norm',
      name: 'static 1',
      combination: 1,
      inputs: { x: { dtype: 'float32', shape: [2, 3, 8] }, gamma: { dtype: 'float32', shape: [8] }, bias: null },
      outputs: { y: { dtype: 'float32', shape: [2, 3, 8] }, mean: { dtype: 'float32', shape: [2, 3, 1] } },
      attrs: { epsilon: 0.5, axis: -1, mode: 'mean' },
    })
    expect(kernelCaseSchema.parse(kernelCase)).toEqual(kernelCase)
  })

  test('rows are numbered from 0; a row that gives its id is numbered on from there', () => {
    const row = { x: [2, 8], dtype: 1 }
    const named = define({ cases: [row, { ...row, id: 5 }, row] }).staticCases.map(({ name }) => name)
    expect(named).toEqual(['static 0', 'static 5', 'static 6'])
    expect(() => define({ cases: [row, { ...row, id: 0 }] })).toThrow('case 1: id: 0 is not a number above 0')
  })

  test('content columns reach the draw and stay out of the interface', () => {
    const full = byCase(({ content }) => uniform(Number(content.level), Number(content.level)))
    const task = define({
      inputs: { ...norm.inputs, x: tensor({ dtype: ['float16', 'float32', 'float16'], shape: ['D'], draw: full }) },
      content: { level: attr.float(2) },
      cases: [
        { D: 3, rows: [], bias: null, dtype: 1 },
        { D: 3, rows: [], bias: null, dtype: 1, level: 7 },
      ],
    })
    const drawn = task.staticCases.map((kernelCase) => tensorsOf(task.draw(kernelCase).x).map(toFloat64))
    expect(drawn).toEqual([[Float64Array.of(2, 2, 2)], [Float64Array.of(7, 7, 7)]])
    expect(task.interface.attrs.map(({ name }) => name)).not.toContain('level')
    expect(task.staticCases[1]!.attrs).not.toHaveProperty('level')
    expect(kernelCaseSchema.parse(task.staticCases[1])).toEqual(task.staticCases[1])
    expect(() => define({ content: { axis: attr.int(0) } })).toThrow('content.axis: there is an attribute of that name')
  })

  test('variables say the same as shapes', () => {
    const [, byShape, byVariable] = define({
      cases: [...norm.cases, { x: [2, 8], dtype: 1 }, { rows: [2], D: 8, dtype: 1 }],
    }).staticCases
    expect(byVariable).toMatchObject({ inputs: byShape!.inputs, outputs: byShape!.outputs })
  })

  test('lists: shapes of their own, tied to each other, or a pattern and a length', () => {
    const task = defineTask('Lists', {
      ...norm,
      inputs: {
        x1: tensorList({ dtype: 'float32' }),
        x2: tensorList.like('x1'),
        w: tensorList({ dtype: 'float32', shape: ['K'], length: 'n' }),
        alpha: scalarTensor({ dtype: 'float32' }),
      },
      outputs: { y: tensorList.like('x1') },
      attrs: {},
      golden: () => ({ y: [] }),
      domain: { x1: dim.shapes({ max: 3 }), n: dim({ max: 3 }), K: dim({ max: 9 }) },
      cases: [{ x1: [[1], [2, 3]], n: 2, K: 5, alpha: 3 }],
    })
    expect(task.staticCases[0]).toMatchObject({
      inputs: {
        x2: [{ shape: [1] }, { shape: [2, 3] }],
        w: [{ shape: [5] }, { shape: [5] }],
        alpha: { shape: [], values: [3] },
      },
      outputs: { y: [{ shape: [1] }, { shape: [2, 3] }] },
    })
    const drawn = task.draw(task.staticCases[0]!)
    expect(tensorsOf(drawn.alpha).map(toFloat64)).toEqual([Float64Array.of(3)])
    const [first, second] = [tensorsOf(drawn.x1), tensorsOf(drawn.x2)]
    expect(first.map(({ shape }) => shape)).toEqual([[1], [2, 3]])
    expect(bytesView(first[1]!)).not.toEqual(bytesView(second[1]!))
  })

  test('the interface is plain data of the model', () => {
    const task = define({})
    expect(taskInterface.parse(task.interface)).toEqual(task.interface)
    expect(task.interface.inputs.map(({ name, required }) => [name, required])).toEqual([
      ['x', true],
      ['gamma', true],
      ['bias', false],
    ])
    expect(task.interface.attrs[0]).toEqual({ name: 'epsilon', type: 'float', required: false, default: 1e-6 })
  })
})

test('a case draws the same inputs every time, and others with another seed', () => {
  const task = define({})
  const kernelCase = task.staticCases[0]!
  const bytes = (seed: number) => tensorsOf(task.draw({ ...kernelCase, seed }).x).map(bytesView)
  expect(bytes(5)).toEqual(bytes(5))
  expect(bytes(5)).not.toEqual(bytes(6))
})

test('a golden that forgets an output is the error of the spec', () => {
  const task = define({ golden: () => ({ y: { values: new Float64Array(0) } }) })
  const kernelCase = task.staticCases[0]!
  expect(() => task.golden(task.draw(kernelCase), kernelCase)).toThrow(
    'task Norm: golden: returned nothing for output mean',
  )
})

test('a golden that changes its attributes changes no case', () => {
  const task = define({
    golden: (_, attrs) => {
      Object.assign(attrs, { epsilon: 7 })
      return { y: { values: new Float64Array(0) }, mean: { values: new Float64Array(0) } }
    },
  })
  const kernelCase = task.staticCases[0]!
  const attrs = { ...kernelCase.attrs }
  task.golden(task.draw(kernelCase), kernelCase)
  expect(kernelCase.attrs).toEqual(attrs)
})

test('golden is typed by the definition', () => {
  defineTask('Typed', {
    ...norm,
    attrs: { epsilon: attr.float(1), keep: attr.bool(true), axes: attr.listInt([1]) },
    inputs: { ...norm.inputs, list: tensorList({ dtype: 'float32', shape: ['D'], length: 1 }) },
    golden: (inputs, attrs) => {
      expectTypeOf(inputs.x).toEqualTypeOf<Tensor>()
      expectTypeOf(inputs.bias).toEqualTypeOf<Tensor | null>()
      expectTypeOf(inputs.list).toEqualTypeOf<readonly Tensor[]>()
      expectTypeOf(attrs).toEqualTypeOf<{ readonly epsilon: number; readonly keep: boolean; readonly axes: number[] }>()
      return { y: zeros(inputs.x), mean: zeros(inputs.x) }
    },
  })
})

test('a tolerance or golden that is no function is told with what to give', () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JavaScript lets through
  const wrong = { absolute: 0, relative: 1e-3 } as unknown as TaskDefinition['strict']
  expect(() => define({ strict: wrong })).toThrow(
    'task Norm: strict: is no function: give exact, float32Roundings(n), or () => ({ absolute, relative })',
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JavaScript lets through
  expect(() => define({ golden: 7 as unknown as TaskDefinition['golden'] })).toThrow(
    'task Norm: golden: is no function',
  )
})

const withValues = (dtype: 'float16' | 'int32', values: readonly number[]) =>
  defineTask('Odd', {
    category: 'Math',
    kernel: 'odd',
    inputs: { x: tensor({ dtype, shape: ['n'] }), by: scalarTensor({ dtype: 'float32' }) },
    outputs: { y: tensor.like('x') },
    golden: ({ x }) => ({ y: zeros(x) }),
    domain: { n: dim({ max: 64 }) },
    strict: exact,
    cases: [{ n: values.length, by: NaN, values: { x: values } }],
  })

describe('values that JSON has no numbers for', () => {
  const odd = [NaN, Infinity, -Infinity, -0]
  test('travel with their case', () => {
    const task = withValues('float16', odd)
    const travelled = kernelCaseSchema.parse(JSON.parse(JSON.stringify(task.staticCases[0])))
    expect(travelled).toEqual(task.staticCases[0])
    const { x, by } = task.draw(travelled)
    expect([...toFloat64(tensorsOf(x)[0]!)]).toEqual(odd)
    expect([...toFloat64(tensorsOf(by)[0]!)]).toEqual([NaN])
  })

  test('are none of whole numbers', () => {
    expect(() => withValues('int32', odd)).toThrow('task Odd: case 0: values.x: NaN is no value of int32')
  })
})
