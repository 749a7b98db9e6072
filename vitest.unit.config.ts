import { defineConfig } from 'vitest/config'

// The tests of this repository's own code. `vitest.config.ts` judges the baseline operators.
export default defineConfig({
  test: {
    name: 'unit',
    include: ['plugin/**/*.test.ts', 'references/**/*.test.ts', 'bench/**/*.test.ts'],
    // a launch keeps a processor busy while its worker waits
    maxWorkers: '100%',
    // what takes a second may take ten on a machine that builds the emulator meanwhile
    testTimeout: 30_000,
  },
})
