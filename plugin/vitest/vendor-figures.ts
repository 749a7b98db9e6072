import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../files/index.ts'
import { hashOf } from '../cache/hash.ts'
import {
  messageOf,
  vendorFigures,
  type KernelCase,
  type Latency,
  type TaskInterface,
  type VendorFigures,
  type VendorReference,
} from '../model/index.ts'
import { OptionError } from './options.ts'

const fileOf = (folder: string, soc: string): string => join(folder, `${soc}.json`)

/** The figures of a SoC in a folder; undefined where there are none. Throws {@link OptionError}: one line that says what is wrong. */
export function readVendorFigures(folder: string, soc: string): VendorFigures | undefined {
  const path = fileOf(folder, soc)
  if (!existsSync(path)) return undefined
  const refused = (what: string): OptionError => new OptionError(`vendorFigures: ${path}: ${what}`)
  let text: unknown
  try {
    text = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw refused(`is no JSON: ${messageOf(error).split('\n')[0]}`)
  }
  const parsed = vendorFigures.safeParse(text)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw refused(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`)
  }
  if (parsed.data.soc !== soc) throw refused(`soc: is ${parsed.data.soc}`)
  return parsed.data
}

/** Writes the figures of a SoC, and returns where. */
export function writeVendorFigures(folder: string, figures: VendorFigures): string {
  const path = fileOf(folder, figures.soc)
  makeFolder(folder)
  writeFileSync(path, `${JSON.stringify(vendorFigures.parse(figures), null, 2)}\n`)
  return path
}

/** Names what a time depends on: an edit of the spec makes another case of it. */
export const contentOfCase = ({ inputs, outputs, attrs }: KernelCase): string =>
  hashOf(JSON.stringify([inputs, outputs, attrs]))

/** The figure of the vendor's operator for a case; undefined where there is none. */
export function vendorReferenceOf(
  figures: VendorFigures | undefined,
  { suite, name }: Pick<TaskInterface, 'suite' | 'name'>,
  kernelCase: KernelCase,
): VendorReference | undefined {
  const content = contentOfCase(kernelCase)
  const found = figures?.operators.find(
    (each) => each.suite === suite && each.task === name && each.content === content,
  )
  return figures && found && { calls: found.calls, latency: found.latency, cann: figures.cann, date: figures.date }
}

/** One clause about the vendor's figure: a measured time is compared with it, a model's is not. */
export function describeVendor({ calls, latency, cann, date }: VendorReference, own: Latency): string {
  const figure = `${latency.mean.toFixed(0)} ns of the vendor's ${calls.join(' + ')} (measured ${date.slice(0, 10)}, CANN ${cann})`
  return own.source === 'measured' && own.mean > 0
    ? `${(latency.mean / own.mean).toFixed(2)}x of the ${figure}`
    : `for reference, on hardware: ${figure}`
}
