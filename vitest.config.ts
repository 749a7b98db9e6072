import { defineConfig } from 'vitest/config'
import { npuKernels } from 'vitest-npu/plugin'

export default defineConfig({
  // a launch keeps a processor busy while its worker waits
  test: { maxWorkers: '100%' },
  plugins: [
    npuKernels({
      // the baseline operators are the candidates of this repository
      candidates: 'references/baseline',
      projects: [
        {
          test: {
            name: 'unit',
            include: ['plugin/**/*.test.ts', 'references/**/*.test.ts', 'bench/**/*.test.ts'],
            // what takes a second may take ten on a machine that builds the emulator meanwhile
            testTimeout: 30_000,
          },
        },
      ],
    }),
  ],
})
