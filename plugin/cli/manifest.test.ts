import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyTensor, type DType } from '../model/index.ts'
import { attr, defineTask, dim, exact, scalarTensor, tensor, tensorList } from '../task/index.ts'
import { readManifest } from './manifest.ts'
import { writeNpy } from './npy.ts'

const folder = mkdtempSync(join(tmpdir(), 'npu-manifest-'))
afterAll(() => rmSync(folder, { recursive: true }))
const save = (name: string, dtype: DType, shape: number[]) => writeNpy(join(folder, name), emptyTensor(dtype, shape))

beforeAll(() => {
  save('x.npy', 'float32', [2, 4])
  save('gamma.npy', 'float32', [4])
  save('half.npy', 'float16', [2, 4])
  save('int.npy', 'int32', [2, 4])
  save('five.npy', 'float32', [5])
  save('bits.npy', 'uint16', [4])
  save('one.npy', 'float32', [1])
})

const nothing = { values: new Float64Array() }
const common = { level: 2 as const, category: 'Norm', strict: exact }
const norm = defineTask('Norm', {
  ...common,
  kernel: 'norm',
  inputs: {
    x: tensor({ dtype: ['float16', 'bfloat16', 'float32'], shape: ['...rows', 'D'] }),
    gamma: tensor({ dtype: ['float32', 'bfloat16', 'float32'], shape: ['D'] }),
    mask: tensor({ dtype: 'bool', shape: ['D'], optional: true }),
  },
  outputs: { y: tensor.like('x'), top: tensor({ dtype: 'float32', shape: ['k'] }) },
  attrs: { epsilon: attr.float(1e-6) },
  golden: () => ({ y: nothing, top: nothing }),
  domain: { D: dim({ max: 4 }) },
  cases: [{ x: [1, 4], mask: null, k: 1, dtype: 2 }],
})
const list = defineTask('List', {
  ...common,
  kernel: 'list',
  inputs: { x: tensorList({ dtype: 'float32' }), alpha: scalarTensor({ dtype: 'float32' }) },
  outputs: { y: tensorList.like('x') },
  golden: () => ({ y: [nothing] }),
  domain: { x: dim.shapes({ max: 4 }) },
  cases: [{ x: [[1]], alpha: 1 }],
})

/** Reads a manifest of this content; `<file>` in a message stands for its name. */
function read(content: unknown, task = norm) {
  const path = join(folder, 'manifest.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return readManifest(task, path)
}
const place = relative(process.cwd(), join(folder, 'manifest.json'))

const good = { x: 'x.npy', gamma: 'gamma.npy' }
const outputs = { top: [3] }

test('files become a case: dtypes choose the combination, shapes the extents, null is absent', () => {
  const { kernelCase, inputs } = read({ inputs: { ...good, mask: null }, attrs: { epsilon: 0.5 }, outputs })
  expect(kernelCase).toMatchObject({
    task: 'Norm',
    combination: 2,
    inputs: { x: { dtype: 'float32', shape: [2, 4] }, mask: null },
    outputs: { y: { dtype: 'float32', shape: [2, 4] }, top: { dtype: 'float32', shape: [3] } },
    attrs: { epsilon: 0.5 },
  })
  expect(inputs.mask).toBeNull()
  expect(inputs.x).toEqual(emptyTensor('float32', [2, 4]))
})

test('bit patterns are what the manifest says they are', () => {
  const bits = { file: 'bits.npy', dtype: 'bfloat16' }
  const { kernelCase, inputs } = read({ inputs: { x: bits, gamma: bits }, outputs })
  expect(kernelCase.combination).toBe(1)
  expect(inputs.gamma).toEqual(emptyTensor('bfloat16', [4]))
})

test('a scalar may have any rank', () => {
  const { inputs } = read({ inputs: { x: ['x.npy', 'five.npy'], alpha: 'one.npy' } }, list)
  expect(inputs.alpha).toEqual(emptyTensor('float32', []))
  expect(inputs.x).toHaveLength(2)
})

describe('one line names the field and the fix', () => {
  test.each<[string, unknown, string]>([
    ['no JSON', 'inputs: x', '<file>: is not JSON: '],
    ['no object', 4, '<file>: it: allowed is an object'],
    [
      'an unknown field',
      { inputs: good, input: 1 },
      '<file>: no field is called input; the fields are inputs, attrs, outputs',
    ],
    [
      'a number for a file',
      { inputs: { ...good, x: 7 } },
      '<file>: inputs.x: allowed is a file name, {"file": …, "dtype": …}, a list of them, or null',
    ],
    [
      'an unknown dtype',
      { inputs: { ...good, x: { file: 'x.npy', dtype: 'bf16' } } },
      '<file>: inputs.x: allowed is a file name',
    ],
    [
      'an attribute that is none',
      { inputs: good, attrs: { epsilon: {} } },
      '<file>: attrs.epsilon: allowed is a number, true or false, a text',
    ],
    [
      'a shape that is none',
      { inputs: good, outputs: { top: 3 } },
      '<file>: outputs.top: allowed is a shape, e.g. [4, 128]',
    ],
    ['a missing file', { inputs: { ...good, x: 'z.npy' } }, '<file>: inputs.x: there is no file z.npy'],
    [
      'another format',
      { inputs: { ...good, x: 'manifest.json' } },
      '<file>: inputs.x: <folder>/manifest.json: is no .npy file',
    ],
    ['a required input', { inputs: { x: 'x.npy' } }, '<file>: inputs.gamma: the input is required; give a .npy file'],
    [
      'a name that objects have',
      '{"inputs": {"x": "x.npy", "__proto__": "y.npy"}}',
      '<file>: nothing can be called __proto__',
    ],
    [
      'an unknown input',
      { inputs: { ...good, gama: 'x.npy' } },
      '<file>: inputs.gama: Norm has no such input (did you mean gamma?); there are x, gamma, mask',
    ],
    [
      'an unknown attribute',
      { inputs: good, attrs: { eps: 1 } },
      '<file>: attrs.eps: Norm has no such attr; there are epsilon',
    ],
    [
      'a value of another type',
      { inputs: good, outputs, attrs: { epsilon: 'small' } },
      'task Norm: <file>: epsilon: "small" is not of type float',
    ],
    [
      'a dtype the task does not take',
      { inputs: { ...good, x: 'int.npy' } },
      '<file>: inputs.x: int.npy is int32, the task takes float16, bfloat16, float32',
    ],
    [
      'dtypes that do not go together',
      { inputs: { ...good, x: { file: 'bits.npy', dtype: 'bfloat16' } } },
      'task Norm: <file>: inputs: x bfloat16, gamma float32 is no combination; there are x float16, gamma float32; x bfloat16, gamma bfloat16; x float32, gamma float32',
    ],
    [
      'bit patterns without a name',
      { inputs: { ...good, x: 'bits.npy' } },
      '<file>: inputs.x: bits.npy is uint16, the task takes float16, bfloat16, float32; for bfloat16 bit patterns write {"file": "bits.npy", "dtype": "bfloat16"}',
    ],
    [
      'numbers called bit patterns',
      { inputs: { ...good, x: { file: 'half.npy', dtype: 'bfloat16' } } },
      '<file>: inputs.x: half.npy holds float16, which cannot stand for bfloat16; convert it before you save it',
    ],
    [
      'shapes that contradict each other',
      { inputs: { ...good, gamma: 'five.npy' } },
      'task Norm: <file>: gamma: [5] does not fit [D]: D is 4 elsewhere in the case and 5 here',
    ],
    [
      'another rank',
      { inputs: { ...good, gamma: 'x.npy' } },
      'task Norm: <file>: gamma: [2, 4] has rank 2, which does not fit [D]',
    ],
    ['a list for a tensor', { inputs: { ...good, x: ['x.npy'] } }, '<file>: inputs.x: is one tensor; give one file'],
    [
      'an unknown output',
      { inputs: good, outputs: { z: [1] } },
      'task Norm: <file>: outputs.z: there is no such output; there are y, top',
    ],
    [
      'an output shape that does not fit',
      { inputs: good, outputs: { top: [1, 2] } },
      'task Norm: <file>: outputs.top: [1, 2] has rank 2, which does not fit [k]',
    ],
    ['an extent that nothing says', { inputs: good }, 'task Norm: <file>: nothing gives the extent k of top'],
  ])('%s', (_, content, message) => {
    const wanted = message.replaceAll('<file>', place).replaceAll('<folder>', folder)
    expect(() => read(content)).toThrow(wanted)
  })

  test.each<[string, unknown, string]>([
    [
      'a tensor for a list',
      { inputs: { x: 'x.npy', alpha: 'one.npy' } },
      '<file>: inputs.x: is a list of tensors; give a list of files',
    ],
    [
      'many numbers for a scalar',
      { inputs: { x: ['x.npy'], alpha: 'five.npy' } },
      '<file>: inputs.alpha: is one number, float32[5] was given',
    ],
    [
      'a list of several dtypes',
      { inputs: { x: ['x.npy', 'half.npy'], alpha: 'one.npy' } },
      '<file>: inputs.x: half.npy is float16, the task takes float32',
    ],
    [
      'an attribute where there is none',
      { inputs: { x: ['x.npy'], alpha: 'one.npy' }, attrs: { a: 1 } },
      '<file>: attrs.a: List has no such attr; it has none',
    ],
  ])('%s', (_, content, message) => {
    expect(() => read(content, list)).toThrow(message.replaceAll('<file>', place))
  })
})
