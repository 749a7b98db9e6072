import { z } from 'zod'

/** The one name that a record of Zod leaves out, with any marks before it: each such name gets one more, so that no two become one. */
const dropped = /^\0*__proto__$/
const marked = /^\0+__proto__$/

function renamed<V>(record: Record<string, V>, from: RegExp, to: (name: string) => string): Record<string, V> {
  const entries = Object.entries(record)
  if (!entries.some(([name]) => from.test(name))) return record
  return Object.fromEntries(entries.map(([name, value]) => [from.test(name) ? to(name) : name, value]))
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** A record by names that others give: `__proto__` is one of them. */
export const recordOf = <T extends z.ZodType>(value: T) =>
  z.preprocess(
    (given) => (isRecord(given) ? renamed(given, dropped, (name) => `\0${name}`) : given),
    z.record(z.string(), value).transform((record) => renamed(record, marked, (name) => name.slice(1))),
  )
