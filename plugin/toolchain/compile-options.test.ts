import { expect, test } from 'vitest'
import { readCompileOptions } from './compile-options.ts'

const read = (text: string, operator = 'AddCustom') => readCompileOptions(operator, [{ folder: '/c/op_kernel', text }])

test('without options nothing is defined and auto-sync is on', () => {
  expect(read('project(opp)')).toEqual({ defines: [], includes: [], autoSync: true })
})

test('macros, include folders and auto-sync are taken in both spellings of the command', () => {
  const modern = `add_ops_compile_options(
      OP_NAME AddCustom   # which one
      OPTIONS --cce-auto-sync=off -DMODE=2 -D FAST "-I../common" -I \${CMAKE_CURRENT_SOURCE_DIR}/inc
              -Wno-deprecated-declarations -Werror)`
  expect(read(modern)).toEqual({
    defines: ['-DMODE=2', '-DFAST'],
    includes: ['/c/common', '/c/op_kernel/inc'],
    autoSync: false,
  })
  expect(read('add_ops_compile_options(AddCustom COMPUTE_UNIT ascend910b OPTIONS -DOLD)').defines).toEqual(['-DOLD'])
  expect(read('add_ops_compile_options(ALL OPTIONS -g -O0 -DALL_OF_THEM)').defines).toEqual(['-DALL_OF_THEM'])
})

test('options of another operator and commented ones are ignored', () => {
  expect(read('add_ops_compile_options(OP_NAME Sqrt OPTIONS --cce-auto-sync=off)').autoSync).toBe(true)
  expect(read('# add_ops_compile_options(ALL OPTIONS -DX)').defines).toEqual([])
})

test('the nearest file has the last word', () => {
  const far = { folder: '/c', text: 'add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)' }
  const near = { folder: '/c/op_kernel', text: 'add_ops_compile_options(ALL OPTIONS --cce-auto-sync=on)' }
  expect(readCompileOptions('AddCustom', [near, far]).autoSync).toBe(true)
  expect(readCompileOptions('AddCustom', [far, near]).autoSync).toBe(false)
})

test('an option is never a way to pass anything else to the compiler', () => {
  const { defines, includes } = read(
    'add_ops_compile_options(ALL OPTIONS -fplugin=x.so -D-include -include /etc/passwd)',
  )
  expect({ defines, includes }).toEqual({ defines: [], includes: [] })
})

test('an operator is named as its folder is as well', () => {
  const text = 'add_ops_compile_options(OP_NAME layer_norm_v4 OPTIONS -DWIDE=1)'
  expect(readCompileOptions('LayerNormV4', [{ folder: '/x', text }]).defines).toEqual(['-DWIDE=1'])
  expect(readCompileOptions('LayerNormV3', [{ folder: '/x', text }]).defines).toEqual([])
})
