import { TestRunner, type RunnerTask, type RunnerTestCase, type RunnerTestFile } from 'vitest'
import { sampleTitle, type BuildArgs } from '../model/index.ts'
import { stateOf, type SampleState } from './sample-state.ts'
import { service } from './worker.ts'

/** Vitest's runner, which has candidates built as soon as it is known which tests run. */
export default class NpuRunner extends TestRunner {
  /** Filters (`-t`, tags, `.only`) have been applied here: only what will really run is built ahead. */
  onCollected(files: RunnerTestFile[]): void {
    const wanted = new Set<BuildArgs>()
    for (const test of files.flatMap(testsOf)) {
      const state = test.mode === 'run' || test.mode === 'queued' ? stateOf(test) : undefined
      if (state) wanted.add(state.buildArgs)
    }
    if (wanted.size > 0) service().notify('prefetch', [...wanted])
  }

  /** Tests of a sample that did not build, or did not end by itself, never start. */
  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test)
    const state = stateOf(test)
    const note = state && test.mode === 'run' ? whySkipped(state, test) : undefined
    if (note === undefined) return
    test.mode = 'skip'
    // `note` is shown by reporters and missing from the type
    test.result = Object.assign({ state: 'skip' as const }, { note })
  }

  /** What a retried test has failed with again is told once. */
  override onAfterRunTask(test: RunnerTestCase): void {
    super.onAfterRunTask(test)
    const { result } = test
    if (result?.errors)
      result.errors = [...new Map(result.errors.map((error) => [error.stack ?? error.message, error])).values()]
  }
}

/** Why a test of a sample need not run; undefined where it has to. */
function whySkipped({ built, reporter, hung, buildArgs }: SampleState, test: RunnerTestCase): string | undefined {
  if (built && !built.ok && reporter !== test.id) return `${sampleTitle(buildArgs.sample)} did not build`
  return hung === undefined ? undefined : `${hung}: the rest of ${sampleTitle(buildArgs.sample)} is left out`
}

const testsOf = (task: RunnerTask): RunnerTestCase[] => (task.type === 'suite' ? task.tasks.flatMap(testsOf) : [task])
