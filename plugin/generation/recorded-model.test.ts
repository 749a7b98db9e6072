import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RecordedModel } from './recorded-model.ts'
import type { AnswerLine, PromptLine } from './transcript.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-recorded-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const sample = { suite: 'own', task: 'Add', sample: 0 }

const answerOf = (number: number, turn: number): AnswerLine => ({
  kind: 'answer',
  ...sample,
  turn,
  prompt: 'recorded',
  text: String(number),
  reasoning: '',
  finish: 'stop',
  usage: { input: 1, output: 1 },
  ms: 0,
  time: '2026-01-01T00:00:00Z',
})

const promptOf = (content: string): PromptLine => ({
  kind: 'prompt',
  hash: 'recorded',
  version: '1',
  messages: [
    { role: 'user', content },
    { role: 'assistant', content: 'said' },
  ],
})

const write = (lines: readonly object[]): void =>
  writeFileSync(join(folder, 'transcript.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

test.each([1, 2])('a prompt is compared once, however many answers to it there are (turn %i)', async (turn) => {
  write([promptOf('write Add'), ...Array.from({ length: 500 }, (_, i) => answerOf(i, turn))])
  const model = await RecordedModel.open(folder)
  const { messages } = promptOf('write Sub')
  const stringify = vi.spyOn(JSON, 'stringify')
  const asked = model.ask({ sample, place: '', turn, prompt: { version: '1', messages }, hash: 'asked' })
  await expect(asked).rejects.toThrow('has no recording of this prompt')
  expect(stringify.mock.calls.length).toBeLessThan(5)
  stringify.mockRestore()
})

test('a recording is a regular file: nothing else is opened', async () => {
  const path = join(folder, 'transcript.jsonl')
  const refused = `${path}: is no regular file`
  symlinkSync('/dev/null', path)
  await expect(RecordedModel.open(folder)).rejects.toThrow(refused)
  rmSync(path)
  execFileSync('mkfifo', [path])
  await expect(RecordedModel.open(folder)).rejects.toThrow(refused)
})
