import { fileURLToPath } from 'node:url'
import { packagedPrograms } from '../candidates/packaged.ts'
import type { Suite } from './suite.ts'

/**
 * Tasks of MultiKernelBench: those 52 that AscendCraft is measured on. They have no operators by experts in Ascend C: the programs of
 * the DSL are what speedup is measured against.
 */
export const multiKernelBench = {
  name: 'mkb',
  title: 'MultiKernelBench',
  folder: fileURLToPath(new URL('../../tasks/multikernelbench', import.meta.url)),
  baseline: packagedPrograms,
} satisfies Suite
