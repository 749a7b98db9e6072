import type { ProjectFile } from '../model/index.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxAnswer, readAnswer, writeFiles } from './answer.ts'
import type { Answer } from './types.ts'

const kernel = { path: 'op_kernel/add.cpp', content: '#include "kernel_operator.h"\nint a;\n' }
const host = { path: 'op_host/add.cpp', content: '#include "register/op_def_registry.h"\n' }
const read = (answer: string): Answer => readAnswer(answer, 'full')
const reasonOf = (answer: Answer): string => (answer.kind === 'files' ? 'files' : `${answer.kind}: ${answer.reason}`)

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/)
const path = fc
  .tuple(fc.constantFrom('op_host', 'op_kernel'), fc.array(name, { maxLength: 2 }), name, fc.constantFrom('.cpp', '.h'))
  .map(([folder, parts, last, end]) => `${[folder, ...parts, last].join('/')}${end}`)
const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replaceAll('\n', ' ')),
  fc.constantFrom(
    '',
    '```',
    '```cpp',
    '~~~',
    '</file>',
    '  </file>',
    '// ```',
    'int a;\r',
    '{{kernel}}',
    'kernel_src = """',
  ),
)
// what a file may hold: anything but a line that opens a file, all of it in one fenced block, or nothing
const content = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => `#pragma once\n${lines.join('\n')}\n`)

test('files in our own form come back as they are, whatever they hold', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ path, content }), { minLength: 1, maxLength: 4, selector: (file) => file.path }),
      fc.constantFrom('', 'Here it is:\n\n', '```\n', '<think>op_kernel/x.cpp</think>\n'),
      fc.constantFrom('', '\n\nThat should work.', '\n```\n'),
      (files, before, after) => {
        const withKernel = [...files, kernel]
        expect(read(`${before}${writeFiles(withKernel)}${after}`)).toEqual({ kind: 'files', files: withKernel })
      },
    ),
    { numRuns: 500 },
  )
})

test('nothing that a model may answer is an exception', () => {
  const piece = fc.oneof(
    line,
    path.map((file) => `<file path="${file}">`),
    path.map((file) => `\`\`\`cpp ${file}`),
    fc.constantFrom(
      'kernel_src = r"""',
      "project_json_src = '''[]'''",
      "host_operator_src=''",
      '<file path="',
      '<file path="">',
    ),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.constantFrom('full', 'kernel-only'), (pieces, mode) => {
      const answer = readAnswer(pieces.join('\n'), mode)
      if (answer.kind !== 'files') expect(answer.reason).toMatch(/./)
      else expect(answer.files.every((file) => /^op_(?:host|kernel)\//.test(file.path))).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

test('a block that a model puts around a source within the tags is no part of it', () => {
  const wrapped = `<file path="${kernel.path}">\n\`\`\`cpp\n${kernel.content}\`\`\`\n</file>`
  expect(read(wrapped)).toEqual({ kind: 'files', files: [kernel] })
})

test('line ends of Windows stay in a file, and hide no tag', () => {
  const answer = `<file path='${kernel.path}'>\r\nint a;\r\n</file>\r\n`
  expect(read(answer)).toEqual({ kind: 'files', files: [{ path: kernel.path, content: 'int a;\r\n' }] })
})

describe('fenced blocks say their path', () => {
  test.each([
    ['in the info string', `\`\`\`cpp ${kernel.path}\n${kernel.content}\`\`\``],
    ['behind a colon', `\`\`\`cpp:${kernel.path}\n${kernel.content}\`\`\``],
    ['as an attribute', `\`\`\`cpp title="${kernel.path}"\n${kernel.content}\`\`\``],
    ['in the line before', `**\`${kernel.path}\`**\n\n\`\`\`cpp\n${kernel.content}\`\`\``],
    ['in a heading', `### 1. ${kernel.path}\n~~~\n${kernel.content}~~~`],
  ])('%s', (_, answer) => {
    expect(read(answer)).toEqual({ kind: 'files', files: [kernel] })
  })

  test('in their first line, which stays', () => {
    const content = `// ${kernel.path}\n${kernel.content}`
    expect(read(`\`\`\`cpp\n${content}\`\`\``)).toEqual({ kind: 'files', files: [{ path: kernel.path, content }] })
  })

  test('others are no files', () => {
    const answer = `First:\n\`\`\`sh\nmake\n\`\`\`\n\`\`\`cpp ${host.path}\n${host.content}\`\`\`\n${kernel.path}:\n\`\`\`\`\n\`\`\`\n\`\`\`\`\n`
    expect(read(answer)).toEqual({ kind: 'files', files: [host, { path: kernel.path, content: '```\n' }] })
  })
})

const pack = `
project_json_src = '''
[{"op": "AddCustom", "language": "cpp", "input_desc": [], "output_desc": [], "attr": []}]
'''
host_tiling_src = """#pragma once
"""
host_operator_src = """
#include "add_custom_tiling.h"
"""
kernel_src = """
extern "C" __global__ __aicore__ void add_custom() {}
"""
`

test('a pack has three sources', () => {
  const answer = read(`Here:\n\`\`\`python${pack}\`\`\`\n`)
  expect(answer.kind === 'files' ? answer.files.map((file) => file.path) : reasonOf(answer)).toEqual([
    'op_host/add_custom_tiling.h',
    'op_host/add_custom.cpp',
    'op_kernel/add_custom.cpp',
  ])
  expect(reasonOf(read(pack.replace('host_tiling_src', 'other')))).toBe(
    'unusable-answer: the pack has no host_tiling_src',
  )
})

const tagged = (...files: ProjectFile[]): string => writeFiles(files)

describe('an answer that cannot be taken says why', () => {
  test.each<[string, string, string]>([
    ['empty', '', 'no-answer: the answer is empty'],
    ['blank', ' \n\t\n', 'no-answer: the answer is empty'],
    [
      'a refusal',
      "I'm sorry,\nI cannot help.",
      `no-answer: there is no file in it; it begins "I'm sorry, I cannot help."`,
    ],
    [
      'a block without a path',
      '```cpp\nint a;\n```',
      'no-answer: there is no file in it; it begins "```cpp int a; ```"',
    ],
    [
      'a cut tag',
      `${tagged(host)}\n<file path="${kernel.path}">\nint`,
      'unusable-answer: op_kernel/add.cpp is cut off: its block has no </file>',
    ],
    [
      'a first tag without its end',
      `<file path="${host.path}">\nint\n${tagged(kernel)}`,
      'unusable-answer: op_host/add.cpp is cut off: its block has no </file>',
    ],
    [
      'a cut fence',
      `\`\`\`cpp ${kernel.path}\nint a`,
      'unusable-answer: op_kernel/add.cpp is cut off: it has no closing fence',
    ],
    [
      'a cut fence after a file',
      `\`\`\`cpp ${kernel.path}\n${kernel.content}\`\`\`\n\`\`\`cpp\nint`,
      'unusable-answer: the last block is cut off: it has no closing fence',
    ],
    ['a duplicate', tagged(kernel, host, kernel), 'unusable-answer: op_kernel/add.cpp is given twice'],
    [
      'an extra file',
      tagged(kernel, { path: 'CMakeLists.txt', content: 'x' }),
      'unusable-answer: CMakeLists.txt does not lie below op_host/ or op_kernel/',
    ],
    [
      'a folder',
      tagged(kernel, { path: 'op_kernel/', content: 'x' }),
      'unusable-answer: op_kernel/ does not lie below op_host/ or op_kernel/',
    ],
    [
      'an absolute path',
      tagged({ path: '/op_kernel/a.cpp', content: 'x' }),
      'unusable-answer: /op_kernel/a.cpp does not lie below op_host/ or op_kernel/',
    ],
    [
      'a path that climbs out',
      tagged({ path: '../op_kernel/a.cpp', content: 'x' }),
      'unusable-answer: ../op_kernel/a.cpp does not lie below op_host/ or op_kernel/',
    ],
    [
      'a path that climbs out later',
      tagged({ path: 'op_kernel/../../a.cpp', content: 'x' }),
      'unusable-answer: op_kernel/../../a.cpp is no path below the folder of a sample',
    ],
    [
      'a path without an end',
      tagged({ path: 'op_kernel/a\0.cpp', content: 'x' }),
      'is no path below the folder of a sample',
    ],
    ['no kernel', tagged(host), 'unusable-answer: has no .cpp file in op_kernel'],
    [
      'an empty file',
      tagged(kernel, { path: 'op_host/a.cpp', content: '\n' }),
      'unusable-answer: op_host/a.cpp is empty',
    ],
  ])('%s', (_, answer, reason) => {
    expect(reasonOf(read(answer))).toContain(reason)
  })

  test('too long, without being looked at', () => {
    const before = performance.now()
    const answer = `${tagged(kernel)}\n${'```a '.repeat(20 << 20)}`
    expect(reasonOf(read(answer))).toMatch(/^unusable-answer: the answer has \d+ characters: at most 4194304 are read$/)
    expect(performance.now() - before).toBeLessThan(2000)
  })

  test('as long as can be, in little time', () => {
    for (const unit of ['```\n', '```x\n', '``` ', '<file path="a">\n', '<file ', 'op_kernel/', '\n', 'a/']) {
      const before = performance.now()
      expect(read(unit.repeat(Math.floor(maxAnswer / unit.length))).kind).not.toBe('files')
      expect(performance.now() - before).toBeLessThan(5000)
    }
  })

  test('of marks that open nothing, in little time', () => {
    const before = performance.now()
    expect(read(`${'~'.repeat(1 << 20)}\``).kind).toBe('no-answer')
    expect(performance.now() - before).toBeLessThan(1000)
  })

  test('a host part where it is given', () => {
    expect(reasonOf(readAnswer(tagged(host, kernel), 'kernel-only'))).toBe(
      'unusable-answer: op_host/add.cpp belongs to the host part, which is given: the answer may have files below op_kernel/ only',
    )
    expect(readAnswer(tagged(kernel), 'kernel-only')).toEqual({ kind: 'files', files: [kernel] })
  })
})
