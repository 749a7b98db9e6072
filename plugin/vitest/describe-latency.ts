import type { Estimate } from '../model/index.ts'

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

/** Whether a speedup may as well be a slowdown. */
const isUndecided = (speedup: number, band: number): boolean => band > 0 && Math.abs(speedup - 1) <= band

/** A speedup with its error band, e.g. `0.97x ±0.15, which may as well be 1`; the band where it is known. */
export function describeSpeedup(speedup: number, band: number | undefined): string {
  const text = `${speedup.toFixed(2)}x`
  if (band === undefined || band === 0) return text
  return `${text} ±${band.toFixed(2)}${isUndecided(speedup, band) ? ', which may as well be 1,' : ''}`
}

/** How far a latency can be trusted and what bounds it, in a line. */
export const describeEstimate = ({ band, bound, share, utilisation, bytesPerNs }: Estimate): string =>
  `±${percent(band)}, ${percent(share)} of it ${bound}, the busiest pipe at ${percent(utilisation)}, ${bytesPerNs.toFixed(0)} GB/s`
