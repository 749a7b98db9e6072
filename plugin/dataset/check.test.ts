import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { InfrastructureError } from '../model/index.ts'
import { checkRows } from './check.ts'
import { DatasetError } from './error.ts'
import { rowOf } from './row.ts'
import type { CheckContext } from './verifier.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-check-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const rowOfTask = (task: string) =>
  rowOf({
    kind: 'error',
    request: `${task}:\n\n\`\`\`cpp\na\n\`\`\``,
    thought: 'because',
    answer: '```cpp\nb\n```',
    proof: {
      level: 'api',
      suite: 's',
      task,
      verdict: 'compile-failed',
      class: null,
      failing: [{ path: 'op_kernel/a.cpp', content: 'a' }],
      corrected: [{ path: 'op_kernel/a.cpp', content: 'b' }],
    },
    provenance: { source: 'x', sha256: '0'.repeat(64), licence: 'MIT' },
  })

/** Nobody knows any task, and of one there is no golden. */
const taskOf = (_: string, name: string) =>
  Promise.reject(name === 'impossible' ? new InfrastructureError('no golden') : new DatasetError(`no ${name}`))

test('a row that cannot be checked costs the others nothing', async () => {
  const path = join(folder, 'rows.jsonl')
  const rows = ['unknown', 'impossible', 'unknown too'].map((task) => JSON.stringify(rowOfTask(task)))
  writeFileSync(path, `${rows.join('\n')}\n`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing is judged
  const context = { taskOf, judging: {} } as unknown as CheckContext
  const found = []
  for await (const { number, problem, failure } of checkRows(path, context)) found.push([number, problem, failure])
  expect(found).toEqual([
    [1, 'no unknown', undefined],
    [2, undefined, 'no golden'],
    [3, 'no unknown too', undefined],
  ])
})
