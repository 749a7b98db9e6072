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

  test('is read behind a byte order mark, with annotations and with the line ends of Windows', () => {
    const files = readPack(packOf({ host_operator_src: '\n// host\n' }), 'soft_sign').files
    const text = `\uFEFF${packOf({ host_operator_src: '\n// host\n' })}`
      .replace('host_operator_src =', 'host_operator_src: str =')
      .replaceAll('\n', '\r\n')
    expect(readPack(text, 'soft_sign').files).toEqual(files)
  })

  test.each([
    [
      'of a text that more is made of',
      packOf().replace("host'''", "host'''.upper()"),
      'line 5: `.upper()` is not read',
    ],
    ['of a formatted text', packOf().replace("'''// host", "f'''// host"), 'line 5: a text with the prefix `f`'],
    [
      'of an escape that is none',
      packOf({ host_operator_src: '\\xg' }),
      'line 5: the text that begins here has an escape \\x',
    ],
    ['that is torn', packOf().slice(0, -10), 'line 7: there is a text that does not end'],
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
