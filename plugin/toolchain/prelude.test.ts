import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { TaskInterface } from '../model/index.ts'
import type { DescribeAnswer } from '../runner/protocol.ts'
import { columnOf, keepDeclaredOutputs } from './combination.ts'
import { findCompiler } from './compiler.ts'
import {
  dtypeMacros,
  PreludeError,
  preludeText,
  tilingStructMacros,
  tilingStructsText,
  tilingStructWarning,
  type OwnTiling,
} from './prelude.ts'

// compilers and processes take their time on a loaded machine
vi.setConfig({ testTimeout: 120_000 })

const parameter = (name: string, dtypes: string[], formats = ['ND']) =>
  ({ name, paramType: 'required', dtypes, formats }) as const

const operator: DescribeAnswer['operators'][number] = {
  name: 'AddCustom',
  inputs: [parameter('x', ['float16', 'float32']), parameter('y', ['float16', 'float32'], ['FORMAT_NCHW'])],
  outputs: [parameter('x', ['float16', 'float32']), parameter('z', ['int32', 'int64'])],
  attrs: [],
  socs: ['ascend910b'],
  hasTiling: true,
  infers: false,
}

const field = (type: string, name: string, count = 0) => ({ type, name, count, isPlaceholder: false })

describe('tiling structs', () => {
  test('have the layout that the host serialises: natural alignment, nested structs, arrays', async () => {
    const text = tilingStructsText([
      { name: 'Inner', bytes: 16, fields: [field('uint8_t', 'flag'), field('uint64_t', 'length')] },
      {
        name: 'Outer',
        bytes: 40,
        fields: [field('bool', 'on'), field('Inner', 'inner'), field('uint16_t', 'sizes', 5)],
      },
    ])
    const checks = [
      'static_assert(offsetof(Inner, length) == 8 && sizeof(Inner) == 16);',
      'static_assert(offsetof(Outer, inner) == 8 && offsetof(Outer, sizes) == 24 && sizeof(Outer) == 40);',
    ]
    const folder = mkdtempSync(join(tmpdir(), 'prelude-'))
    try {
      const file = join(folder, 'layout.cpp')
      writeFileSync(file, ['#include <cstddef>', '#include <cstdint>', text, ...checks].join('\n'))
      const { path } = await findCompiler()
      execFileSync(path, ['-std=c++17', '-fsyntax-only', file], { stdio: 'pipe' })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('that the kernel headers define are not defined twice', () => {
    const text = tilingStructsText([
      { name: 'TCubeTiling', bytes: 8, fields: [field('int32_t', 'M')] },
      { name: 'MatmulTilingData', bytes: 8, fields: [field('TCubeTiling', 'cube')] },
    ])
    expect(text).toBe('struct MatmulTilingData {\n  TCubeTiling cube;\n};')
  })

  test('that the kernel defines itself are left to it, with those that hold them', () => {
    const structs = [
      { name: 'Inner', bytes: 8, fields: [field('uint64_t', 'length')] },
      { name: 'Outer', bytes: 8, fields: [field('Inner', 'inner')] },
      { name: 'Other', bytes: 8, fields: [field('uint64_t', 'length')] },
    ]
    expect(tilingStructsText(structs, ['Inner'])).toBe('struct Other {\n  uint64_t length;\n};')
  })

  test('cannot smuggle text into the translation unit', () => {
    const evil = [{ name: 'T', bytes: 8, fields: [field('uint8_t', 'x;};\n#include "/etc/passwd"\nstruct U {')] }]
    expect(() => tilingStructsText(evil)).toThrow(PreludeError)
    expect(() => tilingStructsText([{ name: 'T', bytes: 8, fields: [field('Missing', 'x')] }])).toThrow(
      'tiling field x of T has the unknown type Missing',
    )
  })
})

describe('macros', () => {
  test('name the dtypes of one combination; an input wins over an output of the same name', () => {
    const combination = { inputs: ['float16', 'bfloat16'], outputs: ['float32', 'int32'] } as const
    const text = dtypeMacros(operator, { inputs: [...combination.inputs], outputs: [...combination.outputs] }, 0)
    expect(text.split('\n')).toEqual([
      '#define DTYPE_X half',
      '#define ORIG_DTYPE_X DT_FLOAT16',
      '#define FORMAT_X FORMAT_ND',
      '#define DTYPE_Y bfloat16_t',
      '#define ORIG_DTYPE_Y DT_BF16',
      '#define FORMAT_Y FORMAT_NCHW',
      '#define DTYPE_X_REF float',
      '#define ORIG_DTYPE_X_REF DT_FLOAT',
      '#define FORMAT_X_REF FORMAT_ND',
      '#define DTYPE_Z int32_t',
      '#define ORIG_DTYPE_Z DT_INT32',
      '#define FORMAT_Z FORMAT_ND',
    ])
  })

  test('GET_TILING_DATA reads the struct of the operator, else the only one, else what the kernel declares', () => {
    const classes = [
      { operator: 'AddCustom', struct: 'A' },
      { operator: 'AddCustom_101', struct: 'B' },
    ]
    const answer = (tilingClasses: typeof classes): DescribeAnswer => ({
      operators: [],
      tilingStructs: [],
      tilingClasses,
    })
    const read = (registered: typeof classes, own?: OwnTiling): string =>
      tilingStructMacros(answer(registered), 'AddCustom', own).text
    expect(read(classes.slice(0, 1))).toBe('#define NPU_EMU_TILING_STRUCT A')
    expect(read([{ operator: 'Other', struct: 'C' }])).toContain('STRUCT C')
    expect(read([], { tilingStruct: 'ns::Plain' })).toBe('#define NPU_EMU_TILING_STRUCT ns::Plain')
    const own = [{ operator: 'AddCustom', struct: 'C' }]
    expect(read(own, { tilingStruct: 'n::C', defined: ['C'] })).toBe('#define NPU_EMU_TILING_STRUCT n::C')
    expect(read(own, { tilingStruct: 'optiling::C' })).toBe('#define NPU_EMU_TILING_STRUCT C')
    expect(read(own, { tilingStruct: 'Plain', defined: ['Plain'] })).toBe('#define NPU_EMU_TILING_STRUCT Plain')
    expect(preludeText(answer([]), { ...operator, inputs: [], outputs: [] }, { inputs: [], outputs: [] }, 0)).toEqual({
      text: '',
      dependsOnKey: false,
    })
  })
})

const macrosFor = (tilingClasses: DescribeAnswer['tilingClasses'], own?: OwnTiling): string =>
  tilingStructMacros({ operators: [], tilingStructs: [], tilingClasses }, 'AddCustom', own).text

test('GET_TILING_DATA reads the struct of the tiling key, of which a template has to name one', () => {
  const ofAll = { operator: 'AddCustom', struct: 'A' }
  const ofKey = { operator: 'AddCustom_101', struct: 'B' }
  expect(macrosFor([ofAll, ofKey])).toMatch(
    /^#if \(TILING_KEY_VAR == 101\)\n[^]*TILING_STRUCT B\n#endif\n#ifndef NPU_EMU_TILING_STRUCT\n#define NPU_EMU_TILING_STRUCT A\n#endif$/,
  )
  expect(macrosFor([ofAll, { ...ofKey, struct: 'A' }])).toBe('#define NPU_EMU_TILING_STRUCT A')
  expect(() => macrosFor([ofKey])).toThrow('registers B for tiling key 101 of AddCustom, and no struct for AddCustom')
  expect(macrosFor([ofAll, ofKey], { tilingStruct: 'P' })).toBe('#define NPU_EMU_TILING_STRUCT P')
  const ofTwo = [1, 2].map((key) => ({ struct: 'Q', condition: `TILING_KEY_VAR == ${key}` }))
  expect(macrosFor([], { tilingStruct: 'P', structsOfKeys: ofTwo })).toContain(
    '#if (TILING_KEY_VAR == 1) || (TILING_KEY_VAR == 2)\n',
  )
  expect(macrosFor([], { tilingStruct: 'P', structsOfKeys: [{ struct: 'Q', condition: null }] })).toMatch(
    /STRUCT P\n#undef GET_TILING_DATA\n.*static_assert\(false, "GET_TILING_DATA reads/,
  )
})

test('a struct within tiling data is registered by its own name', () => {
  const tilingStructs = [
    { name: 'Inner', bytes: 8, fields: [field('uint64_t', 'length')] },
    { name: 'Outer', bytes: 8, fields: [field('Inner', 'inner')] },
  ]
  const read = (...inner: DescribeAnswer['tilingClasses']): string =>
    tilingStructMacros(
      { operators: [], tilingStructs, tilingClasses: [{ operator: 'AddCustom', struct: 'Outer' }, ...inner] },
      'AddCustom',
    ).text
  expect(() => read()).toThrow('add REGISTER_TILING_DATA_CLASS(InnerOp, Inner)')
  expect(() => read({ operator: 'Inner', struct: 'Inner' })).toThrow(PreludeError)
  expect(read({ operator: 'InnerOp', struct: 'Inner' })).toContain('STRUCT Outer')
})

const warning = (registered: string[], kernel = 'GET_TILING_DATA(data, tiling);'): string | undefined => {
  const tilingClasses = registered.map((name) => ({ operator: name, struct: 'A' }))
  return tilingStructWarning({ operators: [], tilingStructs: [], tilingClasses }, 'AddCustom', kernel)
}

test('tiling data that is registered for another operator is told where the kernel reads it', () => {
  expect(warning(['Other'])).toMatch(/^REGISTER_TILING_DATA_CLASS registers A for Other: /)
  for (const names of [['AddCustom'], ['AddCustom_101'], ['Other', 'AddCustom'], []])
    expect(warning(names)).toBeUndefined()
  expect(warning(['Other'], 'reinterpret_cast<__gm__ A*>(tiling)')).toBeUndefined()
})

test('a combination is found by its dtypes, in both spellings, and only as a whole column', () => {
  const ge = {
    ...operator,
    inputs: [parameter('x', ['DT_FLOAT16', 'DT_FLOAT'])],
    outputs: [parameter('z', ['DT_INT32'])],
  }
  expect(columnOf(ge, { inputs: ['float32'], outputs: ['int32'] })).toBe(1)
  expect(columnOf(operator, { inputs: ['float16', 'float16'], outputs: ['float16', 'int32'] })).toBe(0)
  expect(columnOf(operator, { inputs: ['float16', 'float16'], outputs: ['float16', 'int64'] })).toHaveProperty(
    'problem',
  )
})

test('an operator that works in place may leave out the outputs that overwrite an input, and no others', () => {
  const output = { kind: 'tensor', required: true, dtypes: ['float16'] } satisfies Partial<
    TaskInterface['outputs'][number]
  >
  const outputs = [
    { ...output, name: 'x', aliases: 'x' },
    { ...output, name: 'z' },
  ]
  const task: TaskInterface = {
    name: 'T',
    kernel: 't',
    suite: 'own',
    group: null,
    category: 'Math',
    inputs: [],
    outputs,
    attrs: [],
  }
  const left = (names: string[]) =>
    keepDeclaredOutputs({ ...operator, outputs: names.map((name) => parameter(name, ['float16'])) }, task, ['x', 'z'])
  expect(left(['x', 'z'])).toEqual(['x', 'z'])
  expect(left(['z'])).toEqual(['z'])
  expect(left([])).toEqual(['z'])
})
