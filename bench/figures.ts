/** The middle one of the values, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(half)]! : (sorted[half - 1]! + sorted[half]!) / 2
}

/** `12.3 (15.1) ms`: the fastest and, in brackets, the middle one. Other work on the machine only ever adds time. */
export const fastestAndMedian = (values: readonly number[]): string =>
  `${digits(Math.min(...values))} (${digits(median(values))}) ms`

/** Wall-clock milliseconds of one call. */
export async function milliseconds(work: () => unknown): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/**
 * Milliseconds of processor time of one call that needs no other process: what else the machine does hardly matters.
 */
export function processorMilliseconds(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e3
}

/** Wall-clock milliseconds of each of `count` calls. */
export async function timings(count: number, work: (index: number) => unknown): Promise<number[]> {
  const all: number[] = []
  for (let i = 0; i < count; i++) all.push(await milliseconds(() => work(i)))
  return all
}

/** `1.23 ms`, `45.6 ms`, `1234 ms`: three digits that mean something. */
export const ms = (value: number): string => `${digits(value)} ms`

const digits = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)

/** `met` or `missed`, with the aim. */
export const comparedWithAim = (value: number, aim: number, unit: string): string =>
  `${value <= aim ? 'met' : 'MISSED'}: aim ${aim} ${unit}`

/** Prints rows in columns below a title. */
export function printTable(title: string, rows: readonly (readonly string[])[]): void {
  const widths: number[] = []
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)))
  const lines = rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('   '),
  )
  console.log(`\n${title}\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}`)
}
