import { isAbsolute, relative } from 'node:path'

/** A place as a verdict has it: a path of this machine, or a name. */
export interface Place {
  file?: string | undefined
  line?: number | undefined
  column?: number | undefined
}

/** `op_kernel/add.cpp:40`: below a sample by the name that it has there. */
export function place({ file = '', line, column }: Place, sampleRoot: string | null): string {
  const inside = sampleRoot && isAbsolute(file) ? relative(sampleRoot, file) : file
  const path = inside.startsWith('..') ? file : inside
  return [path, line, column].filter((part) => part !== undefined).join(':')
}

/** With three digits. */
export const short = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(3))) : String(value)

/** With a digit behind the point, where there is any. */
export const decimal = (value: number): string => String(Number(value.toFixed(1)))

/** 12345 as `12 345`. */
export const grouped = (value: number): string => value.toLocaleString('en-US').replaceAll(',', ' ')
