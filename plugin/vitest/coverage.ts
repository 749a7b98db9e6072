import type { CoverageProviderModule } from 'vitest/node'

/**
 * The coverage provider of kernels, for `coverage: { provider: 'custom', customProviderModule: 'vitest-npu/coverage' }`. Workers
 * load this module as well, and have no part in it.
 */
const module: CoverageProviderModule = {
  async getProvider() {
    const { KernelCoverageProvider } = await import('./coverage-provider.ts')
    return new KernelCoverageProvider()
  },
}

export default module
