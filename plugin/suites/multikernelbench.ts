import { fileURLToPath } from 'node:url'
import type { Suite } from './suite.ts'

/** Tasks of MultiKernelBench: those 52 that AscendCraft is measured on. They have no baseline operators. */
export const multiKernelBench = {
  name: 'mkb',
  title: 'MultiKernelBench',
  folder: fileURLToPath(new URL('../../tasks/multikernelbench', import.meta.url)),
} satisfies Suite
