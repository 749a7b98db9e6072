import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take minutes: one of them begun last would leave the other processors idle. */
const slowest = [
  'plugin/emulator/runner/decoder.test.ts',
  'plugin/cli/generate.test.ts',
  'plugin/generation/skeleton.test.ts',
  'plugin/emulator/mutation.test.ts',
  'references/spec-gate.test.ts',
]

const isSlow = ({ moduleId }: TestSpecification) => slowest.some((file) => moduleId.endsWith(file))

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}

// The tests of this repository's own code. `vitest.config.ts` judges the baseline operators.
export default defineConfig({
  test: {
    name: 'unit',
    include: ['plugin/**/*.test.ts', 'references/**/*.test.ts', 'bench/**/*.test.ts', 'recipes/*.test.ts'],
    // a launch keeps a processor busy while its worker waits
    maxWorkers: '100%',
    // what takes a second may take ten on a machine that builds the emulator meanwhile
    testTimeout: 30_000,
    sequence: { sequencer: SlowestFirst },
  },
})
