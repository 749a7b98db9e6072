import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LedgerEntry } from '../ledger/index.ts'
import { ledgerOf, markLatest, newRunId } from '../ledger/runs.ts'

vi.setConfig({ testTimeout: 60_000 })

const repository = join(import.meta.dirname, '../..')
const { bin, version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
const program = join(repository, bin['vitest-npu'])

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-score-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs the command line in the folder of the test. */
async function call(...args: string[]): Promise<{ code: number | undefined; out: string; error: string }> {
  const { exitCode, stdout, stderr } = await execa('node', [program, ...args], { cwd: folder, reject: false })
  return { code: exitCode, out: stdout, error: stderr }
}

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
const wrong = { kind: 'wrong-structure', message: '' } as const
const failed = (sample: string, className: 'scope' | 'link'): LedgerEntry =>
  entry({
    sample,
    stage: 'compile',
    verdict: { kind: 'compile-failed', stage: 'kernel', class: className, diagnostics: [], log: '' },
  })

function write(path: string, entries: readonly LedgerEntry[]): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), entries.map((one) => `${JSON.stringify(one)}\n`).join(''))
}

/** A run that began in this year. */
function writeRun(year: number, entries: readonly LedgerEntry[]): string {
  const id = newRunId(new Date(Date.UTC(year, 0)))
  write(ledgerOf('.npu/runs', id), entries)
  markLatest(join(folder, '.npu/runs'), id)
  return id
}

/** Cells of the lines of a text. */
const cellsOf = (text: string): string[][] => text.split('\n').map((line) => line.trim().split(/ {2,}/))

describe('a ledger of others', () => {
  test('has names that objects have themselves, kept as any other', async () => {
    const revisions = JSON.parse('{"__proto__": "accepted", "constructor": "rejected"}')
    const answers = { standard: 'accepted', strict: 'accepted', benchmark: 'accepted', revisions } as const
    write('names.jsonl', [entry({ answers }), entry({ group: 'level2', task: '__proto__', model: '__proto__' })])
    expect((await call('merge', 'names.jsonl', '--out', 'merged.jsonl')).code).toBe(0)
    const merged = readFileSync(join(folder, 'merged.jsonl'), 'utf8')
    expect(merged).toContain(JSON.stringify(revisions))
    expect(merged).toContain('"task":"__proto__"')
    const { code, out } = await call('score', 'merged.jsonl')
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/__proto__@1 +constructor@1/) })
  })

  test('is obeyed by nobody who reads its JSON, and opens as text in a spreadsheet', async () => {
    const name = '##vso[task.setvariable]\u009b2J\u202e'
    write('a.jsonl', [entry({ task: '=cmd()', sample: name, model: name, group: null, suite: name })])
    write('b.jsonl', [entry({ task: '=cmd()', sample: name, model: name, group: null, suite: name, verdict: wrong })])
    const compared = (await call('compare', 'a.jsonl', 'b.jsonl', '--json')).out
    const scored = (await call('score', 'a.jsonl', '--json')).out
    const gated = (await call('gate', 'b.jsonl', '--json', '--min-correct', '1')).out
    for (const out of [compared, scored, gated]) {
      expect(out).not.toMatch(/##vso|[\u009b\u202e]/)
      expect(JSON.stringify(JSON.parse(out))).toContain(name)
    }
    expect((await call('score', 'a.jsonl', '--csv', '--samples')).out).toContain("'=cmd()")
    const markdown = (await call('score', 'a.jsonl', '--markdown')).out
    expect(markdown).not.toContain('##vso')
  })

  test('that cannot be read to an end is one line', async () => {
    write('run/ledger.jsonl', [entry()])
    writeFileSync(join(folder, 'run/lost.json'), '{"a":')
    expect(await call('gate', 'run', '--min-correct', '0')).toMatchObject({
      code: 64,
      error: expect.stringMatching(/^\S+lost.json: is no list of the specs that the run has lost$/),
    })
    symlinkSync('/dev/zero', join(folder, 'zero.jsonl'))
    mkdirSync(join(folder, 'full/ledger.jsonl'), { recursive: true })
    mkdirSync(join(folder, 'piped'))
    execFileSync('mkfifo', [join(folder, 'piped/ledger.jsonl')])
    mkdirSync(join(folder, 'circle'))
    symlinkSync('ledger.jsonl', join(folder, 'circle/ledger.jsonl'))
    for (const name of ['zero.jsonl', 'full', 'piped', 'circle']) {
      const { code, error } = await call('gate', name, '--min-correct', '0')
      expect({ code, error }).toEqual({ code: 64, error: expect.stringMatching(/^.*(?:is no file|ELOOP).*$/) })
    }
    expect((await call('score', 'circle')).error).not.toContain('    at ')
  })
})

describe('score', () => {
  const sqrt = [
    entry(),
    entry({ sample: 'b', verdict: wrong }),
    entry({ stage: 'latency', case: 'latency', speedup: 2 }),
  ]
  const gelu = [entry({ task: 'Gelu', group: 'level2' })]

  test('tells over how many tasks of each level the weighted score is', async () => {
    write('levels.jsonl', [
      entry(),
      entry({ task: 'Abs', verdict: wrong }),
      ...gelu,
      entry({ task: 'TopK', group: 'level3' }),
    ])
    expect((await call('score', 'levels.jsonl')).out).toMatch(
      /NPUKernelBench's weighted score: \d+\.\d of 100, over 2 tasks of level1, 1 of level2, 1 of level3$/m,
    )
  })

  test('shows the latest run: a row for each level and one for all, errors, and what the figures are of', async () => {
    writeRun(2001, [entry({ verdict: wrong })])
    writeRun(2002, [...sqrt, ...gelu])
    const { code, out, error } = await call('score')
    expect({ code, error }).toEqual({ code: 0, error: '' })
    const header = [
      'level',
      'tasks',
      'samples',
      'compile@1',
      'runs@1',
      'correct@1',
      'fast_1@1',
      'speedup',
      'mean speedup',
    ]
    expect(cellsOf(out).slice(0, 9)).toEqual([
      ['scorecard'],
      header,
      ['level1', '1', '2', '100.0%', '100.0%', '50.0%', '50.0%', '2.00x', '2.00x'],
      ['level2', '1', '1', '100.0%', '100.0%', '100.0%', '-', '-', '-'],
      ['all', '2', '3', '100.0%', '100.0%', '75.0%', '50.0%', '2.00x', '2.00x'],
      [''],
      ['errors'],
      ['error', 'samples', 'share'],
      ['wrong-structure', '1', '100.0%'],
    ])
    const columns = ['level', 'standard@1', 'strict@1', 'benchmark@1', 'NPUKernelBench score', 'gap closed']
    expect(cellsOf(out).slice(10, 15)).toEqual([
      ['profiles and scores'],
      columns,
      ['level1', '50.0%', '50.0%', '50.0%', '50.0', '-'],
      ['level2', '100.0%', '100.0%', '100.0%', '100.0', '-'],
      ['all', '75.0%', '75.0%', '75.0%', '75.0', '-'],
    ])
    expect(out).toContain('correct@1 of all: 95% interval 50.0% to 100.0%, bootstrap over tasks')
    expect(out).toContain('seed 7; emulator, Ascend910B2')
  })

  test('has the classes of compile errors beside what was published of them', async () => {
    writeRun(2002, [failed('b', 'scope'), failed('c', 'scope'), failed('d', 'scope'), failed('e', 'link'), ...gelu])
    const lines = cellsOf((await call('score')).out)
    const at = lines.findIndex(([title]) => title === 'compile errors')
    expect(lines.slice(at + 1, at + 9)).toEqual([
      ['class', 'samples', 'share', 'published'],
      ['scope', '3', '75.0%', '16.4%'],
      ['link', '1', '25.0%', '-'],
      ['api-signature', '0', '0.0%', '51.9%'],
      ['data-type', '0', '0.0%', '19.8%'],
      ['object-usage', '0', '0.0%', '8.1%'],
      ['syntax', '0', '0.0%', '3.7%'],
      [''],
    ])
  })

  test('takes files, folders of runs, beginnings of ids and latest, and joins them', async () => {
    const id = writeRun(2002, sqrt)
    write('gelu.jsonl', gelu)
    for (const name of [id, id.slice(0, 5), 'latest', `.npu/runs/${id}`, `.npu/runs/latest/ledger.jsonl`]) {
      const { out } = await call('score', name, 'gelu.jsonl', '--json', '--by', 'task', '--k', '1,2')
      const card = JSON.parse(out)
      expect(card).toMatchObject({ ledgers: [name, 'gelu.jsonl'], by: 'task', k: [1, 2], p: [1] })
      const shown = card.rows.map((row: { name: string; correct: { k: number; value: number | null }[] }) => [
        row.name,
        row.correct.map(({ k, value }) => [k, value]),
      ])
      expect(shown).toEqual([
        [
          'Gelu',
          [
            [1, 1],
            [2, null],
          ],
        ],
        [
          'Sqrt',
          [
            [1, 0.5],
            [2, 1],
          ],
        ],
      ])
    }
  })

  test('writes Markdown, and lines of comma-separated values', async () => {
    write(
      'odd.jsonl',
      [...sqrt, entry({ category: 'a|b, "c"' })].map((one) => ({ ...one, category: 'a|b, "c"' })),
    )
    const markdown = await call('score', 'odd.jsonl', '--markdown', '--by', 'category')
    expect(markdown.out).toContain('| category | tasks |')
    expect(markdown.out).toContain(String.raw`| a\|b, "c" | 1 | 2 |`)
    const { out } = await call('score', 'odd.jsonl', '--csv', '--by', 'category', '--p', '2')
    const lines = out.split('\n')
    expect(lines[0]).toBe('by,row,figure,k,p,comparison,value,low,high,tasks')
    expect(lines).toContain('category,"a|b, ""c""",correct,1,,,0.5,,,1')
    expect(lines).toContain('all,all,fast,1,2,>=,0.5,,,1')
    expect(lines).toContain('all,all,fast,1,2,>,0,,,1')
    expect(lines).toContain('all,all,error wrong-structure,,,,1,,,1')
  })

  test('notes what is judged to an end, whichever samples are asked for', async () => {
    write('few.jsonl', [...sqrt, ...gelu, entry({ task: 'Silu', stage: 'compile' })])
    const silent = '1 of 3 tasks have no sample that was judged to an end: they count in no rate but compile@k'
    const { out } = await call('score', 'few.jsonl', '--k', '10')
    expect(out.split('\n').filter((line) => /judged|correct@\d+ is/.test(line))).toEqual([
      `  ${silent}`,
      '  correct@10 is unknown: no task has 10 samples that were judged to an end',
    ])
    const sorted = await call('score', 'few.jsonl', '--k', '2,1')
    expect(cellsOf(sorted.out)[1]?.filter((cell) => cell.startsWith('correct'))).toEqual(['correct@1', 'correct@2'])
    expect(sorted.out.split('\n').filter((line) => /judged|correct@\d+ is/.test(line))).toEqual([
      `  ${silent}`,
      '  correct@2 is over the 1 tasks that have 2 samples',
    ])
  })

  test('says of which samples not all generated cases were judged', async () => {
    const cut = { stage: 'generated', case: 'holds for generated shapes', runs: 3, cutShort: true } as const
    write('cut.jsonl', [entry(), ...Array.from({ length: 7 }, (_, i) => entry({ ...cut, sample: `s${i}` }))])
    expect((await call('score', 'cut.jsonl')).out).toContain(
      'the time budget (fuzzBudgetMs) has ended the generated cases of 7 samples early, none of which had failed: ' +
        'Sqrt › s0 (3 judged), Sqrt › s1 (3 judged), Sqrt › s2 (3 judged), Sqrt › s3 (3 judged), Sqrt › s4 (3 judged) and 2 more',
    )
    write('whole.jsonl', [entry(), entry({ ...cut, cutShort: undefined })])
    expect((await call('score', 'whole.jsonl')).out).not.toContain('time budget')
  })

  test('says of a torn last line that it is skipped', async () => {
    write('torn.jsonl', gelu)
    writeFileSync(join(folder, 'torn.jsonl'), '{"v":3', { flag: 'a' })
    const { code, out, error } = await call('score', 'torn.jsonl')
    expect({ code, error }).toEqual({
      code: 0,
      error: 'torn.jsonl:2: skipped, the last line is torn: the run was killed while it wrote',
    })
    expect(out).toContain('level2')
  })

  test('ends quietly when nobody reads on', async () => {
    const many = Array.from({ length: 3000 }, (_, i) => entry({ task: `Task${i}` }))
    write('many.jsonl', many)
    const script = `set -o pipefail; node ${program} score many.jsonl --by task --csv | head -1`
    const { exitCode, stdout, stderr } = await execa('bash', ['-c', script], { cwd: folder, reject: false })
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: 'by,row,figure,k,p,comparison,value,low,high,tasks',
      stderr: '',
    })
  })
})

const run = (solved: readonly number[]): LedgerEntry[] =>
  Array.from({ length: 10 }, (_, i) =>
    entry({ task: `T${i}`, verdict: solved.includes(i) ? { kind: 'correct' } : wrong }),
  )

test('compare tells what is gained, lost and how likely that is by chance', async () => {
  write('a.jsonl', run([0, 9]))
  write('b.jsonl', run([1, 2, 3, 4, 5, 6, 7, 9]))
  const { code, out } = await call('compare', 'a.jsonl', 'b.jsonl')
  expect(code).toBe(0)
  expect(out.split('\n')).toEqual([
    'samples that both have: 10',
    'gained, correct in b.jsonl alone: 7',
    ...[1, 2, 3, 4, 5, 6, 7].map((i) => `  T${i} › a: wrong-structure in a.jsonl, static 0`),
    'lost, correct in a.jsonl alone: 1',
    '  T0 › a: wrong-structure in b.jsonl, static 0',
    'faster: 0',
    'slower: 0',
    // 2 (1 + 8) / 2^8
    'McNemar, tasks with a correct sample: 1 in the first alone, 7 in the second alone, p = 0.0703',
    'McNemar, samples: 1 in the first alone, 7 in the second alone, p = 0.0703',
  ])
  const { out: json } = await call('compare', 'a.jsonl', 'b.jsonl', '--json')
  expect(JSON.parse(json)).toMatchObject({ first: 'a.jsonl', samples: 10, lost: [{ task: 'T0' }] })
})

test('compare says why there is no test, and what is undecided', async () => {
  write('a.jsonl', [entry(), entry({ task: 'Gelu' }), entry({ task: 'Silu' })])
  write('b.jsonl', [entry({ stage: 'compile', case: 'compiles' }), entry({ task: 'Relu' })])
  const { out } = await call('compare', 'a.jsonl', 'b.jsonl')
  expect(out.split('\n').slice(0, 2)).toEqual([
    'samples that both have: 0',
    'and that one of them has not judged to an end: 1',
  ])
  expect(out.split('\n').at(-1)).toBe('no McNemar test: tasks of a.jsonl alone: 2, tasks of b.jsonl alone: 1')
})

test('what a ledger says of names is printed as text, in errors as well', async () => {
  const odd = { model: 'm\u001B[2J', task: 'T\n::error::task', sample: 's\u001B]0;x\u0007' }
  write('1.jsonl', [entry(odd)])
  write('2.jsonl', [entry({ ...odd, verdict: wrong })])
  write('3.jsonl', [entry(odd), entry({ ...odd, model: 'n' })])
  const merge = await call('merge', '1.jsonl', '2.jsonl', '--out', 'all.jsonl')
  const compare = await call('compare', '3.jsonl', '2.jsonl')
  expect({ code: merge.code, out: merge.out }).toEqual({ code: 64, out: '' })
  expect({ code: compare.code, error: compare.error }).toEqual({ code: 0, error: '' })
  for (const text of [merge.error, compare.out]) {
    expect(text).not.toContain('\u001B')
    expect(text).not.toMatch(/^::error::/m)
  }
  // in one line, in whose middle it is no command
  const name = String.raw`m\x1b[2J › T ::error::task › s\x1b]0;x\x07`
  expect(merge.error.split('\n')).toEqual([expect.stringContaining(`${name} › static 0: verdict is correct`)])
  expect(compare.out).toContain(String.raw`T ::error::task › m\x1b[2J/s\x1b]0;x\x07`)
})

test('a name begins no line, whatever prints it', async () => {
  const name = 'x\n  forged: everything'
  const crashed = { kind: 'crashed', signal: name, message: '' } as const
  const infrastructure = { kind: 'infrastructure', message: 'no disk' } as const
  const odd = entry({ task: name, sample: name, case: name, soc: name })
  write('1.jsonl', [odd])
  write('2.jsonl', [{ ...odd, verdict: crashed }])
  write('3.jsonl', [{ ...odd, verdict: infrastructure }])
  write('4.jsonl', [odd, { ...odd, case: 'y', stage: 'generated', cutShort: true, runs: 3 }])
  for (const args of [
    ['compare', '1.jsonl', '2.jsonl'],
    ['gate', '3.jsonl', '--require-all'],
    ['merge', '1.jsonl', '2.jsonl', '--out', 'all.jsonl'],
    ['score', '4.jsonl'],
  ]) {
    const { out, error } = await call(...args)
    expect(`${out}${error}`).toMatch(/. forged: everything/)
    expect(`${out}${error}`).not.toMatch(/^\s*forged/m)
  }
})

test('score tells each sample as comma-separated values', async () => {
  const race = {
    code: 'DataRace',
    severity: 'error',
    core: 'AIV 0',
    instruction: 'Add',
    message: '',
    count: 1,
  } as const
  const times = { unit: 'ns', p50: 1, p99: 1, min: 1, max: 1, sd: 0, rme: 0, samples: 1, source: 'emulated' } as const
  write('a.jsonl', [
    entry({ model: 'm' }),
    entry({
      model: 'm',
      stage: 'latency',
      case: 'latency',
      latency: { ...times, mean: 1000 },
      baseline: { ...times, mean: 1500 },
      speedup: 1.5,
    }),
    entry({ sample: 'b, c', verdict: { kind: 'hazard', report: race } }),
    entry({ sample: 'd' }),
    entry({ sample: 'd', case: 'static 1', verdict: { kind: 'infrastructure', message: '' } }),
  ])
  expect((await call('score', 'a.jsonl', '--samples', '--csv')).out.split('\n')).toEqual([
    'model,suite,level,category,task,sample,compiles,runs,correct,error,class,latency,baseline,speedup,accuracy',
    'm,npukernelbench,level1,Math,Sqrt,a,true,true,true,,,1000,1500,1.5,',
    ',npukernelbench,level1,Math,Sqrt,"b, c",true,true,false,hazard,DataRace,,,,',
    ',npukernelbench,level1,Math,Sqrt,d,true,,,,,,,,',
  ])
})

test('merge joins shards, and refuses two verdicts on one question', async () => {
  write('1.jsonl', [entry(), entry({ task: 'Gelu' })])
  write('2.jsonl', [entry({ seed: 8 }), entry({ task: 'Silu' })])
  const { code, out } = await call('merge', '1.jsonl', '2.jsonl', '--out', 'deep/all.jsonl')
  expect({ code, out }).toEqual({ code: 0, out: 'deep/all.jsonl: 3 entries of 2 ledgers, 1 were there already' })
  expect((await call('score', 'deep/all.jsonl', '--json', '--by', 'task')).out).toContain('"Silu"')
  write('3.jsonl', [entry({ verdict: wrong })])
  const refused = await call('merge', '1.jsonl', '3.jsonl', '--out', 'deep/all.jsonl')
  expect(refused).toMatchObject({ code: 64, out: '' })
  expect(refused.error).toMatch(
    /^Sqrt › a › static 0: verdict is correct in 1\.jsonl, and wrong-structure in 3\.jsonl; [^\n]+$/,
  )
})

test('merge refuses a run that is not whole, of whose lack its ledger would not tell', async () => {
  const [killed = '', lost = ''] = [2001, 2002].map((year) => writeRun(year, [entry()]))
  writeFileSync(join(folder, '.npu/runs', killed, '.running-1-2-3'), '')
  writeFileSync(join(folder, '.npu/runs', lost, 'lost.json'), '["tasks/torn.spec.ts"]')
  writeFileSync(join(folder, 'torn.jsonl'), `${JSON.stringify(entry())}\n{"v":3,`)
  for (const [name, why] of [
    [killed, `${killed}: the run has not ended, or was killed`],
    [lost, `${lost}: tasks/torn.spec.ts could not be read, or has come to no end`],
    ['torn.jsonl', 'torn.jsonl:2: skipped, the last line is torn: the run was killed while it wrote'],
  ] as const) {
    const error = `merge: the run is not whole: ${why}`
    expect(await call('merge', name, '--out', 'all.jsonl')).toEqual({ code: 64, out: '', error })
    // what prints figures prints those that there are
    expect(await call('score', name)).toMatchObject({ code: 0, error: why })
  }
  expect(existsSync(join(folder, 'all.jsonl'))).toBe(false)
})

test('prune removes old runs', async () => {
  const [first, second] = [2001, 2002, 2003].map((year) => writeRun(year, [entry()]))
  const { code, out } = await call('prune', '--keep', '2')
  expect({ code, out }).toEqual({ code: 0, out: `removed ${first}\n2 runs are left in .npu/runs` })
  expect((await call('score', second!)).code).toBe(0)
  expect((await call('score', first!)).code).toBe(64)
})

test('each has its own help with examples, and the version', async () => {
  const listed = [...(await call('--help')).out.matchAll(/^ {2}(\w+) /gm)].map(([, command = '']) => command)
  expect(listed).toHaveLength(19)
  for (const command of listed) {
    const { code, out, error } = await call(command, '--help')
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toMatch(new RegExp(`^Usage: vitest-npu ${command}\\b.*\n  npx vitest-npu ${command}\\b`, 's'))
    expect(await call(command, '--version')).toEqual({ code: 0, out: version, error: '' })
  }
  expect(await call('--version')).toEqual({ code: 0, out: version, error: '' })
})

describe('a bad argument is one line, and exit code 64', () => {
  test.each([
    [['score'], 'there is no run in .npu/runs: run Vitest first, or name a ledger'],
    [['score', 'none'], 'none: is no file, and no run in .npu/runs'],
    [['score', '--all'], "score: Unknown option '--all'; see vitest-npu score --help"],
    [['score', '--k', '1,0', 'x'], '--k 1,0: "0" is not a whole number, 1 or more'],
    [['score', '--k', '', 'x'], '--k : "" is not a whole number, 1 or more'],
    [['score', '--p', '1,fast', 'x'], '--p 1,fast: "fast" is not a number above 0'],
    [['score', '--by', 'levle'], '--by levle: is not level, category, task, model (did you mean level?)'],
    [['score', '--json', '--csv'], 'score: --json and --csv exclude each other'],
    [['score', '--samples', 'x'], 'score: --samples is for --csv: give both'],
    [['compare', 'a'], 'compare: name two ledgers or runs, e.g. vitest-npu compare base.jsonl latest'],
    [['merge', '--out', 'x'], 'merge: name ledgers or runs, e.g. vitest-npu merge a.jsonl b.jsonl'],
    [['merge', 'a'], 'merge: give --out, the file that is written'],
    [['merge', 'a', '--out', '.'], '--out .: is a folder; name a file'],
    [['prune'], 'prune: give --keep, how many runs stay'],
    [['prune', '--keep', '-1'], "prune: Option '--keep' argument is ambiguous; see vitest-npu prune --help"],
    [['prune', '--keep', '1.5'], '--keep 1.5: is not a whole number, 0 or more'],
    [['prune', '--keep', '1', 'x'], 'prune: takes no names: x; see vitest-npu prune --help'],
  ])('%j', async (args, message) => {
    expect(await call(...args)).toEqual({ code: 64, out: '', error: message })
  })

  test('a damaged ledger is one line, and exit code 64', async () => {
    writeFileSync(join(folder, 'bad.jsonl'), 'nonsense\n')
    expect(await call('score', 'bad.jsonl')).toEqual({ code: 64, out: '', error: 'bad.jsonl:1: not JSON' })
  })
})

describe('report', () => {
  test('writes one page of runs and ledgers, and what has changed', async () => {
    const id = writeRun(2025, [entry(), entry({ sample: 'b', verdict: wrong })])
    write('old.jsonl', [entry({ verdict: wrong }), entry({ sample: 'b', verdict: wrong })])
    const { code, out } = await call('report', '--out', 'made/report.html', '--against', 'old.jsonl')
    expect([code, out]).toEqual([0, expect.stringMatching(/^made\/report\.html: 0\.\d MiB$/)])
    const page = readFileSync(join(folder, 'made/report.html'), 'utf8')
    const texts = [id, 'Against old.jsonl', 'Samples: 2, tasks: 1.', 'wrong-structure']
    expect(texts.filter((text) => !page.includes(text))).toEqual([])
  })

  test('says in one line what it cannot do', async () => {
    writeRun(2025, [entry()])
    mkdirSync(join(folder, 'folder'))
    for (const [args, status, line] of [
      [[], 64, 'report: give --out, the file that is written, or --trace'],
      [['--trace', 'folder'], 64, '--trace folder: is a folder; name a file'],
      [['--out', 'folder'], 64, '--out folder: is a folder; name a file'],
      [['nobody', '--out', 'a.html'], 64, 'nobody: is no file, and no run in .npu/runs'],
      [['--out', 'a.html', '--against', 'nobody'], 64, 'nobody: is no file, and no run in .npu/runs'],
      [['--out', 'a.html', '--seed', 'x'], 64, '--seed x: is not a whole number, 0 or more'],
    ] as const) {
      const { code, error } = await call('report', ...args)
      expect([code, error]).toEqual([status, line])
    }
  })
})

describe('explain', () => {
  const latency = {
    unit: 'ns' as const,
    mean: 4000,
    p50: 4000,
    p99: 4000,
    min: 4000,
    max: 4000,
    sd: 0,
    rme: 0,
    samples: 1,
    source: 'emulated' as const,
    profile: 'Ascend910B2 v9',
    estimate: { band: 0.21, bound: 'launch' as const, share: 0.57, utilisation: 0.76, bytesPerNs: 1095 },
  }
  const shares = {
    launchNs: 1500,
    coreNs: 2000,
    waitedNs: 0,
    hbmSaturatedNs: 900,
    l2SaturatedNs: 0,
    hbmBytes: 3_000_000,
    l2Bytes: 1_000_000,
    warmNs: 3300,
  }
  const timed = entry({ stage: 'latency', case: 'latency', latency, shares, pipes: { V: 500, MTE2: 1500 } })

  test('tells what a latency is spent on', async () => {
    const hottest = [{ instruction: 'Add', pipe: 'V', ns: 450, count: 9, file: join(folder, 'sqrt.cpp'), line: 12 }]
    writeRun(2026, [entry(), { ...timed, speedup: 0.97, speedupBand: 0.15, hottest }])
    const { code, out } = await call('explain', 'Sqrt')
    expect(code).toBe(0)
    expect(out).toContain('Sqrt › a: 4000 ns, Ascend910B2 v9, 0.97x ±0.15, which may as well be 1, of the baseline')
    expect(out).toContain('±21 %, 57 % of it launch')
    expect(out).toContain('750 GB/s of HBM, 250 GB/s of L2; 3300 ns with a warm L2')
    expect(out).toMatch(/MTE2 +1500 ns +75 %\n +V +500 ns +25 %/)
    expect(out).toMatch(/Add +V +450 ns +9 +sqrt\.cpp:12/)
  })

  test('begins no line with a name', async () => {
    const odd = { ...latency, profile: 'Ascend910B2 v9\nforged' }
    writeRun(2026, [
      { ...timed, latency: odd, sample: 'a\nGelu › b: 1 ns', elsewhere: [{ soc: 'Ascend910B4', latencyNs: 7600 }] },
    ])
    for (const args of [[], ['--soc', 'Ascend910B4']]) {
      const { out } = await call('explain', 'Sqrt', ...args)
      expect(out.split('\n')[0]).toMatch(/^Sqrt › a Gelu › b: 1 ns: \d+ ns/)
      expect(out).not.toMatch(/^forged/m)
    }
  })

  test('tells the latency on another device', async () => {
    const times = [{ soc: 'Ascend910B4', latencyNs: 7600 }]
    writeRun(2026, [{ ...timed, elsewhere: times }])
    expect((await call('explain', 'Sqrt', '--soc', 'Ascend910B4')).out).toContain(
      'Sqrt › a: 7600 ns, Ascend910B4 v9, with the blocks of Ascend910B2 (4000 ns there)',
    )
    expect(await call('explain', 'Sqrt', '--soc', 'Ascend910B9')).toMatchObject({
      code: 64,
      error: 'explain: no times on Ascend910B9; there are those on Ascend910B4',
    })
    writeRun(2027, [timed])
    expect((await call('explain', 'Sqrt', '--soc', 'Ascend910B4')).error).toContain('NPU_TIMELINE=1')
  })

  test('says where a run has no such latency, and how places are told', async () => {
    writeRun(2026, [timed])
    expect((await call('explain', 'Sqrt', 'a')).out).toContain('NPU_TIMELINE=1')
    const { code, error } = await call('explain', 'Sqrt', 'b')
    expect([code, error]).toEqual([64, 'explain: the run has no latency of Sqrt › b'])
  })
})
