import { expect, test } from 'vitest'
import type { DType } from '../model/index.ts'
import { compileOptionWords } from '../toolchain/compile-options.ts'
import { filledPresets, includeOptions, kernelList, operatorPrototype } from './operator-project.ts'

const argument = (name: string, kind: 'tensor' | 'tensorList', required: boolean) => ({
  name,
  kind,
  required,
  dtypes: ['float32', 'float16'] as DType[],
})

test('the prototype has a column for each dtype combination that is built', () => {
  const task = {
    name: 'Scale',
    kernel: 'scale',
    suite: 'own',
    group: null,
    category: 'Math',
    inputs: [argument('x', 'tensorList', true), argument('m', 'tensor', false)],
    outputs: [argument('y', 'tensor', true)],
    attrs: [{ name: 'dims', type: 'listInt' as const, required: false }],
  }
  const columns = (['float32', 'float16'] satisfies DType[]).map((dtype) => ({
    inputs: [dtype, dtype],
    outputs: [dtype],
  }))
  expect(JSON.parse(operatorPrototype(task, columns))).toEqual([
    {
      op: 'Scale',
      language: 'cpp',
      input_desc: [
        { name: 'x', param_type: 'dynamic', format: ['ND', 'ND'], type: ['float', 'float16'] },
        { name: 'm', param_type: 'optional', format: ['ND', 'ND'], type: ['float', 'float16'] },
      ],
      output_desc: [{ name: 'y', param_type: 'required', format: ['ND', 'ND'], type: ['float', 'float16'] }],
      attr: [{ name: 'dims', param_type: 'optional', type: 'list_int' }],
    },
  ])
})

test('presets keep what the generator has set, and get toolkit and vendor', () => {
  const variables = {
    ASCEND_COMPUTE_UNIT: { type: 'STRING', value: 'ascend910b' },
    vendor_name: { value: 'customize' },
  }
  const text = JSON.stringify({ version: 1, configurePresets: [{ name: 'default', cacheVariables: variables }] })
  const { version, configurePresets } = JSON.parse(filledPresets(text, { home: '/cann', vendor: 'mine' }))
  expect(version).toBe(1)
  expect(configurePresets[0].cacheVariables).toMatchObject({
    ASCEND_COMPUTE_UNIT: { value: 'ascend910b' },
    ASCEND_CANN_PACKAGE_PATH: { value: '/cann' },
    vendor_name: { value: 'mine' },
  })
  expect(() => filledPresets('{}', { home: '', vendor: '' })).toThrow('no CMakePresets.json that can be read')
})

test('compile options go to the kernels of projects of both kinds', () => {
  expect(kernelList('add_kernels_compile()', ['-O2'])).toBe(
    'add_ops_compile_options(ALL OPTIONS -O2)\nadd_kernels_compile()',
  )
  expect(kernelList('npu_op_kernel_library(ascendc_kernels SRC_BASE x)', ['-O2'])).toContain(
    '\nnpu_op_kernel_options(ascendc_kernels ALL OPTIONS -O2)\n',
  )
  expect(kernelList('as it is', [])).toBe('as it is')
})

const words = (options: readonly string[]) =>
  compileOptionWords('Scale', [{ folder: '/c', text: `add_ops_compile_options(ALL OPTIONS ${options.join(' ')})` }])

test('plain options of a compiler are handed on', () => {
  const kept = ['-DA=1', '--cce-auto-sync=off', '-O3', '-g', '-Wno-unused', '--std=c++17', '-fno-strict-aliasing']
  const ofGenerator = ['-mllvm', '-cce-aicore-stack-size=0x8000']
  expect(words([...kept, '--save-temp-files', '-I/c/inc', ...ofGenerator])).toEqual([...kept, ...ofGenerator])
})

test('options that name a program or a file, in whatever spelling, are refused', () => {
  for (const option of [
    '-fplugin=x.so',
    '-include /etc/passwd',
    '-MF/home/me/.bashrc',
    '-o/tmp/x',
    '-Brel',
    '-xc',
    '-resource-dir=/x',
    '--config=x',
    '-Wl,-o,x',
    '-Wp,-MF,x',
    '-save-temps=obj',
    '-idirafter/etc',
    '-dumpdir/x',
    '-iquote/etc',
    '-L/x',
    '-lx',
    '@x',
  ])
    expect(() => words([option])).toThrow('CMakeLists.txt:1: ')
})

test('include folders are those of the kernel, and one word each', () => {
  const odd = ['a -o/home/me/.bashrc', 'a;b', 'a)b', 'a$b', 'a:b'].map((name) => `/c/op_kernel/${name}`)
  expect(includeOptions(odd, '/c/op_kernel')).toEqual([])
  expect(includeOptions(['/c/op_kernel', '/c/op_kernel/in', '/etc'], '/c/op_kernel')).toEqual([
    '-I${CMAKE_CURRENT_SOURCE_DIR}',
    '-I${CMAKE_CURRENT_SOURCE_DIR}/in',
  ])
})
