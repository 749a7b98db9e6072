import { fileURLToPath } from 'node:url'
import { packagedPrograms } from '../candidates/packaged.ts'
import type { Suite } from './suite.ts'

/** The two kernels around a layer with manifold-constrained hyper-connections, arXiv 2512.24880. */
export const mhc = {
  name: 'mhc',
  title: 'mHC',
  folder: fileURLToPath(new URL('../../tasks/mhc', import.meta.url)),
  baseline: packagedPrograms,
} satisfies Suite
