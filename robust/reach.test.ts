import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LedgerEntry } from '../plugin/ledger/index.ts'
import { edited, Project, type Edits } from './project.ts'

const operator = fileURLToPath(new URL('../fixtures/reach', import.meta.url))

/** Defects in code that no case of a whole device comes to, as edits of a kernel that is right. */
const defects: Record<string, Edits> = {
  races_from_the_third_tile: [
    ['if (i >= 2) WaitFlag<HardEvent::V_MTE2>(half);', ''],
    ['if (i + 2 < tiles) SetFlag<HardEvent::V_MTE2>(half);', ''],
  ],
  tail_of_two_tiles_on_the_last_core: [
    [
      'i + 1 == tiles ? length - offset : data.tile;',
      'i + 1 == tiles ? length - offset - (tiles == 2 && GetBlockIdx() + 1 == GetBlockNum() ? 1 : 0) : data.tile;',
    ],
  ],
}

let project: Project
let onWhole: LedgerEntry[]
let onNarrow: LedgerEntry[]

beforeAll(async () => {
  project = new Project()
  project.operator('ScaleCustom')
  project.clear('candidates')
  for (const [name, edits] of Object.entries({ right: [], ...defects })) {
    const sample = join(project.folder, 'candidates/ScaleCustom', name)
    mkdirSync(sample, { recursive: true })
    cpSync(operator, sample, { recursive: true })
    const kernel = join(sample, 'op_kernel/scale_custom.cpp')
    writeFileSync(kernel, edited(readFileSync(kernel, 'utf8'), edits))
  }
  const judge = async (options: string): Promise<LedgerEntry[]> => {
    project.config(`{ seed: 2, remember: false, ${options} }`)
    // as many generated cases as by default
    await project.run({ env: { NPU_FUZZ_RUNS: '' } })
    return project.ledger()
  }
  onWhole = await judge('narrowDevices: false')
  onNarrow = await judge('')
})
afterAll(() => project.remove())

const failedStages = (ledger: LedgerEntry[], sample: string): string[] =>
  ledger.filter((entry) => entry.sample === sample && entry.verdict.kind !== 'correct').map(({ stage }) => stage)

test('a right kernel is right on every device', () => {
  expect(onNarrow.filter(({ sample }) => sample === 'right').map(({ stage }) => stage)).toContain('generated')
  expect(failedStages(onNarrow, 'right')).toEqual([])
})

test.each(Object.keys(defects))('%s: found on narrow devices, and missed on the whole one', (name) => {
  expect(failedStages(onWhole, name)).toEqual([])
  expect(failedStages(onNarrow, name)).toContain('generated')
})
