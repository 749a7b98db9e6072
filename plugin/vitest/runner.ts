import { TestRunner, type RunnerTask, type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite } from 'vitest'
import { sampleTitle, type BuildArgs } from '../model/index.ts'
import { forget, stateOf, type SampleState } from './sample-state.ts'
import { SampleWindow } from './sample-window.ts'
import { service, workerOptions } from './worker.ts'

/**
 * Vitest's runner, which has candidates built as soon as it is known which tests run, and judges some samples of a task at the
 * same time: a launch leaves its worker idle, and a golden reference its device.
 */
export default class NpuRunner extends TestRunner {
  /** by the suite of a task */
  readonly #windows = new WeakMap<RunnerTestSuite, SampleWindow>()
  readonly #places = new WeakMap<RunnerTestSuite, number>()

  /** Filters (`-t`, tags, `.only`) have been applied here: only what will really run is built ahead. */
  onCollected(files: RunnerTestFile[]): void {
    const wanted = new Set<BuildArgs>()
    const known = new Set<SampleState>()
    const shuffled = new Set<SampleState>()
    for (const test of files.flatMap(testsOf)) {
      const state = stateOf(test)
      if (!state) continue
      known.add(state)
      if (test.suite?.suite?.shuffle) shuffled.add(state)
      if (test.mode !== 'run' && test.mode !== 'queued') continue
      wanted.add(state.buildArgs)
      // tests of a sample come one after the other
      const { suite } = test
      if (suite && !suite.concurrent && !suite.suite?.shuffle && isOneSample(suite)) suite.concurrent = true
    }
    // nobody may wait for the end of a sample that does not run, or that comes in another order
    for (const state of known) if (!wanted.has(state.buildArgs) || shuffled.has(state)) state.end()
    if (wanted.size > 0) service().notify('prefetch', [...wanted])
  }

  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onBeforeRunSuite(suite)
    const { suite: task } = suite
    const isRun = suite.mode === 'run' || suite.mode === 'queued'
    if (!task || !suite.concurrent || !isRun || suite.result?.state === 'fail' || !isOneSample(suite)) return
    let window = this.#windows.get(task)
    if (!window) this.#windows.set(task, (window = new SampleWindow(workerOptions().samplesAtOnce)))
    this.#places.set(suite, await window.enter())
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    const [first] = suite.tasks
    const state = first?.type === 'test' ? stateOf(first) : undefined
    if (state) {
      state.end()
      forget(state)
    }
    const place = this.#places.get(suite)
    if (suite.suite && place !== undefined) this.#windows.get(suite.suite)?.leave(place)
    await super.onAfterRunSuite(suite)
  }

  /** Tests of a sample that did not build, or did not end by itself, never start. */
  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test)
    const state = stateOf(test)
    const note = state && test.mode === 'run' ? whySkipped(state, test) : undefined
    if (note === undefined) return
    test.mode = 'skip'
    if (test.meta.npu) test.meta.npu.spared = true
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
  return hung === undefined ? undefined : `${hung.how}: the rest of ${sampleTitle(buildArgs.sample)} is left out`
}

const testsOf = (task: RunnerTask): RunnerTestCase[] => (task.type === 'suite' ? task.tasks.flatMap(testsOf) : [task])

/** Does a suite hold the tests of a sample, and nothing else? */
const isOneSample = ({ tasks }: RunnerTestSuite): boolean =>
  tasks.every((task) => task.type === 'test' && task.meta.npu?.sample !== undefined && task.meta.npu.sample !== null)
