import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, startService } from '../../fixtures/operator.ts'
import { ProgramBatch } from '../../fixtures/program-batch.ts'
import { encode, toFloat64 } from '../inputs/index.ts'
import { emptyTensor, type Tensor } from '../model/index.ts'
import type { KernelService } from '../service/index.ts'
import { compileDsl, type Compiled } from './compile.ts'
import { explainSync } from './explain-sync.ts'
import { interpret } from './interpret.ts'

const count = 9
const size = 1000
const all = Array.from({ length: count }, (_, i) => i)
const each = (line: (i: number) => string): string => all.map(line).join('\n')
const behindTwo = (line: (i: number) => string): string => all.slice(2).map(line).join('\n')

const loop = (lines: string): string => `for (const at of range(0, size, tile)) {
  const n = min(tile, size - at)
  ${lines}
}`

const tiles = (names: string): string => each((i) => `const ${names}${i} = buffer('float32', tile)`)
const load = (buffer: string, i: number): string => `copyIn(() => load(${buffer}, x${i}, at, n))`
const store = (i: number, buffer: string): string => `copyOut(() => store(y${i}, at, ${buffer}, n))`
const added = (target: string, source: string, i: number): string =>
  `compute(() => adds(${target}, ${source}, ${i + 1}, n))`

/** Loads, computes and stores a tile of one tensor. */
const turn = (i: number): string => `${load(`a${i}`, i)}\n${added(`b${i}`, `a${i}`, i)}\n${store(i, `b${i}`)}`

/** Kernels that add something to each of nine tensors, tile by tile, with more queues than there are flags. */
const kernels = {
  'nine inputs': `${tiles('a')}
    const ys = buffer('float32', tile)
    ${loop(each((i) => `${load(`a${i}`, i)}\n${added('ys', `a${i}`, i)}\n${store(i, 'ys')}`))}`,
  'nine outputs': `const xs = buffer('float32', tile)
    ${tiles('b')}
    ${loop(each((i) => `${load('xs', i)}\n${added(`b${i}`, 'xs', i)}\n${store(i, `b${i}`)}`))}`,
  'nine tensors that pass through': `${tiles('t')}
    ${loop(each((i) => `${load(`t${i}`, i)}\n${store(i, `t${i}`)}`))}`,
  'nine loops': `${tiles('a')}
    ${tiles('b')}
    ${each((i) => loop(turn(i)))}`,
  'nine tests': each(
    (i) => `if (size > ${i}) {
      const a${i} = buffer('float32', tile)
      const b${i} = buffer('float32', tile)
      ${loop(turn(i))}
    }`,
  ),
  'nine tests in a loop': `${tiles('a')}
    ${tiles('b')}
    ${loop(each((i) => `if (at % 256 === 0) {\n${turn(i)}\n} else {\n${turn(i)}\n}`))}`,
  'tensors in hand around a loop': `${tiles('a')}
    ${tiles('b')}
    copyIn(() => {
      ${behindTwo((i) => `load(a${i}, x${i}, 0, tile)`)}
    })
    ${loop(`${turn(0)}\n${turn(1)}\n${behindTwo((i) => `${added(`b${i}`, `a${i}`, i)}\n${store(i, `b${i}`)}`)}`)}
    compute(() => {
      ${behindTwo((i) => `adds(b0, a${i}, 1, tile)`)}
    })
    copyOut(() => store(y0, 0, b0, tile))`,
} as const

function programOf(name: string, kernel: string): string {
  const names = (of: string): string => all.map((i) => `${of}${i}`).join(', ')
  return `import { operator } from 'vitest-npu/dsl'
export default operator({
  name: '${name}',
  inputs: { ${all.map((i) => `x${i}: tensor('float32')`).join(', ')} },
  outputs: { ${all.map((i) => `y${i}: tensor.like('x0')`).join(', ')} },
  host({ x0 }) {
    return { blockDim: 1, size: x0.size, tile: 128 }
  },
  kernel({ ${names('x')}, ${names('y')} }, { size, tile }) {
    ${kernel}
  },
})
`
}

function compiledOf(text: string): Compiled {
  const compiled = compileDsl('flags.npu.ts', text)
  if (compiled.ok) return compiled
  throw new Error(`${compiled.message}\n${text}`)
}

const entries = Object.entries(kernels)
const compiledKernels = entries.map(([, kernel], i) => compiledOf(programOf(`Flags${i}`, kernel)))

const argument = (name: string) => ({ name, kind: 'tensor' as const, required: true, dtypes: ['float32' as const] })

describe('a kernel with more queues than flags', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dsl-flags-'))
  let service: KernelService
  let built: ProgramBatch
  beforeAll(async () => {
    service = await startService()
    built = await ProgramBatch.build(
      service,
      compiledKernels.map(({ program, files }) => ({ name: program.name, entry: program.entry, files })),
      {
        inputs: all.map((i) => argument(`x${i}`)),
        outputs: all.map((i) => argument(`y${i}`)),
        attrs: [],
      },
      folder,
    )
  }, buildLimitMs)
  afterAll(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })

  const inputs = all.map((i): Tensor => {
    const tensor = emptyTensor('float32', [size])
    encode(
      Float64Array.from({ length: size }, (_, at) => at + i / 16),
      tensor,
    )
    return tensor
  })
  const spec = { dtype: 'float32' as const, shape: [size] }

  test.each(entries.map(([name], which) => ({ name, which })))('$name', async ({ which }) => {
    const run = await built.run(
      which,
      {
        combination: 0,
        inputs: Object.fromEntries(all.map((i) => [`x${i}`, spec])),
        outputs: Object.fromEntries(all.map((i) => [`y${i}`, spec])),
        attrs: {},
      },
      Object.fromEntries(all.map((i) => [`x${i}`, inputs[i]!])),
    )
    expect(run.result).toMatchObject({ ok: true, reports: [] })
    const contents = new Map<string, Float64Array>()
    for (const i of all) {
      contents.set(`x${i}`, Float64Array.from(toFloat64(inputs[i]!)))
      contents.set(`y${i}`, new Float64Array(size))
    }
    const shapes = new Map(all.map((i) => [`x${i}`, [size]]))
    expect(interpret(compiledKernels[which]!, { shapes, attributes: new Map(), column: 0, cores: 48 }, contents)).toBe(
      true,
    )
    for (const i of all)
      expect([run.outputs[`y${i}`]!].flat().flatMap((tensor) => [...toFloat64(tensor)])).toEqual([
        ...contents.get(`y${i}`)!,
      ])
  })
})

/** The queues of a kernel with how many tensors they hold, and those that give flags back, in the order of the kernel. */
function queuesOf(kernel: string): { depths: string; back: string } {
  const text = compiledOf(programOf('Queues', kernel)).files[2]!.content
  const found = (pattern: RegExp): string =>
    [...text.matchAll(pattern)].map(([, ...parts]) => parts.toReversed().join(' ')).join(', ')
  return { depths: found(/, (\d)> (\w+)Queue_;/g), back: found(/(\w+)Queue_\.FreeAllEvent\(\);/g) }
}

/** A kernel that loads and adds tensors, into one that is stored. */
const loads = (buffers: readonly string[]): string =>
  `${buffers.join('\n')}
    const b = buffer('float32', tile)
    ${loop(
      `${buffers.map((_, i) => load(`a${i}`, i)).join('\n')}
      compute(() => {
        duplicate(b, 0, n)
        ${buffers.map((_, i) => `add(b, b, a${i}, n)`).join('\n')}
      })
      copyOut(() => {
        ${each((i) => `store(y${i}, at, b, n)`)}
      })`,
    )}`
const tileOf = (i: number, extent: string): string => `const a${i} = buffer('float32', ${extent})`

describe('queues', () => {
  test('hold two tensors where there are flags for all', () => {
    const four = loads(all.slice(0, 4).map((i) => tileOf(i, 'tile')))
    expect(queuesOf(four)).toEqual({ depths: 'a0 2, a1 2, a2 2, a3 2, b 2', back: '' })
  })

  test('hold one where there are none for two: the smallest, and then the last', () => {
    const five = loads(all.slice(0, 5).map((i) => tileOf(i, i === 1 ? 'tile' : 'tile + tile')))
    expect(queuesOf(five)).toEqual({ depths: 'a0 2, a1 1, a2 2, a3 2, a4 1, b 2', back: '' })
  })

  test('of one loop take the flags of those before it', () => {
    const { depths, back } = queuesOf(kernels['nine loops'])
    expect(depths).toBe(['a', 'b'].flatMap((name) => all.map((i) => `${name}${i} 2`)).join(', '))
    expect(back).toBe('a0, b0, a1, b1, a2, b2, a3, b3, a4, b4')
  })

  test('that a test declares give flags back in it, where others follow', () => {
    expect(queuesOf(kernels['nine tests']).back).toBe('a0, b0, a1, b1, a2, b2, a3, b3, a4, b4, a5, b5, a6, b6, a7, b7')
  })

  test('give back what was freed first, which is explained', () => {
    const { depths, back } = queuesOf(kernels['nine inputs'])
    expect(depths).toBe(`${all.map((i) => `a${i} 1`).join(', ')}, ys 2`)
    expect(back).toBe('a1, a2, a3, a4, a5, a6, a7, a8, a0')
    const text = programOf('Explained', kernels['nine inputs'])
    expect(explainSync(compiledOf(text), text)).toMatch(
      / FreeAllEvent +a1 +\d+ +each at +MTE2 waits until V is done with it: its flag is for others\n/,
    )
  })
})
