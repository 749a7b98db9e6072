import { readFileSync } from 'node:fs'
import { z } from 'zod'

/**
 * The profile of the devices as the C++ of the emulator states it: its headers are the only place that spells a figure. Read
 * from the package, both beside `plugin/` (source) and beside `dist/` (built).
 */
const textOf = (path: string): string =>
  readFileSync(new URL(`../../plugin/emulator/${path}`, import.meta.url), 'utf8').replace(/\/\/.*/g, '')

type Values = Record<string, number | string>

/** The value of `192 * KiB`, `1.5 / 1.6` or `"text"`. */
function valueOf(expression: string, known: Values): number | string {
  const quoted = /^"(.*)"$/.exec(expression)?.[1]
  if (quoted !== undefined) return quoted
  const [first = '', ...rest] = expression.split(/([*/])/).map((part) => part.trim())
  const operand = (text: string): number => {
    const value = Number(known[text] ?? text)
    if (text === '' || Number.isNaN(value)) throw new Error(`device profile: cannot read "${expression}"`)
    return value
  }
  let value = operand(first)
  for (let i = 0; i < rest.length; i += 2) {
    if (rest[i] === '*') value *= operand(rest[i + 1]!)
    else value /= operand(rest[i + 1]!)
  }
  return value
}

/** Every `constexpr <type> name = value;` */
function constantsOf(text: string): Values {
  const constants: Values = {}
  for (const [, name, value] of text.matchAll(/\bconstexpr [\w* ]*?\b(\w+) = ([^;{]+);/g))
    constants[name!] = valueOf(value!, constants)
  return constants
}

/** The rows of the table of SoCs, by the fields of their type. */
function rowsOf(type: string, table: string): Values[] {
  const fields = [...(/struct SocProfile \{(.*?)\}/s.exec(type)?.[1] ?? '').matchAll(/[ *](\w+);/g)]
  const constants = constantsOf(table)
  const rows = /SocProfile socs\[\] = \{(.*?)\n\};/s.exec(table)?.[1] ?? ''
  return [...rows.matchAll(/\{([^{}]*)\}/g)].map(([, row]) => {
    const values = row!.split(',').map((value) => valueOf(value.trim(), constants))
    if (values.length !== fields.length) throw new Error(`device profile: ${values.length} values in "${row}"`)
    return Object.fromEntries(fields.map(([, name], i) => [name!, values[i]!]))
  })
}

const count = z.number().int().positive()
const rate = z.number().positive()

const architectureSchema = z.object({
  /** `__CCE_AICORE__` */
  aiCore: count,
  /** `__NPU_ARCH__` */
  npuArch: count,
  ubBytes: count,
  l1Bytes: count,
  l0aBytes: count,
  l0bBytes: count,
  l0cBytes: count,
  /** at the top of UB and L1: what host code is not told of */
  systemBytes: count,
})

const socSchema = z.strictObject({
  /** e.g. `Ascend910B2` */
  name: z.string(),
  /** how the configurations of an operator name its kind, e.g. `ascend910b` */
  config: z.string(),
  aicCores: count,
  aivCores: count,
  clockGHz: rate,
  l2Bytes: count,
  /** nominal */
  hbmBytesPerNs: rate,
})

const timingSchema = z.object({
  /** of the constants of time, as launches report it behind the name of the SoC */
  version: z.string(),
  /** of the nominal bandwidth of HBM */
  sustainedShare: rate,
  coreReadBytesPerNs: rate,
  coreWriteBytesPerNs: rate,
  cubeWriteBytesPerNs: rate,
  launchNs: rate,
  launchNsPerCore: rate,
})

export type Soc = z.infer<typeof socSchema>

const profile = textOf('runtime/profile.h')
const shared = constantsOf(profile)
const times = constantsOf(textOf('runtime/timing.h'))

/** What all SoCs have in common, as kernels are compiled for it. */
export const architecture = architectureSchema.parse(constantsOf(textOf('include/ascendc/architecture.h')))

/** Every device that the package has figures of. */
export const socs: readonly Soc[] = z
  .array(socSchema)
  .min(1)
  .parse(rowsOf(profile, textOf('runtime/profile.cpp')))

/** What every SoC takes for the same work. */
export const timing = timingSchema.parse(times)

/** The name of the device where none is given. */
export const defaultSoc = z.string().parse(shared['defaultSoc'])
