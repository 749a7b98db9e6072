import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, startService } from '../../fixtures/operator.ts'
import { ProgramBatch } from '../../fixtures/program-batch.ts'
import { toFloat64 } from '../inputs/index.ts'
import { emptyTensor } from '../model/index.ts'
import type { KernelService } from '../service/index.ts'
import { compileDsl, type Compiled } from './compile.ts'
import { interpret } from './interpret.ts'

// Programs that are not drawn at random: each is run, and compared with what it means.

interface Written {
  /** the promise */
  readonly name: string
  readonly host: string
  /** what the kernel reads of it, and how large the buffer of the output is */
  readonly fields: string
  readonly out: string
  readonly kernel: string
  /** values of x, of the attribute k, and elements of y */
  readonly x: readonly number[]
  readonly k: number
  readonly size: number
  /** the host part refuses it */
  readonly isRefused?: true
  /** the emulator finds copies of two cores that nothing orders */
  readonly isUnordered?: true
}

const counting = Array.from({ length: 64 }, (_, i) => i)

const written: readonly Written[] = [
  {
    name: 'an element of what is loaded says from where to load',
    host: 'return { blockDim: 1, n: x.size }',
    fields: 'n',
    out: '64',
    kernel: `const index = buffer('float32', 8)
    const found = buffer('float32', n)
    for (const i of range(3)) {
      copyIn(() => load(index, x, i * 8, 8))
      copyIn(() => load(found, x, int(get(index, 1)), 4))
      compute(() => adds(out, found, 0.5, 4))
      copyOut(() => store(y, i * 4, out, 4))
    }`,
    x: counting,
    k: 1,
    size: 12,
  },
  {
    name: 'a buffer is stored before a loop and computed anew in it',
    host: 'return { blockDim: 1, n: 16 }',
    fields: 'n',
    out: 'n, { depth: 1 }',
    kernel: `compute(() => duplicate(out, 7.0, n))
    copyOut(() => store(y, 0, out, n))
    for (const i of range(5)) {
      compute(() => duplicate(out, float(i), n))
      copyOut(() => store(y, (i + 1) * n, out, n))
    }`,
    x: counting,
    k: 1,
    size: 96,
  },
  {
    name: 'the largest whole number of 64 bits is rounded as what it is, by each mode',
    host: 'return { blockDim: 1, n: x.size }',
    fields: 'n',
    out: 'n',
    kernel: `const loaded = buffer('float32', n)
    const whole = buffer('int64', n)
    copyIn(() => load(loaded, x, 0, n))
    compute(() => cast(whole, loaded, n))
    ${['round', 'floor', 'ceil', 'trunc']
      .map(
        (mode, i) => `
    compute(() => cast(out, whole, n, '${mode}'))
    copyOut(() => store(y, ${i} * n, out, n))`,
      )
      .join('')}`,
    x: [Infinity, -Infinity, 3e30, -3e30, 2 ** 62, 12345, -2.5, NaN],
    k: 1,
    size: 32,
  },
  {
    name: 'what is loaded is used in more stages than one',
    host: 'return { blockDim: 1, n: x.size }',
    fields: 'n',
    out: 'n',
    kernel: `const loaded = buffer('float32', n)
    const twice = buffer('float32', n)
    for (const i of range(3)) {
      copyIn(() => load(loaded, x, 0, n))
      compute(() => muls(twice, loaded, float(i), n))
      compute(() => add(out, twice, loaded, n))
      copyOut(() => store(y, i * n, out, n))
    }`,
    x: counting,
    k: 1,
    size: 192,
  },
  {
    name: 'masks have a bit for each of many elements',
    host: 'return { blockDim: 1, n: x.size }',
    fields: 'n',
    out: 'n',
    kernel: `const loaded = buffer('float32', n)
    const isLarge = mask(n)
    const isSmall = mask(n)
    copyIn(() => load(loaded, x, 0, n))
    compute(() => {
      compares(isLarge, loaded, 2.0, 'gt', n)
      compares(isSmall, loaded, 1.0, 'lt', n)
      maskOr(isLarge, isLarge, isSmall, n)
      selects(out, isLarge, loaded, -1.0, n)
    })
    copyOut(() => store(y, 0, out, n))`,
    x: Array.from({ length: 4000 }, (_, i) => i % 5),
    k: 1,
    size: 4000,
  },
  {
    name: 'calls that need much and little memory work in the same',
    host: 'return { blockDim: 1, n: x.size }',
    fields: 'n',
    out: 'n',
    kernel: `const loaded = buffer('float32', n)
    const whole = buffer('float32', n)
    const zeros = buffer('float32', n)
    const sum = buffer('float32', 1)
    copyIn(() => load(loaded, x, 0, n))
    compute(() => {
      duplicate(zeros, 0, n)
      sin(whole, zeros, n)
      adds(whole, whole, 2.5, n)
      add(whole, whole, loaded, n)
      reduceSum(sum, whole, n)
      reciprocal(out, whole, n)
      adds(out, out, get(sum, 0), n)
    })
    copyOut(() => store(y, 0, out, n))`,
    x: Array.from({ length: 3000 }, (_, i) => (i % 7) + 0.5),
    k: 1,
    size: 3000,
  },
  {
    name: 'rows that are loaded may overlap',
    host: 'return { blockDim: 1, n: 5, D: 11 }',
    fields: 'n, D',
    out: 'n',
    kernel: `const windows = buffer('float32', [n, D])
    const rows = buffer('float32', [n, D])
    copyIn(() => load(windows, x, 2, [n, D], 3))
    compute(() => adds(rows, windows, 1.0, [n, D]))
    copyOut(() => store(y, 0, rows, [n, D]))
    compute(() => duplicate(out, 1.0, 5))`,
    x: counting,
    k: 1,
    size: 55,
  },
  {
    name: 'rows that are stored may overlap: later ones win',
    host: 'return { blockDim: 1, n: 5, D: 11 }',
    fields: 'n, D',
    out: 'n',
    kernel: `const windows = buffer('float32', [n, D])
    const rows = buffer('float32', [n, D])
    copyIn(() => load(windows, x, 2, [n, D]))
    compute(() => adds(rows, windows, 1.0, [n, D]))
    copyOut(() => store(y, 0, rows, [n, D], 3))
    compute(() => duplicate(out, 1.0, 5))`,
    x: counting,
    k: 1,
    size: 23,
  },
  {
    name: 'a buffer in a test at run time is held against the unified buffer where it is there',
    host: 'return { blockDim: 1, n: 8, k }',
    fields: 'n, k',
    out: 'n',
    kernel: `if (k > 50) {
      const large = buffer('float32', k * 1000)
      compute(() => duplicate(large, 2.0, 8))
      compute(() => adds(out, large, 0.5, 8))
    } else {
      compute(() => duplicate(out, 1.0, 8))
    }
    compute(() => adds(out, out, 1.0, 8))
    copyOut(() => store(y, 0, out, 8))`,
    x: counting,
    k: 60,
    size: 8,
    isRefused: true,
  },
  {
    name: 'a buffer in a test at run time is no matter where it is not there',
    host: 'return { blockDim: 1, n: 8, k }',
    fields: 'n, k',
    out: 'n',
    kernel: `if (k > 5000) {
      const large = buffer('float32', k * 1000)
      compute(() => duplicate(large, 2.0, 8))
      compute(() => adds(out, large, 0.5, 8))
    } else {
      compute(() => duplicate(out, 1.0, 8))
    }
    compute(() => adds(out, out, 1.0, 8))
    copyOut(() => store(y, 0, out, 8))`,
    x: counting,
    k: 60,
    size: 8,
  },
  {
    name: 'a tile of nothing is refused where its buffer is there',
    host: 'const n = 8\n    const tile = fit(k)\n    return { blockDim: 1, n, k, tile }',
    fields: 'n, k, tile',
    out: 'n',
    kernel: `if (k < 5) {
      const held = buffer('float32', tile)
      compute(() => duplicate(held, 2.0, 1))
    }
    compute(() => duplicate(out, 1.0, 8))
    copyOut(() => store(y, 0, out, 8))`,
    x: counting,
    k: 0,
    size: 8,
    isRefused: true,
  },
  {
    name: 'a tile of nothing is no failure where a test on it leaves another way',
    host: 'const n = 8\n    const tile = fit(k)\n    return { blockDim: 1, n, tile }',
    fields: 'n, tile',
    out: 'n',
    kernel: `if (tile > 0) {
      const held = buffer('float32', tile)
      compute(() => duplicate(held, 2.0, 1))
    }
    compute(() => duplicate(out, 1.0, 8))
    copyOut(() => store(y, 0, out, 8))`,
    x: counting,
    k: 0,
    size: 8,
  },
  {
    name: 'nothing is divided by an attribute of 0',
    host: 'return { blockDim: 1, n: x.size / k }',
    fields: 'n',
    out: '64',
    kernel: `compute(() => duplicate(out, 1.0, 1))
    copyOut(() => store(y, 0, out, 1))`,
    x: counting,
    k: 0,
    size: 8,
    isRefused: true,
  },
  {
    name: 'an attribute of 0 is no matter where a test leaves the division out',
    host: 'return { blockDim: 1, n: k === 0 ? 8 : x.size / k }',
    fields: 'n',
    out: '64',
    kernel: `compute(() => duplicate(out, 1.0, n))
    copyOut(() => store(y, 0, out, n))`,
    x: counting,
    k: 0,
    size: 8,
  },
  {
    name: 'no cores are refused',
    host: 'return { blockDim: k, n: 8 }',
    fields: 'n',
    out: 'n',
    kernel: `compute(() => duplicate(out, 1.0, n))
    copyOut(() => store(y, 0, out, n))`,
    x: counting,
    k: 0,
    size: 8,
    isRefused: true,
  },
  {
    name: 'an output is stored twice at each place: the later one wins',
    host: 'return { blockDim: 1, n: 16 }',
    fields: 'n',
    out: 'n',
    kernel: `const loaded = buffer('float32', n)
    for (const at of range(0, 64, n)) {
      copyIn(() => load(loaded, x, at, n))
      compute(() => duplicate(out, -1.0, n))
      copyOut(() => store(y, at, out, n))
      compute(() => adds(out, loaded, 0.5, n))
      copyOut(() => store(y, at, out, n))
    }`,
    x: counting,
    k: 1,
    size: 64,
  },
  {
    name: 'an output is filled by one loop, and a part of it written by another one',
    host: 'return { blockDim: 1, n: 16 }',
    fields: 'n',
    out: 'n',
    kernel: `const loaded = buffer('float32', n)
    const other = buffer('float32', n)
    for (const at of range(0, 64, n)) {
      compute(() => duplicate(out, -1.0, n))
      copyOut(() => store(y, at, out, n))
    }
    for (const at of range(0, 32, n)) {
      copyIn(() => load(loaded, x, at, n))
      compute(() => adds(other, loaded, 0.5, n))
      copyOut(() => store(y, at + 8, other, n))
    }`,
    x: counting,
    k: 1,
    size: 64,
  },
  {
    name: 'an output is loaded again by another loop',
    host: 'return { blockDim: 1, n: 16 }',
    fields: 'n',
    out: 'n',
    kernel: `const loaded = buffer('float32', n)
    const again = buffer('float32', n)
    for (const at of range(0, 64, n)) {
      copyIn(() => load(loaded, x, at, n))
      compute(() => muls(out, loaded, 2.0, n))
      copyOut(() => store(y, at, out, n))
    }
    for (const at of range(0, 64, n)) {
      copyIn(() => load(again, y, 48 - at, n))
      compute(() => adds(out, again, 0.5, n))
      copyOut(() => store(y, 48 - at, out, n))
    }`,
    x: counting,
    k: 1,
    size: 64,
  },
  {
    name: 'an output is what is added to',
    host: 'return { blockDim: 1, n: 16 }',
    fields: 'n',
    out: 'n',
    kernel: `const loaded = buffer('float32', n)
    const before = buffer('float32', n)
    compute(() => duplicate(out, 0.25, n))
    copyOut(() => store(y, 0, out, n))
    for (const at of range(0, 64, n)) {
      copyIn(() => {
        load(loaded, x, at, n)
        load(before, y, 0, n)
      })
      compute(() => add(out, loaded, before, n))
      copyOut(() => store(y, 0, out, n))
    }`,
    x: counting,
    k: 1,
    size: 16,
  },
  {
    name: 'a row is made of the row that has been stored before it',
    host: 'return { blockDim: 1, n: 8 }',
    fields: 'n',
    out: 'n',
    kernel: `const before = buffer('float32', n)
    const next = buffer('float32', n)
    compute(() => duplicate(out, 1.5, n))
    copyOut(() => store(y, 0, out, n))
    for (const row of range(1, 8)) {
      copyIn(() => load(before, y, (row - 1) * n, n))
      compute(() => adds(next, before, float(row), n))
      copyOut(() => store(y, row * n, next, n))
    }`,
    x: counting,
    k: 1,
    size: 64,
  },
  {
    name: 'what is loaded is what was there before the next store',
    host: 'return { blockDim: 1, n: 16 }',
    fields: 'n',
    out: 'n',
    kernel: `const before = buffer('float32', n)
    const copy = buffer('float32', n)
    const other = buffer('float32', n)
    compute(() => duplicate(out, 7.0, n))
    copyOut(() => store(y, 0, out, n))
    copyIn(() => load(before, y, 0, n))
    compute(() => duplicate(out, 1.0, n))
    copyOut(() => store(y, 0, out, n))
    compute(() => adds(other, before, 0.5, n))
    copyOut(() => store(y, n, other, n))
    copyIn(() => load(copy, y, 8, n))
    copyOut(() => store(y, 2 * n, copy, n))`,
    x: counting,
    k: 1,
    size: 48,
  },
  {
    name: 'tiles are moved back so that the last one ends where the tensor does',
    host: 'return { blockDim: 1, n: 24 }',
    fields: 'n',
    out: 'n',
    kernel: `const loaded = buffer('float32', n)
    for (const from of range(0, 64, n)) {
      const at = min(from, 64 - n)
      copyIn(() => load(loaded, x, at, n))
      compute(() => adds(out, loaded, float(from), n))
      copyOut(() => store(y, at, out, n))
    }`,
    x: counting,
    k: 1,
    size: 64,
  },
  {
    name: 'what is stored is loaded back and added to in later turns of a loop',
    host: 'return { blockDim: 1, n: 8, tiles: 4 }',
    fields: 'n, tiles',
    out: 'n',
    kernel: `const loaded = buffer('float32', n)
    const sum = buffer('float32', n)
    for (const i of range(tiles)) {
      compute(() => duplicate(out, 0, n))
      copyOut(() => store(y, i * n, out, n))
    }
    for (const i of range(4 * tiles)) {
      const at = ((i / 2) % tiles) * n
      copyIn(() => {
        load(loaded, x, at, n)
        load(sum, y, at, n)
      })
      compute(() => add(out, loaded, sum, n))
      copyOut(() => store(y, at, out, n))
    }`,
    x: counting,
    k: 1,
    size: 32,
  },
  {
    name: 'a core does not wait for what another one stores',
    host: 'return { blockDim: 2, n: 16 }',
    fields: 'n',
    out: 'n',
    kernel: `const others = buffer('float32', n)
    const sums = buffer('float32', n)
    compute(() => duplicate(out, float(core), n))
    copyOut(() => store(y, core * n, out, n))
    copyIn(() => load(others, y, (1 - core) * n, n))
    compute(() => adds(sums, others, 0.5, n))
    copyOut(() => store(y, (2 + core) * n, sums, n))`,
    x: counting,
    k: 1,
    size: 64,
    isUnordered: true,
  },
]

const compiledOf = ({ name, host, fields, out, kernel }: Written, i: number): Compiled => {
  const text = `import { operator } from 'vitest-npu/dsl'
export default operator({
  name: 'Written${i}',
  inputs: { x: tensor('float32') },
  outputs: { y: tensor('float32', ['n']) },
  attrs: { k: attr.int() },
  host({ x, k }, { cores }) {
    ${host}
  },
  kernel({ x, y }, { ${fields} }, core) {
    const out = buffer('float32', ${out})
    ${kernel}
  },
})
`
  const compiled = compileDsl('written.npu.ts', text)
  if (compiled.ok) return compiled
  throw new Error(`${name}: ${compiled.message}\n${text}`)
}

const argument = (name: string) => ({ name, kind: 'tensor' as const, required: true, dtypes: ['float32' as const] })
const spec = (extent: number) => ({ dtype: 'float32' as const, shape: [extent] })

const compiled = written.map(compiledOf)
const folder = mkdtempSync(join(tmpdir(), 'dsl-'))
let service: KernelService
let built: ProgramBatch
beforeAll(async () => {
  service = await startService()
  built = await ProgramBatch.build(
    service,
    compiled.map(({ program, files }) => ({ name: program.name, entry: program.entry, files })),
    { inputs: [argument('x')], outputs: [argument('y')], attrs: [{ name: 'k', type: 'int', required: true }] },
    folder,
  )
}, buildLimitMs)
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

/** What becomes of a host part that returns a failure, and has not crashed. */
const refusal = { kind: 'tiling-failed', message: 'the tiling function of Drawn returned GRAPH_FAILED' }

describe('a compiled kernel computes what its program means', () => {
  test.each(written.map((each, i) => ({ ...each, i })))(
    '$name',
    async ({ x: values, k, size, isRefused, isUnordered, i }) => {
      const x = emptyTensor('float32', [values.length])
      new Float32Array(x.data.buffer, x.data.byteOffset, values.length).set(values)
      const wanted = new Float64Array(size)
      const given = { shapes: new Map([['x', [values.length]]]), attributes: new Map([['k', k]]), column: 0, cores: 40 }
      const contents = new Map([
        ['x', Float64Array.from(values)],
        ['y', wanted],
      ])
      expect(interpret(compiled[i]!, given, contents)).toBe(isRefused !== true)
      const problem = { combination: 0, inputs: { x: spec(values.length) }, outputs: { y: spec(size) }, attrs: { k } }
      const { result, outputs } = await built.run(i, problem, { x })
      if (isRefused) return expect(result).toMatchObject({ ok: false, verdict: refusal })
      if (isUnordered) return expect(result.ok ? result.reports.map(({ code }) => code) : []).toContain('GmRace')
      expect(result).toMatchObject({ ok: true, reports: [] })
      const { y } = outputs
      if (!y || !('dtype' in y)) throw new Error('there is no output')
      expect(Array.from(toFloat64(y))).toEqual(Array.from(wanted))
    },
  )
})
