import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** They kill runs at moments that they have measured, wait for time limits, or load the machine by themselves. */
const timed = ['failures', 'generate', 'kills', 'mixed', 'reach', 'resume', 'samples'].map((name) => `${name}.test.ts`)

const limits = { testTimeout: 600_000, hookTimeout: 1_200_000 }

// Whole runs of the built package. Half of their time is waiting, so that two share a machine; those above have it alone.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    projects: [
      {
        test: {
          ...limits,
          name: 'pairs',
          include: ['*.test.ts'],
          exclude: timed,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...limits, name: 'alone', include: timed, fileParallelism: false, sequence: { groupOrder: 1 } } },
    ],
  },
})
