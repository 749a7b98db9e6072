import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { presetNames, readPresets } from './cmake-presets.ts'

const file = 'CMakePresets.json'
const preset = (name: string, value: unknown = { value: 'x' }, kind = 'cacheVariables'): string =>
  JSON.stringify({ configurePresets: [{ [kind]: { [name]: value } }] })
const names = (text: string): string[] => [...presetNames(file, text)]

test('presets tell which variables they set', () => {
  expect(names(preset('CMAKE_INSTALL_PREFIX'))).toEqual(['CMAKE_INSTALL_PREFIX'])
  expect(names(`\uFEFF${preset('A', 'x', 'environment')}`)).toEqual(['ENV{A}'])
  // as the vendor's template does
  for (const value of ['/usr/local/Ascend/latest', '$env{ASCEND_HOME_PATH}', '$penv{ASCEND_HOME_PATH}/x'])
    expect(names(preset('ASCEND_CANN_PACKAGE_PATH', { type: 'PATH', value }))).toEqual([])
  for (const value of ['${sourceDir}/bad', '/usr/local/Ascend/../bad', '/c', '$env{WHERE}'])
    expect(names(preset('ASCEND_CANN_PACKAGE_PATH', value))).toEqual(['ASCEND_CANN_PACKAGE_PATH'])
})

test('presets that have CMake read other files or give options are refused, and those that it would not read', () => {
  for (const name of [
    'CMAKE_PROJECT_INCLUDE',
    'CMAKE_CXX_FLAGS',
    'CMAKE_TOOLCHAIN_FILE',
    'CMAKE_POLICY_DEFAULT_CMP0012',
    'CPLUS_INCLUDE_PATH',
  ])
    for (const mark of ['', '\uFEFF'])
      expect(() => names(mark + preset(name))).toThrow(`${file}: ${name} is not followed here: leave it out`)
  for (const text of ['no JSON', '', '{} {}', '// a comment\n{}'])
    expect(() => names(text)).toThrow(`${file} is no JSON that CMake would read`)
})

let folder: string
beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), 'npu-presets-')))))
afterEach(() => rmSync(folder, { recursive: true }))

const set = (name: string, value: unknown) => () => names(preset(name, value))

test('presets by which a build would compile otherwise are refused', () => {
  for (const [name, ...values] of [
    ['CMAKE_BUILD_TYPE', 'Debug', '', { type: 'STRING', value: 'None' }],
    ['CMAKE_CXX_STANDARD', '20'],
    ['CMAKE_CXX_COMPILER', '/usr/bin/g++;-DX', '${sourceDir}/g++'],
    ['CMAKE_CXX_COMPILER_LAUNCHER', '${sourceDir}/own.sh'],
    ['CMAKE_SHARED_LINKER_FLAGS', '-Wl,--wrap=f'],
    ['CXX', 'g++ -DX'],
    ['LDFLAGS', '-Wl,--wrap=f'],
    ['ASCEND_COMPUTE_UNIT', 'ascend310p', { type: 'STRING', value: 'ascend310p;ascend950' }],
  ] as const)
    for (const value of values) expect(set(name, value)).toThrow(`${file}: ${name} is not followed here: leave it out`)
  for (const [name, value] of [
    ['CMAKE_BUILD_TYPE', { type: 'STRING', value: 'Release' }],
    ['CMAKE_CXX_STANDARD', '17'],
    ['CMAKE_CXX_COMPILER', 'g++'],
    ['CMAKE_CROSS_PLATFORM_COMPILER', { type: 'PATH', value: '/usr/bin/aarch64-linux-gnu-g++' }],
    ['CMAKE_CXX_COMPILER_LAUNCHER', 'ccache'],
    ['ASCEND_COMPUTE_UNIT', { type: 'STRING', value: 'ascend310p;ascend910b' }],
  ] as const)
    expect(set(name, value)()).toEqual([name])
})

test('a link leads to presets within the candidate', () => {
  expect([...readPresets(folder)]).toEqual([])
  writeFileSync(join(folder, 'own.json'), preset('A'))
  symlinkSync('own.json', join(folder, 'CMakeUserPresets.json'))
  expect([...readPresets(folder)]).toEqual(['A'])
  mkdirSync(join(folder, 'folder'))
  for (const target of ['/etc/hostname', 'none', 'folder', file]) {
    symlinkSync(target, join(folder, file))
    expect(() => readPresets(folder)).toThrow(`${file} is no file of the candidate: put a copy there`)
    rmSync(join(folder, file))
  }
})
