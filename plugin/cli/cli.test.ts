import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { encode, toFloat64 } from '../inputs/index.ts'
import { emptyTensor, sizeOf, type DType, type Tensor } from '../model/index.ts'
import { readNpy, writeNpy } from './npy.ts'

// Most calls are a process that starts Vite.
vi.setConfig({ testTimeout: 60_000 })

const repository = join(import.meta.dirname, '../..')
const bin = join(repository, JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).bin['vitest-npu'])
const folder = mkdtempSync(join(tmpdir(), 'npu-cli-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the command line in the folder of the test. */
async function call(...args: string[]): Promise<{ code: number | undefined; out: string[]; error: string }> {
  const { exitCode, stdout, stderr } = await execa('node', [bin, ...args], { cwd: folder, reject: false })
  return { code: exitCode, out: stdout.split('\n'), error: stderr }
}

const right = (out: string[]) => ({ code: 0, out, error: '' })

function tensorOf(dtype: DType, shape: number[], values?: number[]): Tensor {
  const tensor = emptyTensor(dtype, shape)
  encode(Float64Array.from(values ?? Array.from({ length: sizeOf(shape) }, (_, i) => i + 1)), tensor)
  return tensor
}

const save = (name: string, tensor: Tensor) => writeNpy(join(folder, name), tensor)
const load = (name: string) => readNpy(join(folder, name))

/** Writes a manifest; returns its name. */
function manifest(name: string, content: unknown): string {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  return name
}

beforeAll(() => {
  save('x.npy', tensorOf('float32', [2, 4]))
  save('gamma.npy', tensorOf('float32', [4]))
})

describe('tasks', () => {
  test('lists every task of the package with level, category, interface and number of cases', async () => {
    const { code, out, error } = await call('tasks')
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(out).toContainEqual(
      expect.stringMatching(
        /^npukernelbench\/level2 +Norm +RmsNorm +9 cases +rms_norm\(x float16\|bfloat16\|float32, gamma float32\|float16\|bfloat16; epsilon = 0\.000001\) -> y .*, rstd float32$/,
      ),
    )
    expect(out.find((line) => line.includes(' ScatterList '))).toMatch(/var\[\] .*, mask\? uint8; reduce = "update"/)
    expect(out.at(-1)).toMatch(/^\d+ tasks, \d+ static cases$/)
  })

  test('as JSON, of the project where it has tasks', async () => {
    const project = join(folder, 'project')
    mkdirSync(join(project, 'tasks/level1/math'), { recursive: true })
    const spec = join(project, 'tasks/level1/math/scale.spec.ts')
    writeFileSync(
      spec,
      `import { dim, exact, kernelSuite, tensor, toFloat64, type Tensor } from 'vitest-npu'
       const golden = ({ x }: { x: Tensor }) => ({ y: { values: toFloat64(x).map((value: number) => 2 * value) } })
       kernelSuite('Scale', { level: 1, category: 'Math', kernel: 'scale', golden, strict: exact, description: 'y = 2 x',
         inputs: { x: tensor({ dtype: 'float32', shape: ['n'] }) }, outputs: { y: tensor.like('x') },
         domain: { n: dim({ max: 9 }) }, cases: [{ n: 4 }, { n: 5 }] })`,
    )
    const { exitCode, stdout } = await execa('node', [bin, 'tasks', '--json'], { cwd: project })
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toEqual([
      {
        name: 'Scale',
        kernel: 'scale',
        suite: 'npukernelbench',
        group: 'level1',
        category: 'Math',
        inputs: [{ name: 'x', kind: 'tensor', required: true, dtypes: ['float32'] }],
        outputs: [{ name: 'y', kind: 'tensor', required: true, dtypes: ['float32'] }],
        attrs: [],
        description: 'y = 2 x',
        staticCases: 2,
      },
    ])
    writeFileSync(spec.replace('scale', 'broken'), 'throw new Error("not yet")')
    const broken = await execa('node', [bin, 'tasks'], { cwd: project, reject: false })
    expect(broken.exitCode).toBe(64)
    expect(broken.stdout).toContain('1 tasks, 2 static cases')
    expect(broken.stderr).toBe('tasks/level1/math/broken.spec.ts: not yet')
  })
})

const decoded = (file: string) => [...toFloat64({ ...load(file), dtype: 'bfloat16' })]

describe('golden', () => {
  test('answers somebody else’s tensors', async () => {
    const given = manifest('rms.json', { inputs: { x: 'x.npy', gamma: 'gamma.npy' }, attrs: { epsilon: 0.5 } })
    expect(await call('golden', 'RmsNorm', '--in', given, '--out', 'rms/out')).toEqual(
      right(['y.npy: float32[2, 4]', 'rstd.npy: float32[2, 1]']),
    )
    const rstd = [1, 2].map((row) => {
      const squares = [1, 2, 3, 4].map((value) => (value + 4 * (row - 1)) ** 2)
      return 1 / Math.sqrt(squares.reduce((sum, square) => sum + square) / 4 + 0.5)
    })
    expect(load('rms/out/rstd.npy')).toEqual(tensorOf('float32', [2, 1], rstd))
    const y = Array.from({ length: 8 }, (_, i) => (i + 1) * rstd[Math.floor(i / 4)]! * ((i % 4) + 1))
    expect(load('rms/out/y.npy')).toEqual(tensorOf('float32', [2, 4], y))
  })

  test('reads and writes bfloat16 as bit patterns, lists by number, scalars of any rank, absent inputs as null', async () => {
    const bits = (values: number[]) => ({ ...tensorOf('bfloat16', [values.length], values), dtype: 'uint16' as const })
    save('a.npy', bits([1, 2, 3]))
    save('b.npy', bits([4]))
    save('alpha.npy', tensorOf('float32', [1], [0.5]))
    const [a, b] = ['a.npy', 'b.npy'].map((file) => ({ file, dtype: 'bfloat16' }))
    const given = manifest('list.json', { inputs: { x1: [a, b], x2: [a, b], alpha: 'alpha.npy' } })
    expect(await call('golden', 'ForeachAddList', '--in', given, '--out', 'list')).toEqual(
      right(['y_0.npy: bfloat16[3]', 'y_1.npy: bfloat16[1]']),
    )
    expect([decoded('list/y_0.npy'), decoded('list/y_1.npy')]).toEqual([[1.5, 3, 4.5], [6]])
  })

  test.each([
    ['RmsNorm', '3', ['x.npy: bfloat16[512, 128]', 'gamma.npy: bfloat16[128]']],
    [
      'ForeachAddList',
      '9',
      [
        'x1_0.npy: bfloat16[1]',
        'x1_1.npy: bfloat16[15]',
        'x2_0.npy: bfloat16[1]',
        'x2_1.npy: bfloat16[15]',
        'alpha.npy: float32[]',
      ],
    ],
  ])('takes the inputs of %s that were drawn for case %s', async (name, id, files) => {
    const drawn = await call('inputs', name, '--case', id, '--seed', '11', '--out', `drawn/${name}`)
    expect(drawn.error).toBe('')
    expect(drawn.out.slice(0, -1)).toEqual(files)
    expect(drawn.out.at(-1)).toBe(`manifest.json: ${name}, case ${id}, seed 11`)
    const answered = await call('golden', name, '--in', `drawn/${name}/manifest.json`, '--out', `answered/${name}`)
    expect(answered).toMatchObject({ code: 0, error: '' })
    for (const line of answered.out) expect(existsSync(join(folder, 'answered', name, line.split(':')[0]!))).toBe(true)
  })

  test('the same seed draws the same bytes, another one others', async () => {
    for (const [seed, out] of [
      ['5', 's1'],
      ['5', 's2'],
      ['6', 's3'],
    ] as const) {
      expect(await call('inputs', 'RmsNorm', '--case', '5', '--seed', seed, '--out', out)).toMatchObject({ code: 0 })
    }
    const [one, again, other] = ['s1', 's2', 's3'].map((out) => readFileSync(join(folder, out, 'x.npy')))
    expect(one!.equals(again!)).toBe(true)
    expect(one!.equals(other!)).toBe(false)
  })
})

describe('says in one line what to change, and exits with 64', () => {
  test('in a manifest', async () => {
    const given = manifest('missing.json', { inputs: { x: 'z.npy', gamma: 'gamma.npy' } })
    expect(await call('golden', 'RmsNorm', '--in', given, '--out', 'e')).toEqual({
      code: 64,
      out: [''],
      error: 'missing.json: inputs.x: there is no file z.npy',
    })
    expect(existsSync(join(folder, 'e'))).toBe(false)
  })

  test.each<[string[], string]>([
    [['task'], 'no command is called task (did you mean tasks?); there are tasks, golden, inputs'],
    [['tasks', '--all'], "tasks: Unknown option '--all'; see vitest-npu tasks --help"],
    [['tasks', 'all'], 'tasks: takes no names: all; see vitest-npu tasks --help'],
    [['toString'], 'no command is called toString; there are tasks, golden, inputs'],
    [['golden'], 'golden: name a task, e.g. vitest-npu golden AddCustom'],
    [['golden', 'Sqrt', 'Tril', '--in', 'a', '--out', 'b'], 'golden: too many names; see vitest-npu golden --help'],
    [['golden', 'Sqrt', '--in', 'a'], 'golden: give --out; see vitest-npu golden --help'],
    [['golden', 'Sqrt', '--in', 'none.json', '--out', 'b'], 'none.json: there is no such file'],
    [['golden', 'RmsNrom', '--in', 'a', '--out', 'b'], 'no task is called RmsNrom (did you mean RmsNorm?) in '],
    [
      ['inputs', 'RmsNorm', '--case', '99', '--out', 'b'],
      '--case 99: RmsNorm has no such static case; there are 0, 1, ',
    ],
    [
      ['inputs', 'RmsNorm', '--case', '1', '--seed', '1.5', '--out', 'b'],
      '--seed 1.5: is not a whole number of 32 bits',
    ],
    [['inputs', 'RmsNorm', '--case', '1', '--out', 'x.npy'], '--out x.npy: cannot be made: '],
    [['tasks', '--tasks', 'nowhere'], '--tasks: there is no folder '],
  ])('%j', async (args, message) => {
    const { code, out, error } = await call(...args)
    expect({ code, out }).toEqual({ code: 64, out: [''] })
    expect(error).toMatch(/^[^\n]+$/)
    expect(error.startsWith(message), error).toBe(true)
  })
})

test('shows what there is when asked for nothing', async () => {
  const { code, out } = await call()
  expect(code).toBe(0)
  expect(out.join('\n')).toContain('golden <Task> --in <manifest.json> --out <folder>')
})

const sampleLine = (fields: object): string =>
  JSON.stringify({ task: 'AddCustom', sample: 's', files: { 'op_kernel/add.cpp': '// kernel' }, ...fields })

test('dataset import stops at a file that has something else than --map says', async () => {
  writeFileSync(join(folder, 'numbers.jsonl'), '1\n'.repeat(60_000))
  const { code, error } = await call('dataset', 'import', 'numbers.jsonl', '--map', 'alpaca', '--out', 'numbers')
  expect({ code, error }).toEqual({
    code: 64,
    error: 'numbers.jsonl: 50001 records are no rows, up to 50001: is --map what they have?',
  })
})

describe('import', () => {
  test('lays samples where candidates are looked for, and names what it refuses', async () => {
    const lines = [sampleLine({ model: 'm' }), sampleLine({ task: 'AdCustom' }), sampleLine({ sample: '../s' }), 'x']
    writeFileSync(join(folder, 'samples.jsonl'), lines.join('\n'))
    const { code, out, error } = await call('import', 'samples.jsonl', '--out', 'imported')
    expect(out).toEqual([
      '2 samples of 2 tasks imported, 2 refused',
      'judge them: NPU_CANDIDATES=imported npx vitest run',
    ])
    expect(error.split('\n')).toEqual([
      `${join(folder, 'samples.jsonl')}:3: ../s is no name for a folder`,
      expect.stringMatching(/samples\.jsonl:4: is no JSON: /),
      'note: no task is called AdCustom (did you mean AddCustom?); its samples are judged once there is one',
    ])
    expect(code).toBe(1)
    expect(readFileSync(join(folder, 'imported/m/AddCustom/s/op_kernel/add.cpp'), 'utf8')).toBe('// kernel')
    expect((await call('import', 'samples.jsonl', '--out', 'imported')).out[0]).toBe(
      '0 samples of 2 tasks imported, 2 were there already, 2 refused',
    )
  })

  test('says how an operator that no task is of gets one', async () => {
    const files = { 'op_kernel/mine.cpp': '', 'op_host/mine.cpp': '' }
    writeFileSync(join(folder, 'mine.jsonl'), sampleLine({ task: 'MineAlone', model: 'a model', files }))
    expect((await call('import', 'mine.jsonl', '--out', 'operators')).error).toBe(
      'note: no task is called MineAlone; its samples are judged once there is one: ' +
        "npx vitest-npu init 'operators/a model/MineAlone/s' writes one of its OpDef",
    )
  })

  test('prints nothing that a terminal or a CI system obeys, and a command that a shell takes', async () => {
    const lines = [
      sampleLine({ files: { 'x\n::error::obeyed': 1 } }),
      '\u001B[31m{',
      sampleLine({ model: 'm;id' }),
      sampleLine({ model: 'n' }),
      sampleLine({ sample: 's2', files: { 'op_kernel/a.cpp': '', 'op_kernel/a.cpp/b.cpp': '' } }),
    ]
    writeFileSync(join(folder, 'hostile.jsonl'), lines.join('\n'))
    const { out, error } = await call('import', 'hostile.jsonl', '--out', 'from-hostile')
    expect(out.slice(1)).toEqual([
      'judge them: NPU_CANDIDATES=from-hostile npx vitest run',
      "those of m;id: NPU_CANDIDATES='from-hostile/m;id' npx vitest run",
      'those of n: NPU_CANDIDATES=from-hostile/n npx vitest run',
    ])
    expect(error.split('\n')).toHaveLength(3)
    expect(error).not.toMatch(/^::/m)
    expect(error).not.toContain('\u001B')
  })

  test('keeps the models that folders name, and refuses names that say something else', async () => {
    const lines = [
      sampleLine({ model: 'one' }),
      sampleLine({ model: 'two', files: { 'op_kernel/add.cpp': '// other' } }),
      sampleLine({ model: 'RmsNorm' }),
      sampleLine({ model: 'npukernelbench' }),
      sampleLine({ model: 'Level_2' }),
      sampleLine({ task: 'level1', files: { 'AddCustom/answer/1/op_kernel/add.cpp': '', 'op_kernel/add.cpp': '' } }),
      sampleLine({ task: 'three', sample: 'AddCustom' }),
      sampleLine({ task: 'three', sample: 'level1' }),
    ]
    writeFileSync(join(folder, 'models.jsonl'), lines.join('\n'))
    const { error } = await call('import', 'models.jsonl', '--out', 'laid')
    expect(error.split('\n').map((line) => line.split(': ').slice(1).join(': '))).toEqual([
      'no model can be called RmsNorm: that is the folder of a task',
      'no model can be called npukernelbench: that is the folder of a suite',
      'no model can be called Level_2: that is a folder in the layout of a suite',
      'no task can be called level1: that is a folder in the layout of a suite',
      'no sample of three, which is no task, can be called AddCustom: that is the folder of a task',
      'no sample of three, which is no task, can be called level1: that is the folder of a group',
    ])
    expect((await call('import', 'laid', '--out', 'again')).out[0]).toBe('2 samples of 1 tasks imported, 0 refused')
    expect(readFileSync(join(folder, 'again/two/AddCustom/s/op_kernel/add.cpp'), 'utf8')).toBe('// other')
  })

  test('an output folder that is a file costs one line for each sample', async () => {
    writeFileSync(join(folder, 'one.jsonl'), sampleLine({}))
    writeFileSync(join(folder, 'a-file'), '')
    const { code, error } = await call('import', 'one.jsonl', '--out', 'a-file')
    expect([code, error]).toEqual([1, expect.stringMatching(/^[^\n]*one\.jsonl:1: (?:ENOTDIR|EEXIST)[^\n]*$/)])
  })

  test.each([
    [['import'], 'import: name a file or folder; see vitest-npu import --help'],
    [['import', 'x'], 'import: give --out; see vitest-npu import --help'],
    [['import', 'x', '--out', 'y', '--model', 'a/b'], '--model: a/b is no name for a folder'],
  ])('%j is refused in one line', async (args, message) => {
    expect(await call(...args)).toEqual({ code: 64, out: [''], error: message })
  })
})
