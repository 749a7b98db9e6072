import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Whole runs of the built package, one at a time: they time and kill each other's machine otherwise.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 1_200_000,
  },
})
