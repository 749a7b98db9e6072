import { describe, expect, test } from 'vitest'
import { PackError, readPack } from './pack.ts'

const project = (op: string, type = '"float"'): string =>
  JSON.stringify([
    {
      op,
      input_desc: [{ name: 'x', param_type: 'required', format: ['ND'], type: ['TYPE'] }],
      output_desc: [{ name: 'y', param_type: 'required', format: ['ND'], type: ['TYPE'] }],
      attr: [{ name: 'dim', param_type: 'optional', type: 'int', default_value: '1' }],
    },
  ]).replaceAll('"TYPE"', type)

/** A pack as harnesses write it, with some of its parts replaced. */
const packOf = (parts: Record<string, string> = {}): string => {
  const all = {
    project_json_src: project('SoftSignCustom'),
    host_tiling_src: '// tiling',
    host_operator_src: '// host',
    kernel_src: 'extern "C" __global__ __aicore__ void soft_sign_custom(GM_ADDR x) {}',
    ...parts,
  }
  return Object.entries(all)
    .map(([name, text]) => `${name} = '''${text}'''\n`)
    .join('\n')
}

describe('a pack', () => {
  test('is an operator project: interface, kernel and files', () => {
    const pack = readPack(packOf(), 'soft_sign')
    expect(pack.operator).toBe('SoftSignCustom')
    expect(pack.interface).toMatchObject({
      kernel: 'soft_sign_custom',
      inputs: [{ name: 'x', kind: 'tensor', required: true, dtypes: ['float32'] }],
      outputs: [{ name: 'y', dtypes: ['float32'] }],
      attrs: [{ name: 'dim', type: 'int', required: false }],
    })
    expect([...pack.files.keys()]).toEqual([
      'op_host/soft_sign_custom_tiling.h',
      'op_host/soft_sign_custom.cpp',
      'op_kernel/soft_sign_custom.cpp',
    ])
    expect(pack.model).toBeNull()
  })

  test('is called by the operator where it includes its tiling by that name', () => {
    const parts = { project_json_src: project('Pool1dCustom'), host_operator_src: '#include "pool1d_custom_tiling.h"' }
    expect([...readPack(packOf(parts), 'pool_1d').files.keys()]).toContain('op_kernel/pool1d_custom.cpp')
    expect([...readPack(packOf(), 'pool_1d').files.keys()]).toContain('op_kernel/pool_1d_custom.cpp')
  })

  test('keeps escapes as Python reads them, and none in raw strings', () => {
    const text = packOf({ host_operator_src: String.raw`"a\n" '\\' \d` })
    expect(readPack(text, 'soft_sign').files.get('op_host/soft_sign_custom.cpp')).toBe(`"a\n" '\\' \\d`)
    const raw = text.replace("host_operator_src = '''", "host_operator_src = r'''")
    expect(readPack(raw, 'soft_sign').files.get('op_host/soft_sign_custom.cpp')).toBe(String.raw`"a\n" '\\' \d`)
  })

  test.each<[string, string, string]>([
    ['quotes behind a backslash, which end none', String.raw`'''a \''' b'''`, "a ''' b"],
    ['quotes behind a backslash in a raw one', String.raw`r'''a \''' b'''`, "a \\''' b"],
    ['all escapes', String.raw`'''\x41\0\101\a\b\f\v\u00e9\U0001f600\q'''`, 'A\0A\x07\b\f\v\u00e9\u{1f600}\\q'],
    ['continued lines', '"a\\\nb"', 'ab'],
    ['prefixes', 'R"""\\n"""', '\\n'],
    ['brackets and comments', '( # one\n"""a""" # two\n  "b"\n)', 'ab'],
    ['sums', '"a" + \'b\' \\\n + "c" ; x = 1', 'abc'],
    ['what is stripped', '"""\n a\n""".strip()', 'a'],
    ['what is added later', '"a"\nhost_operator_src += "b"', 'ab'],
    ['a line that looks like a part within one', '"""\nkernel_src = \'x\'\n"""', "\nkernel_src = 'x'\n"],
  ])('reads %s as Python does', (_, written, host) => {
    const text = packOf().replace("'''// host'''", () => written)
    const { files, interface: read } = readPack(text, 'soft_sign')
    expect(files.get('op_host/soft_sign_custom.cpp')).toBe(host)
    expect(read.kernel).toBe('soft_sign_custom')
  })

  test('is read behind a byte order mark, with annotations and with the line ends of Windows', () => {
    const files = readPack(packOf({ host_operator_src: '\n// host\n' }), 'soft_sign').files
    const text = `\uFEFF${packOf({ host_operator_src: '\n// host\n' })}`
      .replace('host_operator_src =', 'host_operator_src: str =')
      .replaceAll('\n', '\r\n')
    expect(readPack(text, 'soft_sign').files).toEqual(files)
  })

  test('of any size is read once', { timeout: 5000 }, () => {
    for (const part of ['c = (\n', "c = \\'", 'c: ', "c = ' \\\n", 'c = "" ', 'c = """\\"""\n"""\n'])
      expect(readPack(`${packOf()}\n${part.repeat(300_000)}\n`, 'soft_sign').operator).toBe('SoftSignCustom')
  })

  test.each([
    ['of a text that more is made of', packOf().replace("host'''", "host'''.upper()"), 'host_operator_src is no text'],
    ['of a formatted text', packOf().replace("'''// host", "f'''// host"), 'host_operator_src is no text'],
    ['of an escape that is none', packOf({ host_operator_src: '\\xg' }), 'host_operator_src has an escape \\x'],
    ['that is torn', packOf().slice(0, -10), 'kernel_src has a text that does not end'],
    ['without a part', packOf().replace('kernel_src', 'kernel_source'), 'the pack has no kernel_src'],
    ['whose project is no JSON', packOf({ project_json_src: '{' }), 'project_json_src is no JSON'],
    ['without an operator', packOf({ project_json_src: '[{}]' }), 'project_json_src: op:'],
    ['of a type that nobody knows', packOf({ project_json_src: project('A', '"fp7"') }), 'x has the unknown type fp7'],
  ])('%s is refused in one line', (_, text, message) => {
    const read = (): unknown => readPack(text, 'soft_sign')
    expect(read).toThrow(PackError)
    expect(read).toThrow(message)
  })
})
