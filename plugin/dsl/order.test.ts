import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { compileDsl, type Compiled } from './compile.ts'
import { explainSync } from './explain-sync.ts'
import type { Step } from './schedule.ts'
import { printStage } from './stages.ts'

/** Lines that store what they have computed to a place of a tensor, or load from it and compute with that. */
type Copying = (tensor: string, offset: string, extent: string, pitch?: string) => string

const placed = (pitch: string | undefined): string => (pitch === undefined ? '' : `, ${pitch}`)

/** A program with copies of the tensors x, y and z, of which x is overwritten. */
function programOf(kernel: (put: Copying, take: Copying) => string): string {
  const buffers: string[] = []
  const bufferOf = (extent: string): string => {
    const name = `b${buffers.length}`
    buffers.push(`const ${name} = buffer('float32', ${extent.startsWith('[') ? '[tile, piece]' : '64'}, { depth: 1 })`)
    return name
  }
  const put: Copying = (tensor, offset, extent, pitch) => {
    const name = bufferOf(extent)
    return `compute(() => duplicate(${name}, 0, ${extent}))
    copyOut(() => store(${tensor}, ${offset}, ${name}, ${extent}${placed(pitch)}))`
  }
  const take: Copying = (tensor, offset, extent, pitch) => {
    const [name, other] = [bufferOf(extent), bufferOf(extent)]
    return `copyIn(() => load(${name}, ${tensor}, ${offset}, ${extent}${placed(pitch)}))
    compute(() => adds(${other}, ${name}, 1, ${extent}))`
  }
  const lines = kernel(put, take)
  const others = ['x', 'y', 'z'].filter((each) => !lines.includes(`store(${each},`))
  const rest = others.map((each) => put(each, '0', '1'))
  return `import { operator } from 'vitest-npu/dsl'
export default operator({
  name: 'Ordered',
  inputs: { x: tensor('float32', ['B', 'D']), index: tensor('int32', ['B']) },
  outputs: { x: tensor('float32', ['B', 'D']), y: tensor.like('x'), z: tensor.like('x') },
  attrs: { isSum: attr.bool(false) },
  host({ x, isSum }) {
    const D = x.shape(1)
    const rows = x.shape(0)
    const tile = min(rows, 16)
    const piece = min(D, 64)
    const pieces = ceilDiv(D, piece)
    return { blockDim: 1, D, rows, tile, piece, pieces, none: 0, isSum }
  },
  kernel({ x, index, y, z }, { D, rows, tile, piece, pieces, none, isSum }) {
    ${[...buffers, lines, ...rest].join('\n    ')}
  },
})
`
}

function compiledOf(text: string): Compiled {
  const compiled = compileDsl('ordered.npu.ts', text)
  if (compiled.ok) return compiled
  throw new Error(`${compiled.message}\n${text}`)
}

/** What a kernel waits for, each with the line that follows. */
const waitsOf = (kernel: Parameters<typeof programOf>[0]): string[] =>
  printStage(compiledOf(programOf(kernel)), 'compute')
    .split('\n')
    .flatMap((line, i, all) => (line.includes('wait ') ? [`${line.trim()}, ${all[i + 1]!.trim()}`] : []))

/** A loop over D elements. */
const loop = (lines: string): string => `for (const at of range(0, D, 64)) {\n${lines}\n}`

/** What rows wait for that are stored, each behind a load of a place. */
const rowsFrom = (of: string): string[] =>
  waitsOf((put, take) => `for (const row of range(0, rows)) {\n${take('y', of, '8')}\n${put('y', 'row * 8', '8')}\n}`)

const manyStores = (put: Copying): string =>
  Array.from({ length: 17 }, (_, i) => put('y', String(i * 8), '8')).join('\n')

describe('copies of a tensor that may meet are ordered', () => {
  test('a store waits for a store, a load for a store', () => {
    expect(waitsOf((put) => `${put('y', '0', '64')}\n${put('y', '32', '64')}`)).toEqual(['wait MTE3, copyOut'])
    expect(waitsOf((put, take) => `${put('y', '0', '64')}\n${take('y', '32', '64')}`)).toEqual([
      'wait MTE3_MTE2, copyIn',
    ])
  })

  test('a store waits for a load that nothing has been made of', () => {
    expect(
      waitsOf(
        () => `const held = buffer('float32', 64)
    const used = buffer('float32', 64)
    const other = buffer('float32', 64)
    copyIn(() => load(held, x, 0, 64))
    compute(() => duplicate(other, 0, 64))
    copyOut(() => store(x, 0, other, 64))
    compute(() => adds(used, held, 1, 64))`,
      ),
    ).toEqual(['wait MTE2_MTE3, copyOut'])
  })

  test('what comes behind a loop waits once', () => {
    expect(waitsOf((put, take) => `${loop(put('y', 'at', '64'))}\n${loop(take('y', 'D - 64 - at', '64'))}`)).toEqual([
      'wait MTE3_MTE2, for at from 0 to D by 64',
    ])
  })

  test.each([
    ['at one place in each turn', '0'],
    ['at a place that is moved back', 'min(at, D - 8)'],
    ['at a place that an element says', 'get(index, at)'],
    ['at a quotient', '(at / 2) * 64'],
    ['at a quotient that is rounded up', 'ceilDiv(at, 2) * 64'],
    ['at a quotient that is rounded as a float', 'int(float(at) / 2.0) * 64'],
    ['at a remainder', '(at % tile) * 64'],
    ['at the remainder of a quotient', '((at / 2) % tile) * 64'],
    ['at a quotient and a remainder that come to the same', '(at / 2 + at % 2) * 64'],
    ['at a column of whatever row', '((at / tile) * 0 + at % tile) * 64'],
    ['at a multiple of nothing', 'D + at * none'],
    ['at a product that rises and falls', 'at * (rows - 1 - at) * 64'],
    ['at a distance from the middle', '(at - tile) * (at - tile) * 64'],
  ])('a store %s waits for that of the turn before', (_, offset) => {
    expect(waitsOf((put) => `for (const at of range(0, rows)) {\n${put('y', offset, '8')}\n}`)).toEqual([
      'wait MTE3, copyOut',
    ])
  })

  test('places that two loops come to in turns of their own wait', () => {
    expect(
      waitsOf(
        (put) => `for (const a of range(2)) {\nfor (const b of range(rows)) {\n${put('y', '(a + b) * 8', '8')}\n}\n}`,
      ),
    ).toEqual(['wait MTE3, for b from 0 to rows by 1'])
  })

  test('a place that does not go on in each turn waits', () => {
    expect(
      waitsOf(
        (put) => `let to = 0
    for (const at of range(0, rows)) {
      ${put('y', 'to', '8')}
      if (at % 2 === 1) {
        to += 8
      }
    }`,
      ),
    ).toEqual(['wait MTE3, copyOut'])
  })

  test('what is loaded back and stored at a place of more turns than one waits', () => {
    const [place, extent] = ['ceilDiv(at, 2) * 8', '8']
    const lines = (put: Copying, take: Copying): string =>
      `for (const at of range(0, rows)) {\n${take('y', place, extent)}\n${put('y', place, extent)}\n}`
    expect(waitsOf(lines)).toEqual(['wait MTE3_MTE2, copyIn', 'wait MTE3, copyOut'])
  })

  test('a row that is made of the one before it waits for that', () => {
    expect(rowsFrom('(row - 1) * 8')).toEqual(['wait MTE3_MTE2, copyIn'])
    expect(rowsFrom('row * 8')).toEqual([])
    expect(rowsFrom('(row + 1) * 8')).toEqual([])
  })

  test('more copies than are compared with each other all wait', () => {
    expect(waitsOf(manyStores)).toHaveLength(17)
  })

  test('where queues hold all flags of loads and stores, everything is waited for', () => {
    const through = ['a', 'b', 'c', 'd'].map(
      (name, i) => `const ${name} = buffer('float32', 64)
    copyIn(() => load(${name}, x, ${i * 64}, 64))
    copyOut(() => store(y, ${i * 64}, ${name}, 64))`,
    )
    expect(waitsOf((_, take) => `${through.join('\n')}\n${take('y', '0', '64')}`)).toEqual(['wait ALL, copyIn'])
  })

  test('the kernel waits by a flag or a barrier, which are explained', () => {
    const text = programOf((put, take) => `${put('y', '0', '64')}\n${take('y', '0', '64')}\n${put('y', '0', '64')}`)
    const compiled = compiledOf(text)
    const kernel = compiled.files[2]!.content
    expect(kernel).toContain('    Await<AscendC::HardEvent::MTE3_MTE2>();\n')
    expect(kernel).toContain('    AscendC::PipeBarrier<PIPE_MTE3>();\n')
    expect(explainSync(compiled, text)).toMatch(/ WaitFlag +y +4 +once +MTE2 waits until MTE3 has stored/)
    expect(explainSync(compiled, text)).toMatch(/ PipeBarrier +y +1 +once +MTE3 has stored/)
  })
})

describe('copies that are known to be apart do not wait', () => {
  const nothing: [string, (put: Copying, take: Copying) => string][] = [
    ['tensors of their own', (put, take) => `${put('y', '0', '64')}\n${put('z', '0', '64')}\n${take('x', '0', '64')}`],
    ['one behind the other', (put) => `${put('y', '0', '64')}\n${put('y', '64', '8')}`],
    [
      'two parts of each row',
      (put) => `for (const row of range(0, rows, tile)) {
      const n = min(tile, rows - row)
      ${put('y', '2 * row * piece', '[n, piece]', '2 * piece')}
      ${put('y', '2 * row * piece + piece', '[n, piece]', '2 * piece')}
    }`,
    ],
    [
      'pieces of rows from the end on',
      (put) => `for (const row of range(0, rows, tile)) {
      const n = min(tile, rows - row)
      for (const from of range(0, D, piece)) {
        const w = min(piece, D - from)
        ${put('y', 'row * D + (D - from - w)', '[n, w]', 'D')}
      }
    }`,
    ],
    [
      'pieces of rows that one loop goes over',
      (put) => `for (const job of range(0, rows * pieces)) {
      const row = job / pieces
      const at = (job % pieces) * piece
      const n = min(piece, D - at)
      ${put('y', '2 * row * D + at', 'n')}
      ${put('y', '2 * row * D + at + D', 'n')}
    }`,
    ],
    [
      'places that a variable says, which goes on by what is copied',
      (put) => `let row = 0
    for (const at of range(0, rows)) {
      if (row < rows) {
        const n = min(tile, rows - row)
        ${put('y', 'row * piece', '[n, piece]')}
        row += n
      }
    }`,
    ],
    [
      'pieces of rows that one loop goes over, column by column',
      (put) => `for (const job of range(0, rows * pieces)) {
      const at = (job / rows) * piece
      const n = min(piece, D - at)
      ${put('y', '(job % rows) * D + at', 'n')}
    }`,
    ],
    [
      'pieces of some rows each',
      (put) => `for (const row of range(0, rows)) {
      for (const at of range(0, D, piece)) {
        const n = min(piece, D - at)
        for (const m of range(4)) {
          ${put('y', '(row * 4 + m) * D + at', 'n')}
        }
      }
    }`,
    ],
    [
      'loads and stores of one place in several loops within each row',
      (put, take) => `for (const row of range(0, rows)) {
      for (const at of range(0, D, piece)) {
        const n = min(piece, D - at)
        ${take('x', 'row * D + at', 'n')}
      }
      for (const at of range(0, D, piece)) {
        const n = min(piece, D - at)
        ${take('x', 'row * D + at', 'n')}
        ${put('x', 'row * D + at', 'n')}
      }
    }`,
    ],
    [
      'ways that are never taken both',
      (put) => `if (isSum) {
      ${put('y', '0', '8')}
    }
    if (!isSum) {
      ${put('y', '0', '8')}
    }`,
    ],
  ]

  test.each(nothing)('%s', (_, kernel) => {
    expect(waitsOf(kernel)).toEqual([])
  })

  test('those of all programs of the references', () => {
    const folder = fileURLToPath(new URL('../../references/dsl/', import.meta.url))
    const isWaiting = (step: Step): boolean =>
      step.op === 'order' || (step.op === 'statement' && step.blocks.some((block) => block.some(isWaiting)))
    const waiting = readdirSync(folder).filter((file) =>
      compiledOf(readFileSync(`${folder}${file}`, 'utf8')).steps.some(isWaiting),
    )
    expect(waiting).toEqual([])
  })
})
