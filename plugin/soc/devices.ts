import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { socs, type Soc } from './profile.ts'

/** What is wrong with a file of devices, in one line. */
export class DeviceFileError extends Error {
  override readonly name = 'DeviceFileError'
}

const builtIn = socs.map(({ name }) => name)
const cores = (most: number): z.ZodInt => z.int().min(1).max(most)

/** A device of a user: what it is like, and what is different. */
const deviceSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,39}$/, 'letters, digits and _')
    .refine((name) => !builtIn.includes(name), 'the name of a device that there is'),
  /** counted up whenever a figure changes, so that latencies of one are not compared with those of another */
  version: z.int().min(1),
  like: z.enum(builtIn),
  aicCores: cores(64).exactOptional(),
  aivCores: cores(128).exactOptional(),
  clockGHz: z.number().min(0.1).max(10).exactOptional(),
  l2Bytes: z
    .int()
    .min(1 << 20)
    .max(2 ** 32)
    .exactOptional(),
  hbmBytesPerNs: z.number().min(1).max(100_000).exactOptional(),
})

const fileSchema = z.strictObject({ v: z.literal(1), devices: z.array(deviceSchema).min(1).max(16) })

/** The devices of a file, each named `<name>@<version>`. Throws {@link DeviceFileError}. */
export function readDevices(path: string): Soc[] {
  const fail = (what: string): never => {
    throw new DeviceFileError(`NPU_DEVICES ${path}: ${what}`)
  }
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
  const parsed = fileSchema.safeParse(content)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return fail(`${z.core.toDotPath(issue?.path ?? []) || 'the file'}: ${issue?.message}`)
  }
  const found = parsed.data.devices.map(({ name, version, like, ...own }): Soc => {
    const device = { ...socs.find((each) => each.name === like)!, ...own, name: `${name}@${version}` }
    if (device.aivCores !== 2 * device.aicCores)
      fail(`${name}: ${device.aicCores} cube cores have ${2 * device.aicCores} vector cores, not ${device.aivCores}`)
    return device
  })
  const names = found.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  return twice === undefined ? found : fail(`${twice} is there twice`)
}

const read = new Map<string, Soc[]>()

/** The devices of the file that `NPU_DEVICES` names; none without it. Throws {@link DeviceFileError}. */
export function userDevices(path = process.env['NPU_DEVICES'] ?? ''): readonly Soc[] {
  if (path === '') return []
  const found = read.get(path) ?? readDevices(path)
  read.set(path, found)
  return found
}

/** Those of the package, then those of the user. */
export const devices = (): readonly Soc[] => [...socs, ...userDevices()]

/** The device of that name; undefined where there is none. */
export const deviceNamed = (name: string): Soc | undefined => devices().find((device) => device.name === name)

/** The device of that name. Throws where there is none. */
export function socOf(name: string): Soc {
  const found = deviceNamed(name)
  if (found) return found
  const names = devices().map((device) => device.name)
  throw new Error(`no device profile of ${name}; there are ${names.join(', ')}`)
}

/** The flags with which the table of devices (`runtime/profile.cpp`) is compiled, so that the emulator knows those of users. */
export function deviceFlags(): string[] {
  const rows = userDevices().map(
    ({ name, config, aicCores, aivCores, clockGHz, l2Bytes, hbmBytesPerNs }) =>
      `{"${name}","${config}",${aicCores},${aivCores},${clockGHz},${l2Bytes},${hbmBytesPerNs}},`,
  )
  return rows.length === 0 ? [] : [`-DNPU_EMU_DEVICES=${rows.join('')}`]
}
