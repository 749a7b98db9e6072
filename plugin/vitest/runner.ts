import { TestRunner, type RunnerTask, type RunnerTestCase, type RunnerTestFile } from 'vitest'
import { sampleTitle, type BuildArgs } from '../model/index.ts'
import { stateOf } from './sample-state.ts'
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

  /** Tests of a sample that did not build never start. */
  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test)
    const state = stateOf(test)
    if (!state?.built || state.built.ok || state.reporter === test.id || test.mode !== 'run') return
    test.mode = 'skip'
    // `note` is shown by reporters and missing from the type
    test.result = Object.assign(
      { state: 'skip' as const },
      { note: `${sampleTitle(state.buildArgs.sample)} did not build` },
    )
  }
}

const testsOf = (task: RunnerTask): RunnerTestCase[] => (task.type === 'suite' ? task.tasks.flatMap(testsOf) : [task])
