import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { cacheDir, edited } from './project.ts'

const folder = fileURLToPath(new URL('../recipes/verl', import.meta.url))
const recording = fileURLToPath(new URL('../fixtures/transcripts/level1/transcript.jsonl', import.meta.url))
const limitMs = 5 * 60_000

const python = spawnSync('python3', ['--version']).status === 0
const place = mkdtempSync(join(tmpdir(), 'npu-reward-'))
afterAll(() => rmSync(place, { recursive: true }))

const answerLine = z.object({ kind: z.literal('answer'), suite: z.string(), task: z.string(), text: z.string() })

/** The first answer of a recording. */
function recorded() {
  const lines = readFileSync(recording, 'utf8').trim().split('\n')
  return answerLine.parse(
    lines.map((line): unknown => JSON.parse(line)).find((line) => answerLine.safeParse(line).success),
  )
}

const driver = `
import json, sys
sys.path.insert(0, ${JSON.stringify(folder)})
import reward
print(json.dumps([reward.compute_score(**call) for call in json.load(sys.stdin)]))
`

const name = python ? '' : ' (skipped: there is no python3 here)'

test.skipIf(!python)(
  `what a model wrote is worth 1 where it is right, and nothing where it does not compile${name}`,
  () => {
    const { suite, task, text } = recorded()
    const ground_truth = JSON.stringify({ suite, task })
    const broken = edited(text, [['#include "kernel_operator.h"', '#include "kernel_operators.h"']])
    const calls = [`a thought</think>\n${text}`, broken].map((solution_str) => ({
      data_source: `vitest-npu/${suite}`,
      solution_str,
      ground_truth,
      extra_info: { split: 'train', index: 0 },
    }))
    const { stdout, stderr, status } = spawnSync('python3', ['-c', driver], {
      input: JSON.stringify(calls),
      env: {
        PATH: process.env['PATH'],
        TMPDIR: place,
        PYTHONDONTWRITEBYTECODE: '1',
        NPU_CACHE_DIR: cacheDir,
        NPU_MAX_ELEMENTS: '65536',
        NPU_FUZZ_RUNS: '2',
      },
      encoding: 'utf8',
      timeout: limitMs,
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual([
      { score: 1, correct: 1, runs: 1, compiles: 1, speedup: expect.any(Number) },
      { score: 0, correct: 0, runs: 0, compiles: 0, speedup: 0 },
    ])
  },
)
