import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { bytesOf, bytesView, dtypeNames, sizeOf, storageView, type DType, type Tensor } from '../model/index.ts'
import { messageOf, UserError } from './user-error.ts'

/** What NumPy calls each dtype. It has no bfloat16: those are written as their bit patterns. */
const written: Record<DType, string> = {
  float16: '<f2',
  bfloat16: '<u2',
  float32: '<f4',
  float64: '<f8',
  int8: '|i1',
  uint8: '|u1',
  int16: '<i2',
  uint16: '<u2',
  int32: '<i4',
  uint32: '<u4',
  int64: '<i8',
  uint64: '<u8',
  bool: '|b1',
  complex64: '<c8',
}

const read = new Map(dtypeNames.map((dtype) => [written[dtype], dtype]))
read.set('<u2', 'uint16')
// the bfloat16 of the ml_dtypes package
read.set('<V2', 'bfloat16')
read.set('|V2', 'bfloat16')

const magic = '\x93NUMPY'
/** Bytes per system call; the largest tensors are bigger than a single call may read. */
const chunk = 1 << 28
/** Of one array, as in NumPy. */
const maxDimensions = 64

/** Reads one array. Throws a UserError that names the file and what to do about it. */
export function readNpy(path: string): Tensor {
  let file = -1
  try {
    // a pipe would keep the reader waiting
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const facts = fstatSync(file)
    if (!facts.isFile()) throw new UserError(`${path}: is no regular file; write it with numpy.save`)
    const { size } = facts
    const { dtype, shape, start } = headerOf(file, path)
    const bytes = sizeOf(shape) * bytesOf(dtype)
    if (size - start !== bytes) {
      throw new UserError(`${path}: holds ${size - start} bytes of data, its header says ${bytes}; write it again`)
    }
    const buffer = new ArrayBuffer(bytes)
    fill(file, new Uint8Array(buffer), start)
    return { dtype, shape, data: storageView(dtype, buffer, 0, bytes) }
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(`${path}: cannot be read: ${messageOf(error)}`)
  } finally {
    if (file >= 0) closeSync(file)
  }
}

function headerOf(file: number, path: string): { dtype: DType; shape: number[]; start: number } {
  const prefix = Buffer.alloc(12)
  const got = readSync(file, prefix, 0, 12, 0)
  if (got < 10 || prefix.toString('latin1', 0, 6) !== magic) {
    throw new UserError(`${path}: is no .npy file; write it with numpy.save`)
  }
  const version = prefix[6]!
  if (version < 1 || version > 3)
    throw new UserError(`${path}: .npy version ${version} is unknown; use 1.0, 2.0 or 3.0`)
  const [length, from] = version === 1 ? [prefix.readUInt16LE(8), 10] : [prefix.readUInt32LE(8), 12]
  if (from + length > fstatSync(file).size) throw new UserError(`${path}: ends within its header; write it again`)
  const text = Buffer.alloc(length)
  readSync(file, text, 0, length, from)
  return { ...parseHeader(text.toString('utf8'), path), start: from + length }
}

// A Python dictionary of three entries: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. Other programs use other
// quotes, and Python 2 has written long integers: (3L, 4L)
function parseHeader(text: string, path: string): { dtype: DType; shape: number[] } {
  const description = /(["'])descr\1\s*:\s*(["'])([^"']*)\2/.exec(text)?.[3]
  const order = /(["'])fortran_order\1\s*:\s*(True|False)/.exec(text)?.[2]
  const extents = /(["'])shape\1\s*:\s*\(([\dL,\s]*)\)/.exec(text)?.[2]
  if (description === undefined && /(["'])descr\1\s*:\s*\[/.test(text)) {
    throw new UserError(`${path}: holds records; save one plain array`)
  }
  const listed = extents?.split(',').flatMap((extent) => (extent.trim() === '' ? [] : [extent.trim()]))
  const isRead = description !== undefined && order !== undefined && listed !== undefined
  if (!isRead || listed.some((extent) => !/^\d+L?$/.test(extent))) {
    throw new UserError(`${path}: has a header that cannot be read; write it with numpy.save`)
  }
  if (description.startsWith('>')) {
    throw new UserError(`${path}: is big-endian (${description}); save x.astype(x.dtype.newbyteorder('<'))`)
  }
  const dtype = read.get(description.replace(/^=/, '<'))
  if (dtype === undefined) {
    const known = [...new Set(read.values())].join(', ')
    throw new UserError(`${path}: holds ${description}, which no task takes; the dtypes are ${known}`)
  }
  const shape = listed.map((extent) => Number.parseInt(extent, 10))
  if (shape.length > maxDimensions) {
    throw new UserError(`${path}: has ${shape.length} dimensions; an array has at most ${maxDimensions}`)
  }
  // one row or one column is the same memory in both orders
  if (order === 'True' && shape.filter((extent) => extent > 1).length > 1) {
    throw new UserError(`${path}: is in Fortran order; save numpy.ascontiguousarray(x)`)
  }
  return { dtype, shape }
}

function fill(file: number, bytes: Uint8Array, start: number): void {
  for (let done = 0; done < bytes.length;) {
    done += readSync(file, bytes, done, Math.min(chunk, bytes.length - done), start + done)
  }
}

/** Writes one array, version 1.0. */
export function writeNpy(path: string, tensor: Tensor): void {
  const { dtype, shape } = tensor
  const extents = shape.length === 1 ? `${shape[0]},` : shape.join(', ')
  const text = `{'descr': '${written[dtype]}', 'fortran_order': False, 'shape': (${extents}), }`
  // the data starts at a multiple of 64 bytes
  const padded = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) + '\n'
  const header = Buffer.from(`${magic}\x01\x00\x00\x00${padded}`, 'latin1')
  header.writeUInt16LE(padded.length, 8)
  const file = openSync(path, 'w')
  try {
    writeSync(file, header)
    const bytes = bytesView(tensor)
    for (let done = 0; done < bytes.length;) {
      done += writeSync(file, bytes, done, Math.min(chunk, bytes.length - done))
    }
  } finally {
    closeSync(file)
  }
}
