import { defineConfig } from 'vitest/config'
import { npuKernels } from 'vitest-npu/plugin'

export default defineConfig({
  plugins: [
    npuKernels({
      // the baseline operators are the candidates of this repository
      candidates: 'references/baseline',
      projects: [
        { test: { name: 'unit', include: ['plugin/**/*.test.ts', 'references/**/*.test.ts', 'bench/**/*.test.ts'] } },
      ],
    }),
  ],
})
