import type { LedgerEntry, Timeline } from '../plugin/ledger/index.ts'

/** Text that a page must show, and never obey. */
export const canary = `<img src=x onerror="globalThis.obeyed=1">'"</script><script>globalThis.obeyed=1</script>\u001B[31m\u202E\u0000 end`

/** Where a verdict is: the number differs from case to case. */
interface Drawn {
  file: string
  line: number
  number: number
}

const kinds: readonly ((drawn: Drawn) => LedgerEntry['verdict'])[] = [
  () => ({ kind: 'correct' }),
  () => ({ kind: 'correct' }),
  ({ file, line }) => ({
    kind: 'compile-failed',
    stage: 'kernel',
    class: 'api-signature',
    diagnostics: [{ severity: 'error', message: `no matching function: ${canary}`, file, line, column: 3 }],
    log: canary,
  }),
  ({ file, line, number }) => ({
    kind: 'wrong-value',
    comparison: {
      output: 'y',
      elements: 4096,
      mismatches: 17,
      index: [3, 5],
      expected: '1.5',
      actual: '-2.25',
      error: 3.75,
      limit: 0.001,
      pattern: 'exactly y[3, 5..21]',
      examples: [
        { index: [3, 5], expected: '1.5', actual: '-2.25', error: 3.75, limit: 0.001, writer: writerAt(file, line) },
        { index: [3, 6], expected: '1', actual: canary, error: 1, limit: 0.001, writer: null },
        ...Array.from({ length: 6 }, (_, i) => exampleAt(file, line, mixed(number, i))),
      ],
    },
  }),
  ({ file, line }) => ({ kind: 'hazard', report: raceAt(file, line) }),
  () => ({ kind: 'crashed', signal: 'SIGSEGV', message: canary }),
]

/** A wrong element whose values are like no other's, as those of drawn inputs are. */
function exampleAt(file: string, line: number, number: number) {
  const [expected, actual] = [Math.fround(number / 2 ** 20), Math.fround(mixed(number, 1) / 2 ** 20)]
  const index = [number % 64, mixed(number, 2) % 64]
  const error = Math.abs(expected - actual)
  const limit = expected / 1000
  return { index, expected: `${expected}`, actual: `${actual}`, error, limit, writer: writerAt(file, line) }
}

const writerAt = (file: string, line: number) => ({
  instruction: 'DataCopyPad',
  core: 'AIV 47',
  file,
  line: line + 5,
  writes: 3,
})

const raceAt = (file: string, line: number) => ({
  code: 'LocalRace',
  severity: 'error' as const,
  message: 'reads what another pipe still writes',
  hint: 'wait for the event of the copy',
  core: 'AIV 3',
  instruction: 'Add',
  file,
  line,
  other: { instruction: 'DataCopy', file, line: line + 2 },
  count: 12,
})

const latencyOf = (mean: number): NonNullable<LedgerEntry['latency']> => ({
  unit: 'ns',
  mean,
  p50: mean,
  p99: mean,
  min: mean,
  max: mean,
  sd: 0,
  rme: 0,
  samples: 1,
  source: 'emulated',
  profile: 'Ascend910B2 v10',
})

/** The sources of a sample, whose lines the verdicts name. */
export const sourcesOf = (task: number, sample: number): Record<string, string> => ({
  'op_kernel/k.cpp': [
    `// ${canary}`,
    ...Array.from({ length: 60 }, (_, line) => `  Compute(${task}, ${line === sample % 60 ? sample + 1000 : line});`),
  ].join('\n'),
})

/** The name of the timeline that all right samples have. */
export const timelineHash = 'e'.repeat(32)

/** A core that loads and stores in turns, each of which waits for the other. */
export const timeline: Timeline = {
  names: ['', 'DataCopy', 'MTE2', 'MTE3', canary],
  cores: [
    {
      core: 'AIV 0',
      end: 1_000_000,
      pipes: [
        {
          pipe: 'MTE2',
          intervals: [
            [0, 200_000, 200_000, 0, 1, 1, 0],
            [200_000, 500_000, 0, 300_000, 1, 0, 3],
            [500_000, 700_000, 200_000, 0, 1, 4, 0],
          ],
        },
        {
          pipe: 'MTE3',
          intervals: [
            [0, 200_000, 0, 200_000, 1, 0, 2],
            [200_000, 500_000, 300_000, 0, 1, 1, 0],
            [500_000, 700_000, 0, 200_000, 1, 0, 2],
            [700_000, 1_000_000, 150_000, 30_000, 40, 1, 2],
          ],
        },
      ],
    },
  ],
}

/** A number that looks as if it were drawn. */
const mixed = (task: number, sample: number): number => Math.imul(task * 1000 + sample + 1, 0x9e3779b1) >>> 7

/** Cases of a sample; where values are wrong they are in all but one of many. */
const [cases, casesOfWrong] = [3, 13]

/** Entries of tasks that are each solved by so many samples of two models, with every kind of failure. */
export function syntheticEntries(
  tasks: number,
  samples: number,
  hashOf: (task: number, sample: number) => string,
): LedgerEntry[] {
  const entries: LedgerEntry[] = []
  for (let task = 0; task < tasks; task++)
    for (let sample = 0; sample < samples; sample++) {
      const model = sample % 2 === 0 ? 'model-a' : `model-b ${canary}`
      const common = {
        v: 3,
        suite: 'npukernelbench',
        group: `level${1 + (task % 3)}`,
        task: `Task${task}`,
        category: task % 2 === 0 ? 'Math' : 'Norm',
        model,
        sample: `sample${sample}`,
        profile: 'standard',
        seed: 7,
        target: 'emulator',
        soc: 'Ascend910B2',
        sources: hashOf(task, sample),
      } as const
      const verdictOf = kinds[mixed(task, sample) % kinds.length]!
      const verdictAt = (index: number): LedgerEntry['verdict'] =>
        verdictOf({
          file: `/home/me/s${sample}/op_kernel/k.cpp`,
          line: 12,
          number: (task * 1000 + sample) * casesOfWrong + index,
        })
      const verdict = verdictAt(1)
      const isWrong = verdict.kind === 'wrong-value'
      if (verdict.kind === 'compile-failed') {
        entries.push({ ...common, stage: 'compile', case: 'compiles', verdict })
        continue
      }
      entries.push({ ...common, stage: 'compile', case: 'compiles', verdict: { kind: 'correct' }, ms: 900 })
      for (let index = 0; index < (isWrong ? casesOfWrong : cases); index++)
        entries.push({
          ...common,
          stage: 'static',
          case: `static ${index}: x float16[${8 << index}]`,
          verdict: index === 1 || (isWrong && index > 1) ? verdictAt(index) : { kind: 'correct' },
          ms: 3.5,
        })
      if (verdict.kind !== 'correct') continue
      const mean = 900 + (mixed(sample, task) % 1500)
      entries.push({
        ...common,
        stage: 'latency',
        case: 'latency',
        verdict,
        latency: latencyOf(mean),
        baseline: latencyOf(1500),
        speedup: 1500 / mean,
        timeline: timelineHash,
        pipes: { MTE2: mean / 2, V: mean / 4, MTE3: mean / 3 },
        code: {
          blocks: 20,
          reached: 15,
          missed: [{ file: 'op_kernel/k.cpp', lines: [[20, 24]] }],
          partial: [],
          tilingKeys: ['3'],
        },
      })
    }
  return entries
}
