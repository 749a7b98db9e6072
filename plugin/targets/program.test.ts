import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, interfaceOf, startService } from '../../fixtures/operator.ts'
import { withCaseFile } from '../case-file/index.ts'
import type { KernelCase, LaunchResult, Sample } from '../model/index.ts'
import type { KernelService } from '../service/index.ts'
import { codeFrame } from '../vitest/code-frame.ts'

// `rows` is more than the buffers have where it is above 2.
const text = `import { adds, buffer, compute, copyIn, copyOut, load, operator, store, tensor } from 'vitest-npu/dsl'

export default operator({
  name: 'Plus',
  inputs: { x: tensor('float32', ['R', 'D']) },
  outputs: { y: tensor.like('x') },
  attrs: { rows: attr.int() },
  host({ x, rows }) {
    return { blockDim: 1, rows, D: x.shape(-1) }
  },
  kernel({ x, y }, { rows, D }) {
    const xs = buffer('float32', [2, D])
    const ys = buffer('float32', [2, D])
    copyIn(() => load(xs, x, 0, [rows, D]))
    compute(() => adds(ys, xs, 1, [rows, D]))
    copyOut(() => store(y, 0, ys, [rows, D]))
  },
})
`
const lineOf = (part: string): number => text.slice(0, text.indexOf(part)).split('\n').length

const folder = mkdtempSync(join(tmpdir(), 'program-'))
const file = join(folder, 'plus.npu.ts')
const task = interfaceOf('Plus', 'plus', ['rows'], ['float32'])
let service: KernelService
let artifact: string

beforeAll(async () => {
  service = await startService()
  writeFileSync(file, text)
  const sample: Sample = {
    task: 'Plus',
    name: 'plus',
    root: folder,
    kernelDir: folder,
    hostDir: null,
    cmakeLists: [],
    program: file,
  }
  const combinations = [{ inputs: ['float32' as const], outputs: ['float32' as const] }]
  const built = await service.build({ sample, task, combinations })
  if (!built.ok) throw new Error(JSON.stringify(built.verdict))
  artifact = built.artifact
}, buildLimitMs)
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

async function launch(rows: number): Promise<LaunchResult> {
  // rows that begin on no block are copied by a function of the project, not by the line itself
  const [dtype, shape] = ['float32' as const, [rows, 9]]
  const kernelCase: KernelCase = {
    task: 'Plus',
    name: 'rows',
    combination: 0,
    inputs: { x: { dtype, shape } },
    outputs: { y: { dtype, shape } },
    attrs: { rows },
    seed: 1,
  }
  const x = { dtype, shape, data: new Float32Array(rows * 9) }
  return await withCaseFile(task, kernelCase, { x }, async ({ path, fileBytes, slots }) => {
    const [start = 0] = [slots.at(-1)].flat().map((slot) => slot?.offset)
    const watched = [{ offset: start, bytes: 4 }]
    return await service.launch({
      artifact,
      case: kernelCase,
      file: path,
      fileBytes,
      slots,
      poison: 'a5a5a5a5a5a5a5a5',
      watched,
    })
  })
}

const places = (result: LaunchResult): unknown[] =>
  [...result.reports, ...(!result.ok && 'report' in result.verdict ? [result.verdict.report] : [])].map(
    (each) => `${each.file}:${each.line}`,
  )

describe('a kernel that was compiled from a program', () => {
  test('is told of by lines of the program, also where a function of the project does the work', async () => {
    const found = places(await launch(9))
    expect(found).not.toEqual([])
    const lines = ['load(xs', 'adds(ys', 'store(y, 0'].map((part) => `${file}:${lineOf(part)}`)
    for (const place of found) expect(lines).toContain(place)
  })

  test('has wrong elements written by a line of the program, which the code frame shows', async () => {
    const result = await launch(2)
    expect(result).toMatchObject({ ok: true, reports: [] })
    const [writer] = (result.ok && result.writers) || []
    expect(writer).toMatchObject({ file, line: lineOf('store(y, 0') })
    expect(codeFrame(writer!.file!, writer!.line!, folder)).toContain('store(y, 0, ys, [rows, D])')
  })
})
