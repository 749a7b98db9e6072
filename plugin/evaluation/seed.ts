import type { KernelCase } from '../model/index.ts'

/** Mixes text into a 32-bit state (FNV-1a), then scrambles it so that near texts give far results. */
function hash(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** A seed that depends on the run's seed and on what it is used for, as a signed 32-bit number. */
export const derivedSeed = (runSeed: number, purpose: string): number => hash(`${runSeed}:${purpose}`)

/**
 * The static case as this run poses it: another seed of the run draws other inputs, so that no candidate can know them.
 * Fixed `values` stay as they are.
 */
export const caseOfRun = (kernelCase: KernelCase, runSeed: number): KernelCase => ({
  ...kernelCase,
  seed: derivedSeed(runSeed, `${kernelCase.task}:${kernelCase.name}:${kernelCase.seed}`),
})

/** The seed of an order that cores are shuffled to, as a decimal string: it follows from the case, and no kernel is told it. */
export const shuffleOf = ({ task, name, seed }: KernelCase, number: number): string =>
  `${hash(`order ${number} ${task}:${name}:${seed}`) >>> 0}`

/**
 * The eight bytes that outputs are filled with before a launch, hexadecimal. Every byte is in 0x81..0xfe: no bool, no
 * zero, and negative in every signed and floating type; which ones they are follows from the case.
 */
export function poisonOf(kernelCase: KernelCase): string {
  const bytes = Array.from({ length: 8 }, (_, i) => 0x81 + ((hash(`poison ${i} ${kernelCase.seed}`) >>> 0) % 0x7e))
  return Buffer.from(bytes).toString('hex')
}
