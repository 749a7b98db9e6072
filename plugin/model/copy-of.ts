/** A copy of plain data (numbers, texts, lists, objects of such) that shares nothing with it; far cheaper than `structuredClone`. */
export function copyOf<T>(data: T): T
export function copyOf(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data
  if (Array.isArray(data)) return data.map((one: unknown) => copyOf(one))
  const copy: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(data)) copy[name] = copyOf(value)
  return copy
}
