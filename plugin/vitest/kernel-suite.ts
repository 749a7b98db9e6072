import { join, relative } from 'node:path'
import { describe, expect, test, TestRunner, type RunnerTestSuite, type TestContext } from 'vitest'
import { findSamples } from '../candidates/index.ts'
import type { Stage } from '../ledger/index.ts'
import { clockFactor, qualifiedName, sampleTitle, type KernelCase, type Sample } from '../model/index.ts'
import { placeOf } from '../suites/index.ts'
import { buildArgsOf } from '../task/combinations.ts'
import { noSuchCase, staticCasesOf } from '../task/fixed-case.ts'
import {
  defineTask,
  type Arguments,
  type AttributeDefinitions,
  type KernelTask,
  type TaskDefinition,
} from '../task/index.ts'
import { artifactOf, noteWarnings } from './build.ts'
import { concludeCode } from './code-coverage.ts'
import { answeredBefore } from './earlier.ts'
import { callSite, type TaskScope } from './task-scope.ts'
import { titleOf } from './describe-case.ts'
import { generatedTest, generatedTitle } from './generated-test.ts'
import { saveInterface } from './interfaces.ts'
import { latencyTest, latencyTitle } from './latency-test.ts'
import { leastRuns } from './property.ts'
import { staticTest } from './static-test.ts'
import { closeVerdictCache } from './remember.ts'
import { newSample, registerSample } from './sample-state.ts'
import type { KernelMeta } from './meta.ts'
import { tagOf } from './tags.ts'
import { answeredByTwin, noteEnd, Twins } from './twins.ts'
import { initialMeta, record } from './verdicts.ts'
import { workerOptions } from './worker.ts'

/**
 * Turns a task into Vitest suites, one for each candidate sample: `compiles`, one test for each static case, `holds for
 * generated shapes`, `latency`. A definition that contradicts itself is one failing test with an infrastructure
 * verdict; a task without a candidate is one skipped test.
 */
export function kernelSuite<I extends Arguments, O extends Arguments, A extends AttributeDefinitions>(
  name: string,
  definition: TaskDefinition<I, O, A>,
): void {
  const at = callSite(kernelSuite)
  const options = workerOptions()
  const file = expect.getState().testPath ?? ''
  const place = placeOf(file, options.suites)
  const isSecond = isNamedTwice(name)
  describe(name, () => {
    let task: KernelTask
    try {
      if (isSecond) throw new Error(`a second kernelSuite('${name}', …) in one file: give it another name`)
      task = defineTask(name, definition, place)
    } catch (error) {
      return registerBrokenTask({ ...place, task: name, category: definition.category }, error, at)
    }
    const { suites, shared, tasks } = options
    const { samples, ignored } = findSamples(options.candidates, {
      suites,
      shared,
      tasks,
      task: { suite: place.suite, name },
      model: options.model,
    })
    const scope: TaskScope = { task, samples, options, file, at }
    if (samples.length === 0)
      return registerNoCandidate(
        scope,
        ignored.map(({ path, reason }) => `${path} ${reason}`),
      )
    const { location } = TestRunner.getCurrentSuite().suite ?? {}
    // who has everything judged afresh has each of them judged
    const twins = options.remember && samples.length > 1 ? new Twins() : undefined
    for (const sample of samples)
      describe(sampleTitle(sample), () => {
        registerSampleTests(scope, sample, twins)
        locate(location)
      })
  })
}

const namesOf = new WeakMap<object, Set<string>>()

/** Whether the file has a suite of that name already, below whatever: verdicts are remembered, and told, by names. */
function isNamedTwice(name: string): boolean {
  const around = TestRunner.getCurrentSuite()
  // a file has another object each time that it is collected
  const file = around.file ?? around
  const names = namesOf.get(file) ?? new Set()
  namesOf.set(file, names)
  return names.size === names.add(name).size
}

/**
 * Where editors find what has just been registered: at the call of `kernelSuite()`, which Vitest alone cannot see any more. No
 * place is given where none is asked for.
 */
function locate(location: TestLocation | undefined): void {
  if (!location) return
  const { suite, tasks } = TestRunner.getCurrentSuite()
  if (suite) suite.location = location
  for (const task of tasks) if (task.type === 'test') task.location = location
}

/** Waiting for a build may include waiting for all builds before it, and for the emulator itself the first time. */
const buildWaitMs = 30 * 60_000

type TestLocation = NonNullable<RunnerTestSuite['location']>

interface Entry {
  title: string
  stage: Stage
  dtype?: string | undefined
}

/** Registers one test of a task; `sample` is null where there is no candidate. */
function add(
  scope: TaskScope,
  sample: Sample | null,
  { title, stage, dtype }: Entry,
  run: (ctx: TestContext) => Promise<void> | void,
): void {
  const { task, options } = scope
  const tags = [tagOf('stage', stage), tagOf('category', task.interface.category)]
  if (dtype) tags.push(tagOf('dtype', dtype))
  test(
    title,
    {
      meta: { npu: initialMeta(scope, sample, stage, title) },
      tags: tags.filter((tag) => options.tags.includes(tag)),
      timeout:
        buildWaitMs +
        (stage === 'generated' ? options.fuzzBudgetMs : 0) +
        (stage === 'generated' ? 2 * leastRuns : 4) * clockFactor * options.launchTimeoutMs,
    },
    run,
  )
}

const staticEntry = (kernelCase: KernelCase, { task }: TaskScope): Entry => ({
  title: titleOf(kernelCase, task.interface),
  stage: 'static',
  dtype: dtypeOf(kernelCase),
})

function registerSampleTests(scope: TaskScope, sample: Sample, twins: Twins | undefined): void {
  const { task, options, file } = scope
  const { fixedCase } = sample
  const state = newSample(buildArgsOf(task, sample))
  state.twin = twins?.of(state)
  if (state.twin) state.twin.ended ??= new Map()
  registerSample(file, initialMeta(scope, sample, 'compile', ''), state)
  void state.over.then(() => {
    if (state.built?.ok) closeVerdictCache(scope, state.built.artifact)
  })
  const ask = (entry: Entry, judge: (ctx: TestContext) => Promise<void>): void =>
    add(scope, sample, entry, async (ctx) => {
      try {
        if (await answeredBefore(scope, state, ctx)) return
        if (await answeredByTwin(scope, state, ctx)) return
        await judge(ctx)
      } finally {
        noteEnd(state, ctx)
      }
    })
  saveInterface(options.interfaces, { task: task.interface, combinations: state.buildArgs.combinations })

  ask({ title: 'compiles', stage: 'compile' }, async (ctx) => {
    await artifactOf(scope, state, ctx)
    noteWarnings(state, ctx)
    record(ctx, { kind: 'correct' })
  })
  const cases = staticCasesOf(task, sample)
  for (const kernelCase of cases)
    ask(staticEntry(kernelCase, scope), (ctx) => staticTest(scope, state, kernelCase, ctx))
  if (cases.length === 0 && fixedCase !== undefined) {
    const title = `static ${fixedCase}`
    return ask({ title, stage: 'static' }, async (ctx) =>
      failBroken(ctx, new Error(noSuchCase(task, fixedCase)), scope.at),
    )
  }
  if (fixedCase === undefined && options.fuzzRuns > 0)
    ask({ title: generatedTitle, stage: 'generated' }, (ctx) => generatedTest(scope, state, ctx))
  ask({ title: latencyTitle, stage: 'latency' }, async (ctx) => {
    await concludeCode(state, ctx)
    await latencyTest(scope, state, ctx)
  })
}

/** The dtype a person would name a case by: that of its first tensor. */
function dtypeOf(kernelCase: KernelCase): string | undefined {
  const [first] = Object.values(kernelCase.inputs).flat()
  return first?.dtype
}

/** The static cases are there to be listed and found by filters; one note says why they are skipped. */
function registerNoCandidate(scope: TaskScope, problems: readonly string[]): void {
  const { task, options } = scope
  const { name } = task.interface
  const operator = options.shared[name] ? qualifiedName(task.interface) : name
  const places = options.candidates.map((folder) =>
    join(relative(options.root, folder) || folder, operator, 'op_kernel'),
  )
  const because = problems.length > 0 ? ` (${problems.join('; ')})` : ''
  add(scope, null, { title: 'has a candidate', stage: 'compile' }, (ctx) => {
    record(ctx, { kind: 'no-candidate' })
    ctx.skip(`no candidate for ${name}; put one in ${places.join(' or ')}${because}`)
  })
  for (const kernelCase of task.staticCases) add(scope, null, staticEntry(kernelCase, scope), (ctx) => ctx.skip())
  locate(TestRunner.getCurrentSuite().suite?.location)
}

/** The rest of the file and of the run goes on; the ledger says that this task was not judged, and why. */
function registerBrokenTask(
  broken: Pick<KernelMeta, 'suite' | 'group' | 'task' | 'category'>,
  error: unknown,
  at: string,
): void {
  const { seed, target, soc, profile, model = null } = workerOptions()
  const title = 'is a task'
  const meta = { ...broken, model, sample: null, stage: 'compile' as const, case: title, seed, target, soc, profile }
  test(title, { meta: { npu: meta } }, (ctx) => failBroken(ctx, error, at))
  locate(TestRunner.getCurrentSuite().suite?.location)
}

/** Fails a test for what is no fault of a candidate; the error points at the spec. */
function failBroken(ctx: TestContext, error: unknown, at: string): never {
  const message = error instanceof Error ? error.message : String(error)
  record(ctx, { kind: 'infrastructure', message })
  const failure = new Error(message)
  failure.name = error instanceof Error ? error.name : 'Error'
  failure.stack = `${failure.name}: ${message}\n${at}`
  throw failure
}
