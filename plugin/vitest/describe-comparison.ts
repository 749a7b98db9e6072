import type { Comparison, WrongElement, Writer } from '../model/index.ts'
import { grouped, place, short } from './words.ts'

/** Wrong elements that are shown besides the worst one. */
const shown = 3

/**
 * What is wrong with an output: the worst element, with the instruction that has written it last, and some others.
 * @param how e.g. `outside strict tolerance`
 */
export function describeComparison(comparison: Comparison, how: string, sampleRoot: string | null): string {
  const { output, elements, mismatches, unwritten, pattern, examples = [] } = comparison
  const [worst, ...others] = examples
  const told = writerIn(worst, sampleRoot)
  const alike = others.map((other) => `${element(output, other)}${writerBeside(worst, other, sampleRoot)}`)
  return [
    `${output}: ${grouped(mismatches)} of ${grouped(elements)} elements ${how}; worst ${element(output, comparison)}`,
    ...(told === undefined ? [] : [told]),
    ...spread(alike).map((text) => `also ${text}`),
    ...(pattern === undefined ? [] : [`the wrong elements are ${pattern}`]),
    ...(unwritten
      ? [
          `the kernel never wrote ${grouped(unwritten.bytes)} bytes of ${output}, the first at ${unwritten.first}, the last at ${unwritten.last}`,
        ]
      : []),
  ].join('\n')
}

/** Who has written an element last: the place in the candidate that a comparison is about. */
export const writerOf = ({ examples }: Comparison): Writer | undefined => examples?.[0]?.writer ?? undefined

/** The first, the last, and what is in the middle: neighbours tell the least. */
const spread = (items: readonly string[]): string[] =>
  items.length <= shown
    ? [...items]
    : Array.from({ length: shown }, (_, i) => items[Math.round((i * (items.length - 1)) / (shown - 1))] ?? '')

/** `y[3, 5]: expected 1.5, got -2.25 (|err| 3.75, limit 0.001)` */
function element(output: string, { index, expected, actual, error, limit }: Omit<WrongElement, 'writer'>): string {
  const bound =
    error === undefined ? '' : ` (|err| ${short(error)}${limit === undefined ? '' : `, limit ${short(limit)}`})`
  return `${output}[${index.join(', ')}]: expected ${expected}, got ${actual}${bound}`
}

/** `written last by DataCopyPad at op_kernel/add.cpp:40 (AIV 3, the last of 2 writes)`; undefined where nobody has told. */
function writerIn(example: WrongElement | undefined, sampleRoot: string | null): string | undefined {
  const writer = example?.writer
  if (writer === undefined) return undefined
  if (writer === null) return 'no instruction has written it'
  const { instruction, core, file, writes, atomic } = writer
  const where = file === undefined ? '' : ` at ${place(writer, sampleRoot)}`
  const times = writes > 1 ? `, the last of ${grouped(writes)} writes` : ''
  return `written last by ${instruction}${where} (${core}${times}${atomic ? ', atomic' : ''})`
}

/** Who has written another element than the worst one, as far as that differs. */
function writerBeside(worst: WrongElement | undefined, other: WrongElement, sampleRoot: string | null): string {
  const own = writerIn(other, sampleRoot)
  if (own === undefined || own === writerIn(worst, sampleRoot)) return ''
  if (!worst?.writer || !other.writer) return `; ${own}`
  const { core } = other.writer
  const elsewhere = writerIn({ ...other, writer: { ...other.writer, core: worst.writer.core } }, sampleRoot)
  return elsewhere === writerIn(worst, sampleRoot) ? `; by ${core}` : `; ${own}`
}
