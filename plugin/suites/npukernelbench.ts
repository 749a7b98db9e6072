import { packagedBaseline } from '../candidates/packaged.ts'
import type { Suite } from './suite.ts'

/** The public benchmark whose tasks this package brings along. */
export const npuKernelBench = {
  name: 'npukernelbench',
  title: 'NPUKernelBench',
  groups: ['level1', 'level2', 'level3'],
  layouts: ['<group>/<category>/<task>/answer/<sample>', '<group>/<category>/<task>/fixed_case_<case>/<sample>/src'],
  checkout: 'tasks',
  baseline: packagedBaseline,
  columns: { group: 'level' },
} satisfies Suite
