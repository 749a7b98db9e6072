// Everything a spec imports. The Vitest plugin is `vitest-npu/plugin`, the reporter `vitest-npu/reporter`.
import './vitest/meta.ts'

export { kernelSuite } from './vitest/kernel-suite.ts'
export * from './task/index.ts'
export { matchers } from './vitest/matchers.ts'
export type { GoldenBound } from './vitest/matchers.ts'
export type { KernelMeta } from './vitest/meta.ts'
export type * from './model/index.ts'
export type { LedgerEntry, Metrics } from './ledger/index.ts'
