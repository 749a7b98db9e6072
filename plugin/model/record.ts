import { z } from 'zod'

/** The one name that a record of Zod leaves out. */
const dropped = '__proto__'
const standIn = '\0__proto__'

const renamed = <V>(record: Record<string, V>, from: string, to: string): Record<string, V> =>
  Object.hasOwn(record, from)
    ? Object.fromEntries(Object.entries(record).map(([name, value]) => [name === from ? to : name, value]))
    : record

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** A record by names that others give: `__proto__` is one of them. */
export const recordOf = <T extends z.ZodType>(value: T) =>
  z.preprocess(
    (given) => (isRecord(given) ? renamed(given, dropped, standIn) : given),
    z.record(z.string(), value).transform((record) => renamed(record, standIn, dropped)),
  )
