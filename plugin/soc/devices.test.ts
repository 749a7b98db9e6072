import { writeFileSync } from 'node:fs'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { floorOf } from '../floor/floor.ts'
import { resolveOptions } from '../vitest/options.ts'
import { deviceFlags, readDevices, socOf } from './devices.ts'
import { timing } from './profile.ts'

const folder = mkdtempSync(join(tmpdir(), 'devices-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function fileOf(content: unknown): string {
  const path = join(folder, `${++files}.json`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
const shared = { name: 'Shared910B2', version: 3, like: 'Ascend910B2', hbmBytesPerNs: 800 }
const of = (...devices: object[]) => ({ v: 1, devices })

test('a device of a user is what it is like, but for what is given, and its version is part of its name', () => {
  const [device] = readDevices(fileOf(of(shared)))
  expect(device).toEqual({ ...socOf('Ascend910B2'), name: 'Shared910B2@3', hbmBytesPerNs: 800 })
})

test.each([
  ['{', 'JSON'],
  [{ v: 2, devices: [shared] }, 'v: '],
  [of(), 'devices: '],
  [of({ ...shared, name: 'two words' }), 'devices[0].name: letters, digits and _'],
  [of({ ...shared, name: 'Ascend910B1' }), 'devices[0].name: the name of a device that there is'],
  [of({ ...shared, version: 0 }), 'devices[0].version: '],
  [of({ ...shared, like: 'Ascend1' }), 'devices[0].like: '],
  [of({ ...shared, clockGHz: '1.8' }), 'devices[0].clockGHz: '],
  [of({ ...shared, clock: 1.8 }), 'devices[0]: Unrecognized key: "clock"'],
  [of({ ...shared, aicCores: 8 }), 'Shared910B2: 8 cube cores have 16 vector cores, not 48'],
  [of(shared, shared), 'Shared910B2@3 is there twice'],
])('a file that is wrong is refused in one line that says where: %j', (content, why) => {
  const path = fileOf(content)
  const ask = () => resolveOptions({}, { NPU_DEVICES: path })
  expect(ask).toThrow(`NPU_DEVICES ${path}: `)
  expect(ask).toThrow(why)
  expect(ask).not.toThrow('\n')
})

test('a file that is not there is named', () => {
  expect(() => resolveOptions({}, { NPU_DEVICES: join(folder, 'none.json') })).toThrow('ENOENT')
})

test('the emulator and bounds know the device, under its name', () => {
  expect(deviceFlags()).toEqual([])
  vi.stubEnv('NPU_DEVICES', fileOf(of({ ...shared, aicCores: 20, aivCores: 40 })))
  expect(deviceFlags()).toEqual(['-DNPU_EMU_DEVICES={"Shared910B2@3","ascend910b",20,40,1.8,201326592,800},'])
  const work = { read: 1e8, written: 1e6, products: null }
  const [slow, fast] = ['Shared910B2@3', 'Ascend910B2'].map(
    (name) => floorOf(work, name, { profile: `${name} ${timing.version}` })!.memoryNs,
  )
  expect(slow! / fast!).toBeCloseTo(2)
  expect(() => socOf('Shared910B2')).toThrow('there are Ascend910B1')
  vi.unstubAllEnvs()
})
