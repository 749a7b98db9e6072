import fs, {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { InfrastructureError, type KernelCase, type TaskInterface, type Tensor } from '../model/index.ts'
import { withCaseFile, writeWhereItFits } from './case-file.ts'
import { layoutCase } from './layout.ts'

const argument = (name: string, kind: 'tensor' | 'tensorList' = 'tensor') => ({
  name,
  kind,
  required: true,
  dtypes: ['float32' as const],
})

const task: TaskInterface = {
  name: 'Odd',
  kernel: 'odd',
  suite: 'own',
  group: null,
  category: 'Test',
  inputs: [argument('x'), argument('list', 'tensorList'), { ...argument('bias'), required: false }, argument('state')],
  outputs: [
    argument('y', 'tensorList'),
    { ...argument('state'), aliases: 'state' },
    { ...argument('z'), zeroed: true },
  ],
  attrs: [],
}

const f32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape })

const kernelCase: KernelCase = {
  task: 'Odd',
  name: 'static 0',
  combination: 0,
  inputs: { x: f32(1025), list: [f32(3), f32(0), f32(2, 2)], bias: null, state: f32(5) },
  outputs: { y: [f32(2), f32(1024)], state: f32(5), z: { dtype: 'float16', shape: [3] } },
  attrs: {},
  seed: 1,
}

const tensor = (...values: number[]): Tensor => ({
  dtype: 'float32',
  shape: [values.length],
  data: Float32Array.from(values),
})

const inputs = {
  x: { dtype: 'float32', shape: [1025], data: Float32Array.from({ length: 1025 }, (_, i) => i) },
  list: [tensor(1, 2, 3), tensor(), { ...tensor(4, 5, 6, 7), shape: [2, 2] }],
  bias: null,
  state: tensor(9, 8, 7, 6, 5),
} as const

/** What lies behind each tensor of a case of that seed. */
const behind = async (seed: number): Promise<Buffer[]> =>
  await withCaseFile(task, { ...kernelCase, seed }, inputs, async ({ path, slots }) => {
    const bytes = readFileSync(path)
    const all = slots.flat().filter((slot) => slot !== null)
    return all.map(({ offset, bytes: taken }) => bytes.subarray(offset + taken, offset + Math.ceil(taken / 512) * 512))
  })

test('behind a tensor lie negative numbers up to the end of its allocation, which follow from the case', async () => {
  const found = await behind(1)
  expect(found.map(({ length }) => length)).toEqual([508, 500, 0, 496, 492, 504, 0, 492, 506])
  for (const byte of Buffer.concat(found)) expect(byte & 0x7f && byte >> 7).toBe(1)
  expect(found[0]).not.toEqual((await behind(2))[0])
})

test('every tensor starts on a page and is followed by a free one', () => {
  const { slots, fileBytes } = layoutCase(task, kernelCase)
  const all = slots.flat().filter((slot) => slot !== null)
  const placed = all.filter((slot, index) => all.findIndex(({ offset }) => offset === slot.offset) === index)
  for (const [index, slot] of placed.entries()) {
    const next = placed[index + 1]?.offset ?? fileBytes
    expect(slot.offset % 4096).toBe(0)
    expect(next - (slot.offset + slot.bytes)).toBeGreaterThanOrEqual(4096)
  }
  expect(slots.map((slot) => (Array.isArray(slot) ? slot.length : slot && slot.access))).toEqual([
    'in',
    3,
    null,
    'inout',
    2,
    'inout',
    'inout',
  ])
})

test('an output that overwrites an input has its place', () => {
  const { slots } = layoutCase(task, kernelCase)
  expect(slots[3]).toMatchObject({ access: 'inout', bytes: 20 })
  expect(slots[5]).toEqual(slots[3])
})

test('what a kernel writes comes back as the outputs of the case, and inputs can be restored', async () => {
  let path = ''
  await withCaseFile(task, kernelCase, inputs, async (file) => {
    path = file.path
    expect(existsSync(path)).toBe(true)
    expect(file.readOutputs()).toMatchObject({ state: { data: Float32Array.of(9, 8, 7, 6, 5) } })

    const handle = openSync(path, 'r+')
    const y = file.slots[4]
    const [state, z] = file.slots.slice(5)
    if (!Array.isArray(y) || !y[0] || !state || Array.isArray(state) || !z || Array.isArray(z))
      throw new Error('unexpected layout')
    writeSync(handle, Buffer.from(Float32Array.of(1.5, -2).buffer), 0, 8, y[0].offset)
    writeSync(handle, Buffer.from(Float32Array.of(0, 0, 0, 0, 0).buffer), 0, 20, state.offset)
    writeSync(handle, Uint8Array.of(1, 2, 3, 4, 5, 6), 0, 6, z.offset)
    closeSync(handle)

    const outputs = file.readOutputs()
    expect(outputs).toMatchObject({
      y: [{ dtype: 'float32', shape: [2], data: Float32Array.of(1.5, -2) }, { shape: [1024] }],
      state: { data: new Float32Array(5) },
      z: { dtype: 'float16', shape: [3], data: Uint16Array.of(0x201, 0x403, 0x605) },
    })
    file.restoreInputs()
    expect(file.readOutputs()).toMatchObject({
      state: { data: Float32Array.of(9, 8, 7, 6, 5) },
      z: { data: new Uint16Array(3) },
    })
  })
  expect(existsSync(path)).toBe(false)
})

test('outputs have their room before anybody maps them, so that a full disk is told here', async () => {
  const large = { ...kernelCase, outputs: { ...kernelCase.outputs, y: [f32(2), f32(1 << 20)] } }
  await withCaseFile(task, large, inputs, async ({ path }) => {
    expect(statSync(path).blocks * 512).toBeGreaterThan(1 << 22)
  })
})

const fail = (): never => {
  throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
}

test('a folder without room is left for the next, and that none has any is no fault of a candidate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'case-file-test-'))
  const paths = ['a', 'b'].map((name) => join(folder, name))
  const full = vi.spyOn(fs, 'ftruncateSync')
  try {
    const layout = layoutCase(task, kernelCase)
    const write = () => writeWhereItFits(paths, layout, task, inputs)
    full.mockImplementationOnce(fail)
    syncBuiltinESMExports()
    expect(write()).toBe(paths[1])
    expect(readdirSync(folder)).toEqual(['b'])
    rmSync(join(folder, 'b'))
    full.mockImplementation(fail)
    expect(write).toThrow(new InfrastructureError(`no room for a case of 0.1 MiB in ${folder}, nor in ${folder}`))
    expect(readdirSync(folder)).toEqual([])
  } finally {
    full.mockRestore()
    syncBuiltinESMExports()
    rmSync(folder, { recursive: true })
  }
})

test('inputs that do not fit the case are refused, and the file is gone all the same', async () => {
  const wrong = { ...inputs, x: tensor(1, 2) }
  await expect(withCaseFile(task, kernelCase, wrong, async () => {})).rejects.toThrow('x: the tensor has another size')
  const longer = { ...kernelCase, outputs: { ...kernelCase.outputs, state: f32(6) } }
  expect(() => layoutCase(task, longer)).toThrow('output state and its alias differ in size')
})
