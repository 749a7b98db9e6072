import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, appendFileSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ledgerVersion, outcomesOf, readLedger, type LedgerEntry } from '../ledger/index.ts'
import type { Verdict } from '../model/index.ts'
import type { KernelTask } from '../task/index.ts'
import { Spending, type Budget } from './budget.ts'
import { GenerationError } from './error.ts'
import { FilesModel } from './files-model.ts'
import { Loop, type Judge, type LoopResult, type RunSample } from './loop.ts'
import { UnansweredError, type Model, type Question, type Reply } from './model.ts'
import { record } from './record.ts'
import { RecordedModel } from './recorded-model.ts'
import { keyOf, RunFolder, type Disk } from './run-folder.ts'
import type { Rules } from './steps.ts'
import type { Prompter } from './types.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-generation-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const taskOf = (name: string) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is looked at
  ({ interface: { suite: 'own', group: 'level1', category: 'math', name } }) as KernelTask
const add = taskOf('Add')
const scale = taskOf('Scale')

/** Prompts that say the task, and then what was wrong; answers are `file: content`, or anything else. */
const prompter: Prompter = {
  first: (task) =>
    Promise.resolve({ version: '1', messages: [{ role: 'user', content: `write ${task.interface.name}` }] }),
  repair: (task, _, turns, history) =>
    Promise.resolve({
      version: '1',
      messages: [
        { role: 'user', content: `write ${task.interface.name}` },
        ...turns.slice(history === 'keep' ? 0 : -1).flatMap(({ answer, findings }) => [
          { role: 'assistant' as const, content: answer },
          { role: 'user' as const, content: findings.map(({ kind, text }) => `${kind}: ${text}`).join('\n') },
        ]),
      ],
    }),
  read: (answer) => {
    const files = answer.split('\n').flatMap((line) => {
      const [path, content] = line.split(': ')
      return path !== undefined && content !== undefined ? [{ path, content }] : []
    })
    return files.length === 0 ? { kind: 'no-answer', reason: 'there is no file in it' } : { kind: 'files', files }
  },
}

const kernel = (content: string): string => `op_kernel/k.cpp: ${content}`

/** Answers with what a function says. */
class Scripted implements Model {
  readonly concurrency: number
  readonly asked: Question[] = []
  readonly #say: (question: Question, number: number) => string | Reply | Error

  constructor(say: (question: Question, number: number) => string | Reply | Error, concurrency = 4) {
    this.#say = say
    this.concurrency = concurrency
  }

  async ask(question: Question): Promise<Reply> {
    const number = this.asked.push(question) - 1
    await new Promise((resolve) => setTimeout(resolve, 1))
    const said = this.#say(question, number)
    if (said instanceof Error) throw said
    if (typeof said !== 'string') return said
    return { text: said, reasoning: 'hm', finish: 'stop', usage: { input: 10, output: 5 }, ms: 1 }
  }
}

const comparison = { output: 'y', elements: 4, mismatches: 1, index: [2], expected: '1', actual: '2' }
const verdicts: Record<string, Verdict> = {
  right: { kind: 'correct' },
  fast: { kind: 'correct' },
  slow: { kind: 'correct' },
  wrong: { kind: 'wrong-value', comparison },
  broken: { kind: 'compile-failed', stage: 'kernel', class: 'syntax', diagnostics: [], log: 'expected ;' },
  ours: { kind: 'infrastructure', message: 'no compiler' },
}
const latencies: Record<string, number> = { fast: 100, right: 200, slow: 300 }

const batches: string[][] = []
beforeEach(() => void (batches.length = 0))

/** Says of a kernel what its content is called. */
const judge =
  (run: string): Judge =>
  async (samples) => {
    batches.push(samples.map(({ name }) => keyOf(name)))
    await new Promise((resolve) => setTimeout(resolve, 2))
    return new Map(
      samples.map(({ name, place }) => {
        const content = readFileSync(join(run, place.task, place.sample, 'op_kernel/k.cpp'), 'utf8')
        const verdict = verdicts[content]!
        const ns = latencies[content]
        const entry: LedgerEntry = {
          v: ledgerVersion,
          suite: name.suite,
          group: 'level1',
          task: name.task,
          category: 'math',
          model: null,
          sample: place.sample,
          stage: verdict.kind === 'compile-failed' ? 'compile' : 'static',
          case: 'static 0: x',
          verdict,
          profile: 'standard',
          seed: 0,
          target: 'fake',
          soc: 'S',
        }
        const timed: LedgerEntry = {
          ...entry,
          stage: 'latency',
          case: 'latency',
          verdict: { kind: 'correct' },
          latency: {
            unit: 'ns',
            mean: ns!,
            p50: ns!,
            p99: ns!,
            min: ns!,
            max: ns!,
            sd: 0,
            rme: 0,
            samples: 1,
            source: 'emulated',
          },
          pipes: { MTE2: 90, V: 10 },
        }
        return [keyOf(name), ns === undefined ? [entry] : [entry, timed]]
      }),
    )
  }

const rules: Rules = { turns: 1, strategy: 'repair', feedback: 'all', history: 'keep', improve: false, judges: true }

interface Call {
  prompter?: Prompter
  model: Model
  tasks?: readonly KernelTask[]
  samples?: number
  rules?: Partial<Rules>
  budget?: Budget
  settings?: Record<string, unknown>
  disk?: Disk
  judge?: Judge
  name?: string
  signal?: AbortSignal
}

async function run(call: Call): Promise<LoopResult & { path: string; opened: RunFolder }> {
  const path = join(folder, call.name ?? 'run')
  const opened = await RunFolder.open(path, call.settings ?? { model: 'm' }, call.disk)
  try {
    const samples = (call.tasks ?? [add]).flatMap((task) =>
      Array.from({ length: call.samples ?? 1 }, (_, sample): RunSample => {
        const { suite, name } = task.interface
        return { name: { suite, task: name, sample }, task, place: { task: name, sample: `s${sample}` } }
      }),
    )
    const loop = new Loop({
      folder: opened,
      samples,
      model: call.model,
      prompter: call.prompter ?? prompter,
      prompts: { mode: 'full', shapes: 'dynamic', soc: 'S', cardTokens: 0 },
      judge: call.judge ?? judge(opened.path),
      rules: { ...rules, ...call.rules },
      spending: new Spending(call.budget ?? {}, undefined),
      facts: { model: 'm', target: 'fake', soc: 'S', profile: 'standard', seed: 0 },
    })
    return { ...(await loop.run(call.signal ?? new AbortController().signal)), path: opened.path, opened }
  } finally {
    opened.close()
  }
}

/** Verdicts of each sample, turn by turn. */
const course = ({ opened }: { opened: RunFolder }): Record<string, string[]> =>
  Object.fromEntries(
    [...opened.turns].map(([key, turns]) => [key, turns.map(({ outcome }) => outcome?.verdict ?? 'open')]),
  )

const ledgerOf = (path: string): LedgerEntry[] => readLedger(join(path, 'ledger.jsonl'))
const turnsOf = (answers: readonly string[]) => new Scripted(({ turn }) => answers[turn - 1]!)

const cutOff = (finish: string): Reply => ({
  text: kernel('right'),
  reasoning: '',
  finish,
  unusable: 'too long',
  usage: { input: 1, output: 1 },
  ms: 1,
})

const judgesNone: Judge = () => Promise.resolve(new Map())

/** As if the machine had a compiler again. */
const healed: Judge = async (samples) => {
  for (const { place } of samples)
    writeFileSync(join(folder, 'run', place.task, place.sample, 'op_kernel/k.cpp'), 'right')
  return await judge(join(folder, 'run'))(samples, new AbortController().signal)
}

const filesModel = (): FilesModel => new FilesModel(join(folder, 'prompts'))
const at = (sample: string, turn: number, name: string): string =>
  join(folder, 'prompts/Add', sample, `turn${turn}`, name)

describe('a loop', () => {
  test('asks, judges and lays files where candidates lie', async () => {
    const result = await run({ model: turnsOf([kernel('right')]), tasks: [add, scale], samples: 2 })
    expect(course(result)).toEqual({
      'own/Add/0': ['correct'],
      'own/Add/1': ['correct'],
      'own/Scale/0': ['correct'],
      'own/Scale/1': ['correct'],
    })
    expect(readFileSync(join(result.path, 'Scale/s1/op_kernel/k.cpp'), 'utf8')).toBe('right')
    const entries = ledgerOf(result.path)
    expect(entries.map(({ task, sample, model, stage }) => [task, sample, model, stage])).toHaveLength(8)
    expect(entries.every(({ model }) => model === 'm')).toBe(true)
    expect(result).toMatchObject({ pending: 0, unanswered: [], unjudged: [], stopped: undefined, fatal: undefined })
  })

  test('repairs with what was found until it is right, and no further', async () => {
    const model = turnsOf([kernel('broken'), kernel('wrong'), kernel('right'), kernel('wrong')])
    const result = await run({ model, rules: { turns: 4 } })
    expect(course(result)).toEqual({ 'own/Add/0': ['compile-failed', 'wrong-value', 'correct'] })
    const said = model.asked.map(({ prompt }) => prompt.messages.map(({ content }) => content))
    expect(said[1]).toEqual([
      'write Add',
      kernel('broken'),
      'compile-failed: The kernel part does not build (syntax).\nexpected ;',
    ])
    expect(said[2]).toHaveLength(5)
    expect(said[2]?.[4]).toMatch(
      /^wrong-value: y: 1 of 4 elements are outside the tolerance\. The worst is y\[2\]: golden 1, actual 2\.\nCase: static 0: x$/,
    )
    // the ledger is of the turn that counts
    expect(ledgerOf(result.path).map(({ verdict }) => verdict.kind)).toEqual(['correct', 'correct'])
  })

  test('can start afresh each time', async () => {
    const model = turnsOf([kernel('broken'), kernel('wrong'), kernel('right')])
    await run({ model, rules: { turns: 3, history: 'fresh' } })
    expect(model.asked[2]?.prompt.messages.map(({ content }) => content).slice(0, 2)).toEqual([
      'write Add',
      kernel('wrong'),
    ])
  })

  test('does not repair independent samples', async () => {
    const model = turnsOf([kernel('wrong'), kernel('right')])
    const result = await run({ model, rules: { turns: 3, strategy: 'independent' } })
    expect(course(result)).toEqual({ 'own/Add/0': ['wrong-value'] })
  })

  test('repairs the best of n alone', async () => {
    const first = ['broken', 'wrong', 'broken']
    const model = new Scripted(({ sample, turn }) => kernel(turn === 1 ? first[sample.sample]! : 'right'))
    const result = await run({ model, samples: 3, rules: { turns: 3, strategy: 'best-of-n' } })
    expect(course(result)).toEqual({
      'own/Add/0': ['compile-failed'],
      'own/Add/1': ['wrong-value', 'correct'],
      'own/Add/2': ['compile-failed'],
    })
  })

  test('repairs the best of n once, while the first turns of further samples come in', async () => {
    const rules = { turns: 2, strategy: 'best-of-n' } as const
    await run({ model: new Scripted(() => 'nothing'), samples: 2, rules })
    // what is asked a second time takes so long that all others have an outcome meanwhile
    const model: Model & { asked: string[] } = {
      concurrency: 8,
      asked: [],
      async ask({ sample, turn }) {
        this.asked.push(`${sample.sample}:${turn}`)
        await new Promise((resolve) => setTimeout(resolve, turn > 1 ? 100 : 5 * sample.sample))
        return { text: 'nothing', reasoning: '', finish: 'stop', usage: { input: 1, output: 1 }, ms: 1 }
      },
    }
    const result = await run({ model, samples: 5, rules: { ...rules, turns: 3 } })
    expect(result.fatal).toBeUndefined()
    expect(model.asked.toSorted()).toEqual(['0:3', '2:1', '3:1', '4:1'])
    expect(await RunFolder.open(result.path, { model: 'm' }).then((opened) => opened.close())).toBeUndefined()
  })

  test('goes on for time where it is asked to, and keeps the best turn', async () => {
    const model = turnsOf([kernel('right'), kernel('fast'), kernel('wrong'), kernel('slow')])
    const result = await run({ model, rules: { turns: 4, improve: true } })
    expect(course(result)).toEqual({ 'own/Add/0': ['correct', 'correct', 'wrong-value', 'correct'] })
    expect(model.asked[1]?.prompt.messages.at(-1)?.content).toMatch(
      /^slow: All cases are right\. One launch takes 200 ns\.\nBusy time.*MTE2 90 ns \(45%\)/,
    )
    expect(readFileSync(join(result.path, 'Add/s0/op_kernel/k.cpp'), 'utf8')).toBe('fast')
    expect(ledgerOf(result.path).find(({ latency }) => latency)?.latency?.mean).toBe(100)
  })

  test('counts what is no answer as a sample that failed', async () => {
    const answers = [
      'I would rather not',
      `${kernel('right')}\n../../x.cpp: out`,
      'op_host/h.cpp: host alone',
      `${kernel('right')}\n${kernel('wrong')}`,
    ]
    const model = new Scripted(({ sample }) => answers[sample.sample]!)
    const result = await run({ model, samples: 4 })
    expect(course(result)).toEqual({
      'own/Add/0': ['no-answer'],
      'own/Add/1': ['unusable-answer'],
      'own/Add/2': ['unusable-answer'],
      'own/Add/3': ['unusable-answer'],
    })
    expect(existsSync(join(result.path, 'Add/s1/op_kernel'))).toBe(false)
    expect(readdirSync(folder)).toEqual(['run'])
    const outcomes = outcomesOf(ledgerOf(result.path))
    expect(outcomes.map(({ compiled, executed, correct }) => [compiled, executed, correct])).toEqual(
      Array.from({ length: 4 }, () => [false, false, false]),
    )
  })

  test('takes an answer that was cut off for unusable, and a prompt that is too long for the end of a sample', async () => {
    const model = new Scripted(({ sample, turn }) =>
      turn > 1 ? kernel('right') : cutOff(sample.sample === 0 ? 'cut-off' : 'context-too-long'),
    )
    const result = await run({ model, samples: 2, rules: { turns: 3 } })
    expect(course(result)).toEqual({ 'own/Add/0': ['unusable-answer', 'correct'], 'own/Add/1': ['no-answer'] })
  })

  test('judges many samples at once, while answers come in', async () => {
    const result = await run({ model: turnsOf([kernel('right')]), samples: 100 })
    expect(Object.values(course(result)).flat()).toEqual(Array(100).fill('correct'))
    expect(batches.flat()).toHaveLength(100)
    expect(batches.length).toBeLessThan(10)
  })

  test('asks no more when the budget is spent, and goes on with a larger one', async () => {
    const spent = await run({ model: turnsOf([kernel('right')]), samples: 9, budget: { tokens: 30 } })
    expect(spent.stopped).toBe('the budget of 30 tokens is spent')
    const asked = [...spent.opened.turns].length
    expect(asked).toBeLessThan(9)
    expect(Object.values(course(spent)).flat()).toEqual(Array(asked).fill('correct'))
    const model = turnsOf([kernel('right')])
    const rest = await run({ model, samples: 9 })
    expect(model.asked).toHaveLength(9 - asked)
    expect(Object.values(course(rest)).flat()).toEqual(Array(9).fill('correct'))
  })

  test('counts what was spent on samples that this call is not asked for', async () => {
    await run({ model: turnsOf([kernel('right')]), tasks: [add], samples: 2 })
    const model = turnsOf([kernel('right')])
    const result = await run({ model, tasks: [scale], budget: { tokens: 30 } })
    expect(result.stopped).toBe('the budget of 30 tokens is spent')
    expect(model.asked).toEqual([])
  })

  test('has samples judged again that could not be', async () => {
    const result = await run({ model: turnsOf([kernel('ours')]) })
    expect(result.unjudged).toEqual(['Add, sample 0 could not be judged: no compiler'])
    expect(course(result)).toEqual({ 'own/Add/0': ['open'] })
    const model = turnsOf([kernel('never asked')])
    expect(course(await run({ model, judge: healed }))).toEqual({ 'own/Add/0': ['correct'] })
    expect(model.asked).toEqual([])
  })

  test('ends in one line where the server does; what was answered is judged', async () => {
    const model = new Scripted(
      (_, number) => (number === 3 ? new GenerationError('the server is down') : kernel('right')),
      1,
    )
    const result = await run({ model, samples: 9 })
    expect(result.fatal?.message).toBe('the server is down')
    expect(course(result)).toEqual({ 'own/Add/0': ['correct'], 'own/Add/1': ['correct'], 'own/Add/2': ['correct'] })
    expect(ledgerOf(result.path)).toHaveLength(6)
  })

  test('leaves a prompt that finds no answer, and goes on with others', async () => {
    const model = new Scripted(({ sample }) =>
      sample.sample === 1 ? new UnansweredError('Add, sample 1: never') : kernel('right'),
    )
    const result = await run({ model, samples: 3 })
    expect(result.unanswered).toEqual(['Add, sample 1: never'])
    expect(Object.keys(course(result))).toEqual(['own/Add/0', 'own/Add/2'])
  })

  test('that is stopped keeps what it has', async () => {
    const abort = new AbortController()
    const model = new Scripted(
      (_, number) => (number === 2 ? (abort.abort(), new Error('aborted')) : kernel('right')),
      1,
    )
    const stopped = await run({ model, samples: 9, signal: abort.signal })
    expect(stopped.fatal).toBeUndefined()
    expect([...stopped.opened.turns]).toHaveLength(2)
    const rest = turnsOf([kernel('right')])
    expect(Object.values(course(await run({ model: rest, samples: 9 }))).flat()).toEqual(Array(9).fill('correct'))
    expect(rest.asked).toHaveLength(7)
  })
})

describe('a run folder', () => {
  test('is continued without asking twice, also after a kill in the middle of a line', async () => {
    const first = await run({ model: turnsOf([kernel('wrong')]), samples: 2 })
    const transcript = join(first.path, 'transcript.jsonl')
    appendFileSync(transcript, '{"kind":"answer","suite":"own","task":"Add","sam')
    const model = turnsOf(['', kernel('right')])
    const second = await run({ model, samples: 3, rules: { turns: 2 } })
    expect(model.asked.map(({ sample, turn }) => [sample.sample, turn])).toEqual(
      expect.arrayContaining([
        [0, 2],
        [1, 2],
        [2, 1],
      ]),
    )
    expect(course(second)).toMatchObject({
      'own/Add/0': ['wrong-value', 'correct'],
      'own/Add/1': ['wrong-value', 'correct'],
    })
    expect(readFileSync(transcript, 'utf8')).not.toContain('"sam{')
  })

  test('judges what was answered before a kill, and not asked about again', async () => {
    const unjudged = await run({ model: turnsOf([kernel('right')]), samples: 2, rules: { judges: false } })
    expect(course(unjudged)).toEqual({ 'own/Add/0': ['open'], 'own/Add/1': ['open'] })
    rmSync(join(unjudged.path, 'Add'), { recursive: true })
    const model = turnsOf([kernel('never')])
    expect(course(await run({ model, samples: 2 }))).toEqual({ 'own/Add/0': ['correct'], 'own/Add/1': ['correct'] })
    expect(model.asked).toEqual([])
  })

  test('takes no other settings', async () => {
    await run({ model: turnsOf([kernel('right')]), settings: { model: 'm', temperature: 0.5 } })
    const again = run({ model: turnsOf([kernel('right')]), settings: { model: 'm', temperature: 1 } })
    await expect(again).rejects.toThrow(
      /was begun with temperature 0\.5, and is asked to go on with 1; give the same, or another --name$/,
    )
  })

  test('keeps no turn but the next', async () => {
    const { opened } = await run({ model: turnsOf([kernel('right')]) })
    const { answer } = opened.turns.get('own/Add/0')![0]!
    const prompt = opened.prompts.get(answer.prompt)!
    expect(() => opened.noteAnswer(answer, prompt)).toThrow(/turn 1 of own\/Add\/0 was answered after turn 1/)
  })

  test('has answers with every end of line but \\n in them', async () => {
    const content = ['right', '\u2028', '\u2029', '\u0085', '\r'].join('')
    const answers = [kernel(content), kernel('right')]
    await run({ model: turnsOf(answers), judge: judgesNone })
    const again = await run({ model: turnsOf([]), judge: judgesNone })
    expect(again.opened.turns.get('own/Add/0')?.[0]?.answer.text).toBe(kernel(content))
  })

  test('is that of one process', async () => {
    const open = await RunFolder.open(join(folder, 'run'), { model: 'm' })
    await expect(run({ model: turnsOf([kernel('right')]) })).rejects.toThrow(/another process works in this run/)
    open.close()
    await run({ model: turnsOf([kernel('right')]) })
  })

  test('says where a line was damaged', async () => {
    const { path } = await run({ model: turnsOf([kernel('right')]) })
    writeFileSync(join(path, 'transcript.jsonl'), 'nonsense\n')
    await expect(run({ model: turnsOf([]) })).rejects.toThrow(/transcript\.jsonl:1: is not JSON; restore the file/)
  })

  test('keeps what it had when the disk is full', async () => {
    let room = 3
    const disk: Disk = {
      append: (path, text) => {
        // full for one line alone: what comes next must not be joined to it
        if (room-- !== 0) return appendFileSync(path, text)
        appendFileSync(path, text.slice(0, 10))
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      },
    }
    const full = await run({ model: turnsOf([kernel('right')]), samples: 8, disk })
    expect(full.fatal?.message).toMatch(
      /cannot be written: ENOSPC: no space left on device, write; what was there before is kept: make room, then repeat the command$/,
    )
    const model = turnsOf([kernel('right')])
    const rest = await run({ model, samples: 8 })
    expect(model.asked).toHaveLength(5)
    expect(Object.values(course(rest)).flat()).toEqual(Array(8).fill('correct'))
  })
})

describe('a recording', () => {
  test('is any run folder, and gives what it gave', async () => {
    const answers = [kernel('broken'), kernel('broken'), kernel('right')]
    const first = await run({ model: turnsOf(answers), samples: 2, rules: { turns: 3, history: 'fresh' } })
    for (const place of [first.path, folder]) {
      const model = await RecordedModel.open(place)
      const again = await run({
        model,
        samples: 2,
        rules: { turns: 3, history: 'fresh' },
        name: `again${place.length}`,
      })
      expect(course(again)).toEqual(course(first))
      rmSync(again.path, { recursive: true })
    }
  })

  test('goes on where a kill has left half a line', async () => {
    const { path } = await run({ model: turnsOf([kernel('right')]), samples: 2 })
    const recording = join(folder, 'recording')
    record(path, recording)
    const file = join(recording, 'transcript.jsonl')
    const whole = readFileSync(file, 'utf8')
    writeFileSync(file, whole.slice(0, -20))
    record(path, recording)
    expect(readFileSync(file, 'utf8')).toBe(whole)
  })

  test('serves a later turn whose findings alone are worded otherwise, and says so', async () => {
    const first = await run({
      model: turnsOf([kernel('broken'), kernel('wrong'), kernel('right')]),
      rules: { turns: 3 },
    })
    const reworded = {
      ...prompter,
      repair: async (...args: Parameters<Prompter['repair']>) => {
        const prompt = await prompter.repair(...args)
        const messages = prompt.messages.map((message, i) =>
          i > 0 && message.role === 'user' ? { ...message, content: `now: ${message.content}` } : message,
        )
        return { ...prompt, messages }
      },
    }
    const told: string[] = []
    const model = await RecordedModel.open(first.path, (line) => told.push(line))
    const again = await run({ model, rules: { turns: 3 }, prompter: reworded, name: 'again' })
    expect(course(again)).toEqual(course(first))
    expect(told).toEqual([
      'own/Add, sample 0, turn 2: was answered when the findings were worded otherwise',
      'own/Add, sample 0, turn 3: was answered when the findings were worded otherwise',
    ])
    // what an answer says is no wording
    const other = {
      ...prompter,
      first: () => Promise.resolve({ version: '1', messages: [{ role: 'user' as const, content: 'write' }] }),
    }
    const asked = await run({ model, rules: { turns: 3 }, prompter: other, name: 'other' })
    expect(asked.unanswered).toEqual([expect.stringContaining('own/Add, sample 0, turn 1: ')])
  })

  test('says which prompt it lacks', async () => {
    const first = await run({ model: turnsOf([kernel('right')]) })
    const again = await run({ model: await RecordedModel.open(first.path), samples: 2, name: 'again' })
    expect(again.unanswered).toEqual([
      expect.stringMatching(
        /^own\/Add, sample 1, turn 1: .*\/run has no recording of this prompt \([0-9a-f]{32}\): record it again$/,
      ),
    ])
    const known = await RecordedModel.open(first.path)
    expect([add, scale].map(({ interface: task }) => known.hasTask(task))).toEqual([true, false])
    await expect(RecordedModel.open(join(folder, 'none'))).rejects.toThrow(/there is no transcript\.jsonl/)
  })
})

describe('a folder of prompts', () => {
  test('waits for answers, and takes them', async () => {
    expect(await run({ model: filesModel(), samples: 2, rules: { turns: 2 } })).toMatchObject({ pending: 2 })
    expect(readFileSync(at('s0', 1, 'prompt.md'), 'utf8')).toBe('write Add\n')
    writeFileSync(at('s0', 1, 'answer.md'), kernel('wrong'))
    const second = await run({ model: filesModel(), samples: 2, rules: { turns: 2 } })
    expect(second).toMatchObject({ pending: 2 })
    expect(course(second)).toEqual({ 'own/Add/0': ['wrong-value'] })
    expect(readFileSync(at('s0', 2, 'prompt.md'), 'utf8')).toMatch(
      /^# user\n\nwrite Add\n\n# assistant\n\nop_kernel\/k\.cpp: wrong\n\n# user\n\nwrong-value: y: 1/,
    )
    writeFileSync(at('s0', 2, 'answer.md'), kernel('right'))
    writeFileSync(at('s1', 1, 'answer.md'), 'x'.repeat(3 << 20))
    const third = await run({ model: filesModel(), samples: 2, rules: { turns: 2 } })
    expect(course(third)).toEqual({ 'own/Add/0': ['wrong-value', 'correct'], 'own/Add/1': ['unusable-answer'] })
  })

  test('has one for each place of a sample, also where suites share a name', async () => {
    const places = ['own/Add/s0/turn1', 'other/Add/fixed_case_3/s0/turn1']
    for (const place of places)
      await filesModel().ask({
        sample: { suite: 'own', task: 'Add', sample: 0 },
        place,
        turn: 1,
        prompt: { version: '1', messages: [{ role: 'user', content: place }] },
        hash: 'h',
      })
    for (const place of places)
      expect(readFileSync(join(folder, 'prompts', place, 'prompt.md'), 'utf8')).toBe(`${place}\n`)
  })

  test('takes no answer to another prompt', async () => {
    const model = new FilesModel(join(folder, 'prompts'))
    await run({ model })
    const place = join(folder, 'prompts/Add/s0/turn1')
    writeFileSync(join(place, 'prompt.md'), 'an older prompt')
    writeFileSync(join(place, 'answer.md'), kernel('right'))
    const { unanswered } = await run({ model })
    expect(unanswered).toEqual([
      `${join(place, 'answer.md')}: answers another prompt than the one that is asked now; remove it`,
    ])
  })
})
