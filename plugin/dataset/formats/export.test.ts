import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { rowOf, type Row } from '../row.ts'
import { exportRows, type ExportOptions } from './export.ts'
import { formats } from './formats.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'export-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const provenance = { source: 'here.md', sha256: '0'.repeat(64), licence: 'MIT' }
const side = (name: string, outcome: string) => ({
  files: [{ path: 'op_kernel/a.cpp', content: name }],
  outcome,
  latency: null,
  band: null,
  seed: 1,
})

const plain = (request: string, thought: string): Row =>
  rowOf({ kind: 'mixed', request, thought, answer: `answer to ${request}`, proof: {}, provenance })

const pair = (task: string, chosen: string, rejected: string): Row =>
  rowOf({
    kind: 'preference',
    system: 'You write kernels.',
    request: `write ${task}`,
    answer: chosen,
    thought: 'first this, then that',
    rejected: { answer: rejected },
    operator: task,
    proof: {
      suite: 'own',
      task,
      strategy: 'mixture',
      chosen: side(chosen, 'correct'),
      rejected: side(rejected, 'wrong-value'),
    },
    provenance,
  })

const rows = [plain('why?', 'because'), pair('A', 'good', 'bad'), pair('A', 'good', 'worse'), pair('B', 'x', 'y')]

const exported = (name: string, more: Partial<ExportOptions> = {}) => {
  const path = join(folder, 'rows.jsonl')
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const out = join(folder, 'out')
  const options = {
    format: formats[name]!,
    name: 'npu',
    out,
    as: 'jsonl',
    splits: undefined,
    seed: 1,
    judge: '',
  } as const
  return exportRows([path], { ...options, ...more })
}

const linesOf = (file: string): unknown[] =>
  readFileSync(join(folder, 'out', file), 'utf8')
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))

const fieldOf = (line: unknown, field: string): unknown => z.record(z.string(), z.unknown()).parse(line)[field]

const jsonOf = (file: string): unknown => JSON.parse(readFileSync(join(folder, 'out', file), 'utf8'))

const message = (role: string) => z.strictObject({ role: z.literal(role), content: z.string() })
const origin = { id: z.string(), provenance: z.string() }
const prompt = z.union([z.tuple([message('user')]), z.tuple([message('system'), message('user')])])
const answer = z.tuple([message('assistant')])
const alpaca = { instruction: z.string(), input: z.string(), system: z.string(), ...origin }
const human = z.strictObject({ from: z.literal('human'), value: z.string() })
const gpt = z.strictObject({ from: z.literal('gpt'), value: z.string() })
const shared = { system: z.string(), ...origin }

/** What loaders ask of a record, by format and file, with how many there are. */
const schemas: [string, string, number, z.ZodType][] = [
  ['trl', 'train_sft.jsonl', 1, z.strictObject({ prompt, completion: answer, ...origin })],
  ['trl', 'train_dpo.jsonl', 3, z.strictObject({ prompt, chosen: answer, rejected: answer, ...origin })],
  ['trl', 'train_kto.jsonl', 5, z.strictObject({ prompt, completion: answer, label: z.boolean(), ...origin })],
  [
    'verl',
    'train_rl.jsonl',
    2,
    z.strictObject({
      data_source: z.string(),
      prompt,
      ability: z.string(),
      reward_model: z.strictObject({ style: z.literal('rule'), ground_truth: z.string() }),
      extra_info: z.looseObject({ split: z.literal('train'), index: z.int() }),
    }),
  ],
  ['llama-factory', 'train_sft.jsonl', 1, z.strictObject({ ...alpaca, output: z.string() })],
  ['llama-factory', 'train_dpo.jsonl', 3, z.strictObject({ ...alpaca, chosen: z.string(), rejected: z.string() })],
  ['llama-factory', 'train_kto.jsonl', 5, z.strictObject({ ...alpaca, output: z.string(), kto_tag: z.boolean() })],
  ['mindspeed', 'train_sft.jsonl', 1, z.strictObject({ ...alpaca, output: z.string() })],
  ['mindspeed', 'train_dpo.jsonl', 3, z.strictObject({ ...alpaca, chosen: z.string(), rejected: z.string() })],
  ['openai', 'train_sft.jsonl', 1, z.strictObject({ messages: z.tuple([message('user'), message('assistant')]) })],
  ['sharegpt', 'train_sft.jsonl', 1, z.strictObject({ conversations: z.tuple([human, gpt]), ...shared })],
  [
    'sharegpt',
    'train_dpo.jsonl',
    3,
    z.strictObject({ conversations: z.tuple([human]), chosen: gpt, rejected: gpt, ...shared }),
  ],
  [
    'sharegpt',
    'train_kto.jsonl',
    5,
    z.strictObject({ conversations: z.tuple([human, gpt]), kto_tag: z.boolean(), ...shared }),
  ],
]

describe('records are what loaders ask for', () => {
  it.each(schemas)('%s %s', (format, file, count, schema) => {
    exported(format)
    const lines = linesOf(file)
    expect(lines).toHaveLength(count)
    for (const line of lines) schema.parse(line)
  })

  it.each(schemas)('%s %s: Parquet holds the same as JSON', async (format, file) => {
    exported(format)
    const lines = linesOf(file)
    exported(format, { as: 'parquet' })
    const buffer = await asyncBufferFromFile(join(folder, 'out', file.replace('jsonl', 'parquet')))
    const read = await parquetReadObjects({ file: buffer })
    const narrowed: unknown = JSON.parse(
      JSON.stringify(read, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
    )
    expect(narrowed).toEqual(lines)
    const { schema } = await parquetMetadataAsync(buffer)
    for (const { type, converted_type: converted } of schema) expect(converted === 'UTF8').toBe(type === 'BYTE_ARRAY')
  })

  it('reasoning stands in marks of its own before the answer', () => {
    exported('openai')
    expect(linesOf('train_sft.jsonl')).toEqual([
      {
        messages: [
          { role: 'user', content: 'why?' },
          { role: 'assistant', content: '<think>\nbecause\n</think>\n\nanswer to why?' },
        ],
      },
    ])
  })

  it('both answers of a pair have the same prompt, and an answer is called good once', () => {
    const { repeated } = exported('trl')
    expect(repeated).toBe(1)
    expect(linesOf('train_kto.jsonl').map((line) => fieldOf(line, 'label'))).toEqual([true, false, false, true, false])
  })

  it('a row that the format has no record of is counted', () => {
    expect(exported('openai')).toMatchObject({ rows: 4, left: 3 })
    expect(exported('verl')).toMatchObject({ rows: 4, left: 1, repeated: 1 })
  })
})

describe('files beside', () => {
  it('name columns that the files have', () => {
    for (const format of ['llama-factory', 'sharegpt']) {
      const { files } = exported(format)
      const info = z
        .record(z.string(), z.looseObject({ file_name: z.string(), columns: z.record(z.string(), z.string()) }))
        .parse(jsonOf('dataset_info.json'))
      expect(Object.keys(info)).toEqual(files.map(({ name }) => name))
      for (const { file_name: file, columns } of Object.values(info))
        for (const line of linesOf(file))
          for (const column of Object.values(columns)) expect(line).toHaveProperty([column])
    }
  })

  it('say which files hold pairs', () => {
    exported('llama-factory')
    expect(jsonOf('dataset_info.json')).toMatchObject({
      npu_train_dpo: {
        file_name: 'train_dpo.jsonl',
        ranking: true,
        columns: { chosen: 'chosen', rejected: 'rejected' },
      },
    })
  })

  it('tell MindSpeed-LLM its keys as the text that the option takes', () => {
    exported('mindspeed')
    const told = z
      .record(z.string(), z.strictObject({ 'handler-name': z.string(), 'map-keys': z.string() }))
      .parse(jsonOf('preprocess.json'))
    expect(told['train_dpo.jsonl']?.['handler-name']).toBe('AlpacaStylePairwiseHandler')
    const keys: unknown = JSON.parse(told['train_dpo.jsonl']!['map-keys'])
    expect(keys).toEqual({ prompt: 'instruction', query: 'input', system: 'system' })
  })
})

it('an operator is in one split, whatever its rows are', async () => {
  exported('trl', { splits: { train: 0.5, test: 0.5 }, seed: 3 })
  const files = (await readdir(join(folder, 'out'))).filter((file) => file.includes('dpo'))
  const prompts = files.map((file) => new Set(linesOf(file).map((line) => JSON.stringify(fieldOf(line, 'prompt')))))
  expect(prompts.reduce((sum, { size }) => sum + size, 0)).toBe(2)
})
