import type { KernelCase, Sample } from '../model/index.ts'
import type { KernelTask } from './kernel-task.ts'

/** The static cases that a sample is judged on: all, or the one that its folder names; none where there is no such case. */
export const staticCasesOf = (
  { staticCases }: Pick<KernelTask, 'staticCases'>,
  { fixedCase }: Pick<Sample, 'fixedCase'>,
): readonly KernelCase[] =>
  fixedCase === undefined ? staticCases : staticCases.filter(({ name }) => name === `static ${fixedCase}`)

/** Why a sample whose folder names a static case is judged on none. */
export const noSuchCase = ({ staticCases, interface: { name } }: KernelTask, fixedCase: number): string =>
  `${name} has no static case ${fixedCase}, which the folder of the sample names: it has ${staticCases.length}, counted from 0`
