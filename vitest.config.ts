import { defineConfig } from 'vitest/config'
import { npuKernels } from 'vitest-npu/plugin'

// Judges the baseline operators; `vitest.unit.config.ts` tests the plugin.
export default defineConfig({
  // a launch keeps a processor busy while its worker waits
  test: { maxWorkers: '100%' },
  plugins: [
    npuKernels({
      // the baseline operators are the candidates of this repository
      candidates: 'references/baseline',
    }),
  ],
})
