import { integer, record } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Outcome } from '../evaluation/evaluate.ts'
import type { Answer, Assessment, KernelCase, Verdict } from '../model/index.ts'
import { Draws } from '../search/index.ts'
import { leastRuns, search, type Search } from './property.ts'

const caseOf = (size: number, seed = 0): KernelCase => ({
  task: 'Sqrt',
  name: 'generated',
  combination: 0,
  inputs: { x: { dtype: 'float32', shape: [size] } },
  outputs: { y: { dtype: 'float32', shape: [size] } },
  attrs: {},
  seed,
})

const domain = record({ size: integer({ min: 1, max: 1000 }), seed: integer() }).map((r) => caseOf(r.size, r.seed))
const sizeOf = (kernelCase: KernelCase): number => [kernelCase.inputs['x'] ?? []].flat()[0]?.shape[0] ?? 0
const outcome = (verdict: Verdict): Outcome => ({ verdict, reports: [], log: '' })
const correct = outcome({ kind: 'correct' })
const wrong = outcome({ kind: 'wrong-structure', message: 'no' })
const ours = outcome({ kind: 'infrastructure', message: 'golden failed' })

const assessed = (benchmark: Answer): Assessment => ({
  answers: { standard: 'accepted', strict: 'accepted', benchmark },
  accuracy: 'exact',
})

const searchFor = (evaluate: (size: number) => Outcome | Promise<Outcome>, change: Partial<Search> = {}) =>
  search({
    domain,
    corpus: [],
    evaluate: async (kernelCase) => evaluate(sizeOf(kernelCase)),
    runs: 50,
    budgetMs: 10_000,
    seed: 42,
    signal: new AbortController().signal,
    ...change,
  })

const launched = {
  latencyNs: 1,
  hostMs: 1,
  source: 'emulated' as const,
  addsFloats: false,
  profile: '',
  pipes: {},
  blockDim: 1,
  tilingKey: 0,
}

const late = (outcome: Outcome) => new Promise<Outcome>((done) => setTimeout(done, 100, outcome))

describe('the search for a failing case', () => {
  test('a kernel that is right everywhere holds, and every run was made', async () => {
    expect(await searchFor(() => correct)).toMatchObject({ kind: 'holds', runs: 50, interrupted: false })
  })

  test('one case that the public rule rejects is remembered, whatever comes after it', async () => {
    const accepted: Outcome = { ...correct, assessment: assessed('accepted') }
    const rejected: Outcome = { ...correct, assessment: assessed('rejected') }
    let tried = 0
    expect(await searchFor(() => (++tried === 5 ? rejected : accepted))).toMatchObject({
      assessment: assessed('rejected'),
    })
    expect(await searchFor(() => accepted)).toMatchObject({ assessment: assessed('accepted') })
  })

  test('one that its time has cut short is taken up where it was, under its seed', async () => {
    const whole: number[] = []
    await searchFor((size) => (whole.push(size), correct))
    const rest: number[] = []
    const finding = await searchFor((size) => (rest.push(size), correct), { earlier: { generated: 20 } })
    expect(finding).toMatchObject({ kind: 'holds', runs: 50, generated: 50, interrupted: false })
    expect(rest).toEqual(whole.slice(20))
    const failing = await searchFor((size) => (size >= 33 ? wrong : correct), { earlier: { generated: 20 } })
    expect(failing.kind === 'fails' && sizeOf(failing.case)).toBe(33)
  })

  test('what the public rule rejected before stays rejected', async () => {
    const accepted: Outcome = { ...correct, assessment: assessed('accepted') }
    const earlier = { generated: 20, assessment: assessed('rejected') }
    expect(await searchFor(() => accepted, { earlier })).toMatchObject({ assessment: assessed('rejected') })
  })

  test('a failure is shrunk to the smallest failing case', async () => {
    const finding = await searchFor((size) => (size >= 33 ? wrong : correct))
    expect(finding.kind).toBe('fails')
    if (finding.kind === 'fails') expect(sizeOf(finding.case)).toBe(33)
  })

  test('its seed and path lead to the same case, in one run', async () => {
    const first = await searchFor((size) => (size >= 33 ? wrong : correct))
    if (first.kind !== 'fails') throw new Error('not found')
    const tried: number[] = []
    const again = await searchFor((size) => (tried.push(size), size >= 33 ? wrong : correct), {
      replay: first.replay,
      seed: 1,
    })
    expect(tried).toEqual([33])
    expect(again).toMatchObject({ kind: 'fails', case: first.case, shrinks: 0 })
  })

  test('whatever chooses a draw, its name leads to the same case, shrunk alike', async () => {
    const draws = new Draws(domain, 42)
    const names = ['9', '4', '12.3', '12.3.1', '5']
    const sizes = names.map((name) => sizeOf(draws.value(name).value))
    const least = Math.floor((sizes[2] ?? 0) / 2)
    const told: (string | undefined)[] = []
    const choose = () => {
      const left = names.values()
      const next = async () => left.next().value ?? '0'
      return { next, note: (reached: string | undefined) => void told.push(reached) }
    }
    const tried: number[] = []
    // what the first two show is right
    const wrongLater = (size: number): Outcome => {
      tried.push(size)
      if (tried.length > 2 && size >= least) return wrong
      return { ...correct, launch: { ...launched, reached: String(tried.length) } }
    }
    const first = await searchFor(wrongLater, { choose })
    expect(tried.slice(0, 3)).toEqual(sizes.slice(0, 3))
    expect(told).toEqual(['1', '2'])
    if (first.kind !== 'fails') throw new Error('not found')
    expect(first.replay).toMatch(/^42:12\.3:\d/)
    expect(sizeOf(first.case)).toBe(least)
    const again: number[] = []
    const found = await searchFor((size) => (again.push(size), wrong), { replay: first.replay, choose, seed: 1 })
    expect(again).toEqual([least])
    expect(found).toMatchObject({ kind: 'fails', case: first.case })
  })

  test.each(['3@1=777', '3@1=777.2', '3.2@0=5@1=6'])('a draw of the name %s is replayed', async (name) => {
    const tried: number[] = []
    await searchFor((size) => (tried.push(size), correct), { replay: `42:${name}` })
    expect(tried).toEqual([sizeOf(new Draws(domain, 42).value(name).value)])
  })

  test('the corpus is tried before anything is generated', async () => {
    const finding = await searchFor((size) => (size === 7 ? wrong : correct), { corpus: [caseOf(3), caseOf(7)] })
    expect(finding).toMatchObject({ kind: 'fails-again', runs: 2, case: caseOf(7) })
  })

  test('a failure of ours among the shrinks of a case leaves the case wrong', async () => {
    let tried = 0
    const finding = await searchFor(() => (++tried === 1 ? wrong : ours))
    expect(finding).toMatchObject({ kind: 'fails', outcome: wrong, shrinks: 0 })
    expect(tried).toBe(2)
  })

  test('a failure of ours ends the search and is no finding against the candidate', async () => {
    const tried: number[] = []
    const finding = await searchFor((size) => (tried.push(size), size > 100 ? ours : correct))
    expect(finding).toMatchObject({ kind: 'stopped', outcome: ours })
    expect(tried.filter((size) => size > 100)).toHaveLength(1)
  })

  test('a case that has begun is judged to its end, however little time there is', async () => {
    const holds = await searchFor(() => late(correct), { budgetMs: 10, runs: leastRuns + 10 })
    expect(holds).toMatchObject({ kind: 'holds', runs: leastRuns, generated: leastRuns, interrupted: true })
    expect(await searchFor(() => late(wrong), { budgetMs: 10 })).toMatchObject({ kind: 'fails', interrupted: true })
    let cases = 0
    const second = await searchFor(() => (++cases === 2 ? late(wrong) : correct), { budgetMs: 60 })
    expect(second).toMatchObject({ kind: 'fails', runs: 2 })
  })

  test('the time budget ends a search that found nothing, and says so', async () => {
    const finding = await searchFor(() => new Promise((done) => setTimeout(done, 20, correct)), {
      budgetMs: 150,
      runs: 10_000,
    })
    expect(finding).toMatchObject({ kind: 'holds', interrupted: true })
  })

  test('a candidate that is slow does not choose how many cases there are', async () => {
    let cases = 0
    const wrongLater = () => (++cases === leastRuns ? wrong : late(correct))
    expect(await searchFor(wrongLater, { budgetMs: 10 })).toMatchObject({ kind: 'fails', runs: leastRuns })
    // of which an earlier search has tried some
    const earlier = { generated: leastRuns - 1 }
    const rest = await searchFor(() => late(correct), { budgetMs: 10, earlier })
    expect(rest).toMatchObject({ kind: 'holds', generated: leastRuns, interrupted: true })
    // and one more each time
    const more = await searchFor(() => late(correct), { budgetMs: 1, earlier: { generated: leastRuns } })
    expect(more).toMatchObject({ kind: 'holds', generated: leastRuns + 1 })
    // fewer where fewer are asked for
    expect(await searchFor(() => late(correct), { budgetMs: 10, runs: 2 })).toMatchObject({
      kind: 'holds',
      generated: 2,
      interrupted: false,
    })
  })

  test('a malformed replay says what one looks like', async () => {
    await expect(searchFor(() => correct, { replay: 'latest' })).rejects.toThrow(
      'NPU_REPLAY is "latest"; allowed: seed:draw:path',
    )
  })

  test('an error of the surroundings is thrown, not taken for a wrong kernel', async () => {
    await expect(searchFor(() => Promise.reject(new Error('service is gone')))).rejects.toThrow('service is gone')
  })
})
