import { inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { compareRuns, type LedgerEntry } from '../ledger/index.ts'
import { barLabel, histogramOf } from './charts.ts'
import { reportedOf } from './details.ts'
import { escapeHtml, Html, markup } from './html.ts'
import { pageOf } from './page.ts'
import { packBlocks, packed } from './blocks.ts'

const canary = `<img src=x onerror=alert(1)>"'&</script>\u001B[31m\u202E`

const entry = (change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  v: 3,
  suite: 'npukernelbench',
  group: 'level1',
  task: 'Sqrt',
  category: 'Math',
  model: null,
  sample: 'a',
  stage: 'static',
  case: 'static 0',
  verdict: { kind: 'correct' },
  seed: 7,
  target: 'emulator',
  soc: 'Ascend910B2',
  profile: 'standard',
  ...change,
})

const race = {
  code: 'LocalRace',
  severity: 'error',
  message: 'reads what is written',
  core: 'AIV 0',
  instruction: 'Add',
  file: '/home/me/samples/a/op_kernel/k.cpp',
  line: 3,
  other: { instruction: 'DataCopy', file: '/home/me/samples/a/op_kernel/k.cpp', line: 9 },
  count: 1,
} as const
const wrong = { kind: 'wrong-structure', message: 'no output' } as const

test('what is no markup is escaped, in content and in attributes', () => {
  expect(escapeHtml(canary)).toBe(
    String.raw`&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;&lt;/script&gt;\x1b[31m\u202e`,
  )
  expect(markup`<p title="${'"x'}">${['<b>', new Html('<i>'), 3]}</p>`.text).toBe(
    '<p title="&quot;x">&lt;b&gt;<i>3</p>',
  )
})

test('a sample is what stopped it, and a task without samples is there', () => {
  const { listing } = reportedOf([
    entry(),
    entry({ case: 'static 1', verdict: { kind: 'hazard', report: race } }),
    entry({ case: 'static 2', verdict: wrong }),
    entry({ sample: 'b', speedup: 2, stage: 'latency' }),
    entry({ sample: 'b' }),
    entry({ sample: 'c', verdict: { kind: 'infrastructure', message: 'no disk' } }),
    entry({ sample: 'd' }),
    entry({ sample: 'd', stage: 'latency', verdict: { kind: 'implausible', latencyNs: 1, floor: floorOf } }),
    entry({ task: 'Exp', group: null, sample: null, stage: 'compile', verdict: { kind: 'no-candidate' } }),
  ])
  expect(listing.tasks.map(({ name, level }) => [name, level])).toEqual([
    ['Sqrt', 'level1'],
    ['Exp', 'npukernelbench'],
  ])
  expect(
    listing.samples.map(({ name, status, speedup, cases, failed }) => [name, status, speedup, cases, failed]),
  ).toEqual([
    ['a', 'wrong-structure', null, 3, 2],
    ['b', 'correct', 2, 1, 0],
    ['c', 'undecided', null, 0, 0],
    ['d', 'implausible', null, 1, 0],
  ])
})

const floorOf = { ns: 2, launchNs: 0, memoryNs: 2, cubeNs: 0, read: 1, written: 1, multiplications: 0 }

test('details name files and no places of the machine, and cut what is too much', () => {
  const reports = Array.from({ length: 25 }, (_, line) => ({ ...race, line }))
  const { details } = reportedOf([entry({ verdict: { kind: 'hazard', report: race }, reports, failing: canary })])
  const [found] = details[0]!.cases
  expect(found).toMatchObject({
    kind: 'hazard',
    moreFindings: 5,
    failing: expect.stringContaining(String.raw`\x1b[31m\u202e`),
  })
  expect(found?.findings).toHaveLength(20)
  expect(found?.findings?.[3]).toMatchObject({
    file: 'op_kernel/k.cpp',
    line: 3,
    other: { file: 'op_kernel/k.cpp', line: 9 },
  })
  expect(JSON.stringify(details)).not.toContain('/home/me')
})

test('the first wrong cases show all of their elements, later ones a few and how many are left out', () => {
  const examples = Array.from({ length: 8 }, (_, i) => ({ index: [i], expected: '1', actual: `${i}` }))
  const comparison = { output: 'y', elements: 9, mismatches: 8, ...examples[0]!, examples }
  const cases = Array.from({ length: 5 }, (_, i) =>
    entry({ case: `static ${i}`, verdict: i === 1 ? { kind: 'correct' } : { kind: 'wrong-value', comparison } }),
  )
  const found = reportedOf(cases).details[0]!.cases
  expect(found.map(({ comparison, moreExamples }) => [comparison?.examples?.length, moreExamples])).toEqual([
    [8, undefined],
    [undefined, undefined],
    [8, undefined],
    [8, undefined],
    [2, 6],
  ])
  // the table says it
  expect(found.some(({ message }) => message !== undefined)).toBe(false)
})

test('what has changed against another run is marked', () => {
  const before = [entry(), entry({ sample: 'b', verdict: wrong }), entry({ sample: 'c' })]
  const after = [entry({ verdict: wrong }), entry({ sample: 'b' }), entry({ sample: 'c' })]
  const { listing } = reportedOf(after, compareRuns(before, after))
  expect(listing.samples.map(({ name, change }) => [name, change])).toEqual([
    ['a', 'lost'],
    ['b', 'gained'],
    ['c', undefined],
  ])
})

const unpacked = (text: string): unknown => JSON.parse(inflateRawSync(Buffer.from(text, 'base64')).toString('utf8'))

const text = (hash: string): Record<string, string> => ({
  'op_kernel/k.cpp': Array.from({ length: 300 }, (_, i) => `${hash} ${(i * i * 7919) % 1009}`).join('\n'),
})

test('blocks are packed task by task; where there is no room, what is urgent comes first', () => {
  const [right, bad, none] = ['1'.repeat(32), '2'.repeat(32), '3'.repeat(32)]
  const wanted = [
    { task: 0, hash: right, urgent: false },
    { task: 0, hash: bad, urgent: true },
    { task: 0, hash: none, urgent: false },
    { task: 0, hash: right, urgent: false },
  ]
  const read = (hash: string) => (hash === none ? undefined : text(hash))
  const all = packBlocks(wanted, read, 1e6)
  expect(all.blocks.map(unpacked)).toEqual([{ [right]: text(right), [bad]: text(bad) }])
  expect(all).toMatchObject({
    leftOut: 0,
    blockOf: new Map([
      [bad, 0],
      [right, 0],
    ]),
  })
  const some = packBlocks(wanted, read, all.blocks[0]!.length - 1)
  expect(some.blocks.map(unpacked)).toEqual([{ [bad]: text(bad) }])
  // two samples have the same
  expect(some.leftOut).toBe(2)
  expect(packBlocks(wanted, read, 10)).toEqual({ blocks: [], blockOf: new Map(), leftOut: 3 })
})

test('what one task has no room for, and a later one has, is not left out', () => {
  const wanted = [0, 1].map((task) => ({ task, hash: 'a', urgent: false }))
  const room = packBlocks(wanted, text, 1e6).blocks[0]!.length
  const found = packBlocks(wanted, text, room)
  expect(found).toMatchObject({ blockOf: new Map([['a', 0]]), leftOut: 0 })
})

test('blocks are of a size, and each task has its share', () => {
  const wanted = Array.from({ length: 40 }, (_, i) => ({ task: Math.floor(i / 20), hash: String(i), urgent: false }))
  const characters = JSON.stringify(text('0')).length * 4
  const all = packBlocks(wanted, text, 1e6, characters)
  expect(all.blocks).toHaveLength(10)
  for (const [hash, block] of all.blockOf) expect(unpacked(all.blocks[block]!)).toHaveProperty(hash)
  expect([all.blockOf.size, all.leftOut]).toEqual([40, 0])
  const room = all.blocks.reduce((sum, block) => sum + block.length, 0) / 2
  const some = packBlocks(wanted, text, room, characters)
  expect(some.blocks.reduce((sum, block) => sum + block.length, 0)).toBeLessThanOrEqual(room)
  const tasks = [...some.blockOf.keys()].map((hash) => Math.floor(Number(hash) / 20))
  for (const task of [0, 1]) expect(tasks.filter((each) => each === task).length).toBeGreaterThan(5)
  expect(some.leftOut).toBe(40 - some.blockOf.size)
})

test('a page holds no text of a candidate as markup, and lets nothing run but its script', () => {
  const page = pageOf({
    entries: [
      entry({
        model: canary,
        task: canary,
        category: canary,
        sample: canary,
        verdict: { kind: 'crashed', signal: canary, message: canary },
      }),
      entry({ model: 'other', group: canary }),
    ],
    names: [canary],
    sources: () => ({ [canary]: canary }),
    timelines: () => undefined,
    assets: { script: 'globalThis.made = 1', style: 'p { color: red }' },
    seed: 0,
    now: new Date(0),
  })
  for (const text of ['<img', '\u001B', '\u202E']) expect(page).not.toContain(text)
  const scripts = [...page.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)]
  expect(page.match(/<\/script>/g)).toHaveLength(scripts.length)
  expect(scripts.filter(([, kind]) => kind === ' type="module"').map(([, , text]) => text)).toEqual([
    'globalThis.made = 1',
  ])
  for (const [, kind, text] of scripts.slice(0, -1)) {
    expect(kind).toContain('type="text/plain"')
    expect(text).toMatch(/^[\w+/=]+$/)
  }
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[\w+/=]{44}'; style-src 'sha256-[\w+/=]{44}';/)
  // no bracket of a tag is left over
  expect(page).not.toMatch(/>\s*>/)
  expect(page).not.toMatch(/style="|\son\w+="/)
})

test('a histogram of speedups counts each once', () => {
  const bars = histogramOf([0.01, 0.99, 1, 1.05, 8, 300])
  expect(bars.filter(({ count }) => count > 0).map((bar) => [barLabel(bar), bar.count])).toEqual([
    ['< 0.125x', 1],
    ['0.9–1x', 1],
    ['1–1.1x', 2],
    ['≥ 8x', 2],
  ])
  expect(packed({ a: 1 })).toMatch(/^[\w+/=]+$/)
})
