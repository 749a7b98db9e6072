import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { bytesView, dtypeNames, emptyTensor } from '../model/index.ts'
import { readNpy, writeNpy } from './npy.ts'

const folder = mkdtempSync(join(tmpdir(), 'npy-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'x.npy')

/** A file as the format describes it: magic, version, length of the header in 2 or 4 bytes, header, data. */
function file(header: string, data: Uint8Array, version = 1): string {
  const length = Buffer.alloc(version === 1 ? 2 : 4)
  if (version === 1) length.writeUInt16LE(header.length + 1)
  else length.writeUInt32LE(header.length + 1)
  writeFileSync(
    path,
    Buffer.concat([
      Buffer.from([0x93]),
      Buffer.from(`NUMPY`),
      Buffer.from([version, 0]),
      length,
      Buffer.from(`${header}\n`),
      data,
    ]),
  )
  return path
}

const header = (descr: string, shape: string, order = 'False') =>
  `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }`

test.each([1, 2, 3])('reads version %d', (version) => {
  const tensor = readNpy(file(header('<i2', '(2, 3)'), Uint8Array.of(1, 0, 2, 0, 3, 0, 255, 255, 0, 1, 6, 0), version))
  expect(tensor).toEqual({ dtype: 'int16', shape: [2, 3], data: Int16Array.of(1, 2, 3, -1, 256, 6) })
})

test.each([
  ['<f2', 'float16'],
  ['<f4', 'float32'],
  ['<f8', 'float64'],
  ['|i1', 'int8'],
  ['|u1', 'uint8'],
  ['<i8', 'int64'],
  ['<u8', 'uint64'],
  ['=u4', 'uint32'],
  ['|b1', 'bool'],
  ['<c8', 'complex64'],
  ['<V2', 'bfloat16'],
])('reads %s as %s, scalars and empty arrays too', (descr, dtype) => {
  const { data } = emptyTensor(readNpy(file(header(descr, '(0,)'), new Uint8Array())).dtype, [])
  expect(readNpy(file(header(descr, '()'), bytesView({ dtype: 'uint8', shape: [], data })))).toMatchObject({
    dtype,
    shape: [],
  })
})

test.each(dtypeNames)('reads back the %s it wrote', (dtype) => {
  const tensor = emptyTensor(dtype, [3, 5])
  const bytes = bytesView(tensor)
  for (let i = 0; i < bytes.length; i++) bytes[i] = (37 * i) & 0x7f
  writeNpy(path, tensor)
  const back = readNpy(path)
  expect(back.dtype).toBe(dtype === 'bfloat16' ? 'uint16' : dtype)
  expect(back.shape).toEqual([3, 5])
  expect(bytesView(back)).toEqual(bytes)
})

test('writes what NumPy writes: the length in the header, data at a multiple of 64 bytes', () => {
  writeNpy(path, { dtype: 'float32', shape: [3], data: Float32Array.of(1, 2, 3) })
  const bytes = readFileSync(path)
  expect(bytes.subarray(0, 10)).toEqual(Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0]))
  expect(bytes.toString('latin1', 10, 128)).toBe(
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }".padEnd(117) + '\n',
  )
  expect(bytes).toHaveLength(128 + 12)
})

test.each([
  "{'descr': '|u1', 'fortran_order': False, 'shape': (1L, 3L), }",
  '{"descr" : "|u1", "fortran_order":False, "shape":(1,3)}',
])('reads %s', (written) => expect(readNpy(file(written, Uint8Array.of(1, 2, 3))).shape).toEqual([1, 3]))

test('one row in Fortran order is the same memory', () => {
  expect(readNpy(file(header('|u1', '(1, 3)', 'True'), Uint8Array.of(1, 2, 3))).shape).toEqual([1, 3])
})

describe('says in one line what is wrong with a file, and what to do', () => {
  const data = new Uint8Array(24)
  test.each<[string, () => string, string]>([
    ['no file', () => join(folder, 'none.npy'), 'cannot be read: ENOENT'],
    ['a folder', () => folder, 'is no regular file; write it with numpy.save'],
    [
      'a pipe that nobody writes to',
      () => {
        const pipe = join(folder, 'pipe.npy')
        execFileSync('mkfifo', [pipe])
        return pipe
      },
      'is no regular file; write it with numpy.save',
    ],
    [
      'another format',
      () => (writeFileSync(path, 'PK\x03\x04 and so on'), path),
      'is no .npy file; write it with numpy.save',
    ],
    ['an empty file', () => (writeFileSync(path, ''), path), 'is no .npy file'],
    [
      'a version from the future',
      () => file(header('<f4', '(6,)'), data, 4),
      '.npy version 4 is unknown; use 1.0, 2.0 or 3.0',
    ],
    [
      'a cut header',
      () => (writeFileSync(path, readFileSync(file(header('<f4', '(6,)'), data)).subarray(0, 40)), path),
      'ends within its header; write it again',
    ],
    ['cut data', () => file(header('<f4', '(7,)'), data), 'holds 24 bytes of data, its header says 28; write it again'],
    ['data left over', () => file(header('<f4', '(5,)'), data), 'holds 24 bytes of data, its header says 20'],
    ['extents that are no numbers', () => file(header('<f4', '(L, 6)'), data), 'has a header that cannot be read'],
    ['a header of something else', () => file('hello', data), 'has a header that cannot be read'],
    [
      'records',
      () => file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }", data),
      'holds records; save one plain array',
    ],
    [
      'big-endian data',
      () => file(header('>f4', '(6,)'), data),
      "is big-endian (>f4); save x.astype(x.dtype.newbyteorder('<'))",
    ],
    [
      'Fortran order',
      () => file(header('<f4', '(2, 3)', 'True'), data),
      'is in Fortran order; save numpy.ascontiguousarray(x)',
    ],
    [
      'more dimensions than an array has',
      () => file(header('|u1', `(${'1, '.repeat(65)})`), Uint8Array.of(7)),
      'has 65 dimensions; an array has at most 64',
    ],
    ['texts', () => file(header('<U6', '(1,)'), data), 'holds <U6, which no task takes; the dtypes are float16, '],
  ])('%s', (_, make, message) => {
    const where = make()
    expect(() => readNpy(where)).toThrow(`${where}: ${message}`)
  })
})
