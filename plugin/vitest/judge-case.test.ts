// stand-ins have only what is asked of them
// oxlint-disable typescript/no-unsafe-type-assertion
import { afterEach, expect, test, vi, type TestContext } from 'vitest'
import type { Outcome } from '../evaluation/evaluate.ts'
import { emptyTensor, type LaunchResult, type TensorSpec } from '../model/index.ts'
import { conclude } from './judge-case.ts'
import type { SampleState } from './sample-state.ts'
import type { TaskScope } from './task-scope.ts'

const call = vi.hoisted(() => vi.fn())
vi.mock('./worker.ts', async () => {
  const { PreparedCases } = await import('../evaluation/prepared.ts')
  return { service: () => ({ call }), prepared: new PreparedCases() }
})
afterEach(() => vi.resetAllMocks())

const tensor: TensorSpec = { dtype: 'float32', shape: [4] }
const argument = (name: string) => ({ name, kind: 'tensor', required: true, dtypes: ['float32'] })
const scope = {
  task: {
    interface: { name: 'T', inputs: [argument('x')], outputs: [argument('y')] },
    draw: () => ({ x: emptyTensor('float32', [4]) }),
  },
  options: { root: '/', environment: [], profile: 'standard' },
  samples: [],
  file: '/T.spec.ts',
} as unknown as TaskScope

const example = { index: [2], expected: '1', actual: '2' }
const comparison = { output: 'y', elements: 4, mismatches: 1, ...example, examples: [example] }
const outcome: Outcome = {
  verdict: { kind: 'wrong-value', comparison },
  reports: [],
  log: '',
  judged: { task: 'T', name: 'a', combination: 0, inputs: { x: tensor }, outputs: { y: tensor }, attrs: {}, seed: 3 },
}
const details = { title: 'a', sampleName: 's', sampleRoot: null, environment: [] }

/** Concludes a test with wrong outputs whose build and second launch are as told; what its meta has then, and how it ended. */
async function concluded(
  build: () => Promise<unknown>,
  launch: () => Promise<LaunchResult>,
  aborting?: AbortController,
) {
  call.mockImplementation((method: string) => (method === 'build' ? build() : launch()))
  const { signal } = aborting ?? new AbortController()
  const ctx = { task: { id: '1', name: 'a', meta: { npu: {} } }, signal } as unknown as TestContext
  const state = { buildArgs: { sample: {} }, defects: new Map() } as unknown as SampleState
  const error: unknown = await conclude(scope, state, ctx, outcome, details).catch((thrown: unknown) => thrown)
  return { verdict: ctx.task.meta.npu?.verdict, error }
}

const builds = () => Promise.resolve({ ok: true, artifact: 'built' })
const writer = { instruction: 'DataCopy', core: 'AIV 0', writes: 1 }

test('a verdict on wrong outputs has who wrote them', async () => {
  const { verdict, error } = await concluded(builds, () =>
    Promise.resolve({ ok: true, writers: [writer] } as unknown as LaunchResult),
  )
  expect(verdict).toEqual({ kind: 'wrong-value', comparison: { ...comparison, examples: [{ ...example, writer }] } })
  expect(String(error)).toContain('DataCopy')
})

test('a verdict is kept where the launch for writers is aborted', async () => {
  const aborting = new AbortController()
  const { verdict, error } = await concluded(
    builds,
    () => {
      aborting.abort(new Error('stopped'))
      return Promise.reject(new Error('the service is gone'))
    },
    aborting,
  )
  expect(error).toEqual(new Error('stopped'))
  expect(verdict).toEqual(outcome.verdict)
})

test('a verdict is kept where the artifact cannot be had', async () => {
  const { verdict, error } = await concluded(
    () => Promise.resolve({ ok: false, verdict: { kind: 'infrastructure', message: 'no disk' } }),
    () => Promise.reject(new Error('never launched')),
  )
  expect(verdict).toEqual(outcome.verdict)
  expect(String(error)).toContain('wrong-value')
})
