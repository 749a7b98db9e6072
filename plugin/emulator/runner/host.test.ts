import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, Launcher } from '../../../fixtures/launcher.ts'
import { describeReply, tileReply, tilingsReply, type TileRequest } from '../../runner/protocol.ts'

let launcher: Launcher
beforeAll(async () => {
  launcher = await Launcher.start()
}, buildLimitMs)
afterAll(async () => await launcher?.stop())

const timeoutMs = 4000
const soc = 'Ascend910B2'
const shaped = (dtype: string, ...shape: number[]) => ({ dtype, shape })

const elements = (size: number) => ({
  inputs: [shaped('float16', size), null, []],
  outputs: [shaped('float16', size)],
})

describe('a host library', () => {
  const tile = async (change: Partial<TileRequest>) =>
    await launcher.runner.request(
      {
        op: 'tile',
        host: await launcher.library('host/add_custom'),
        operator: 'AddCustom',
        soc: 'Ascend910B2',
        inputs: [shaped('float16', 8, 128), null, []],
        outputs: [shaped('float16', 8, 128)],
        attrs: [],
        timeoutMs,
        ...change,
      },
      tileReply,
    )

  test('describes its operators and tiling structs', async () => {
    const request = { op: 'describe' as const, host: await launcher.library('host/add_custom'), soc, timeoutMs }
    const reply = await launcher.runner.request(request, describeReply)
    if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
    const [operator] = reply.result.operators
    expect(operator?.inputs.map(({ name, paramType, dtypes }) => [name, paramType, dtypes.join()])).toEqual([
      ['x', 'required', 'float16,float32,float16,float32'],
      ['y', 'optional', 'float16,float32,float16,float32'],
      ['list', 'dynamic', 'int32,int32,int64,int64'],
    ])
    expect(operator).toMatchObject({
      name: 'AddCustom',
      socs: ['ascend910b', 'ascend910_93'],
      hasTiling: true,
      attrs: [
        { name: 'alpha', type: 'float', required: false },
        { name: 'scales', type: 'listInt', required: false },
        { name: 'tag', type: 'string', required: false },
      ],
    })
    expect(reply.result.tilingStructs.map(({ name, bytes }) => [name, bytes])).toEqual([
      ['Inner', 8],
      ['AddCustomTilingData', 40],
    ])
    expect(reply.result.tilingClasses).toContainEqual({ operator: 'AddCustom', struct: 'AddCustomTilingData' })
  })

  test('is told of the device that a request leaves it, and of the whole one by the next', async () => {
    const told: number[][] = []
    for (const change of [{ device: { aicCores: 2, aivCores: 3, ubBytes: 65536 } }, {}]) {
      const host = await launcher.library('host/platform')
      const reply = await tile({ host, operator: 'Platform', inputs: [], outputs: [], ...change })
      if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
      const bytes = Buffer.from(reply.result.tiling, 'base64')
      told.push([...[0, 8, 32, 88].map((offset) => Number(bytes.readBigUInt64LE(offset))), reply.result.blockDim])
    }
    expect(told).toEqual([
      [2, 3, 65536 - 256, 65536, 3],
      [24, 48, 192 * 1024 - 256, 192 * 1024, 48],
    ])
  })

  test('tiles a case as the plain struct of its tiling data', async () => {
    const reply = await tile({ attrs: [{ name: 'alpha', type: 'float', value: 2.5 }] })
    if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
    const bytes = Buffer.from(reply.result.tiling, 'base64')
    expect(bytes).toHaveLength(40)
    expect(bytes.readUInt32LE(0)).toBe(1024)
    expect(bytes.readBigUInt64LE(8)).toBe(BigInt(192 * 1024 - 256))
    expect([16, 18, 20].map((offset) => bytes.readUInt16LE(offset))).toEqual([1, 2, 3])
    expect(bytes.readUInt32LE(28)).toBe(7)
    expect(bytes.readFloatLE(32)).toBe(2.5)
    expect(reply.result).toMatchObject({
      blockDim: 48,
      tilingKey: '10000000000000001111',
      workspaceBytes: 16 * 2 ** 20 + 64,
      warnings: [
        'tiling field inner.flag of AddCustomTilingData was never set',
        'tiling field tileLength of AddCustomTilingData was never set',
      ],
    })
  })

  test('names a nested struct once when nothing of it was set', async () => {
    const reply = await tile(elements(16))
    expect(reply.ok && reply.result.warnings).toEqual([
      'tiling field inner of AddCustomTilingData was never set',
      'tiling field tileLength of AddCustomTilingData was never set',
    ])
  })

  test('sets tiling data in place, without saving it', async () => {
    const inPlace = await tile(elements(15))
    const saved = await tile(elements(1015))
    if (!inPlace.ok || !saved.ok) throw new Error(JSON.stringify([inPlace, saved]))
    const expected = Buffer.from(saved.result.tiling, 'base64')
    expected.writeUInt32LE(15)
    expect(Buffer.from(inPlace.result.tiling, 'base64')).toEqual(expected)
  })

  test('uses the declared default of an attribute the case leaves out', async () => {
    const reply = await tile({ attrs: [{ name: 'alpha', type: 'float', value: null }] })
    expect(reply.ok && Buffer.from(reply.result.tiling, 'base64').readFloatLE(32)).toBe(0.5)
  })

  test('gives optional lists and texts without a default as empty ones', async () => {
    expect(await tile(elements(17))).toMatchObject({ log: "tag '', 0 scales, 0\n" })
  })

  test('gives a float attribute as a double too, as the op-API layer does', async () => {
    const attrs = [{ name: 'alpha', type: 'float' as const, value: 0.1 }]
    expect(await tile({ ...elements(19), attrs })).toMatchObject({ ok: true, log: 'as a double 0.1\n' })
  })

  test('warns of an attribute that is read as another type', async () => {
    const reply = await tile(elements(18))
    expect(reply).toMatchObject({ ok: true, log: 'read as 0\n' })
    const warning = 'attribute 0 is declared as float, the tiling function reads it as bool'
    expect(reply.ok && reply.result.warnings).toContain(warning)
  })

  test('refuses where the operator is not configured for the device', async () => {
    const host = await launcher.library('host/compile_info')
    const reply = await tile({ ...elements(8), host, operator: 'Elsewhere', inputs: [], outputs: [], attrs: [] })
    expect(!reply.ok && reply.failure).toMatchObject({
      kind: 'rejected',
      message:
        'the operator is configured for ascend310b, ascend310p and not for Ascend910B2, where a build makes no kernel: ' +
        'add AICore().AddConfig("ascend910b")',
    })
  })

  test.each([
    [20, 'attribute 0 is declared as float and read as 8 bytes'],
    [21, 'attribute 0 is declared as float and read as a list'],
    [22, 'attribute 2 is declared as string and read as listInt'],
    [23, 'attribute 1 is declared as listInt and read as string'],
    [24, 'attribute 1 is declared as listInt and read as 8 bytes'],
    [25, 'attribute 2 is declared as string and read as 4 bytes'],
    [26, 'attribute 1 is declared as listInt and read as listFloat'],
  ])('refuses an attribute that is read as what it is not: %i, %s', async (size, message) => {
    const failure = { kind: 'rejected', message: `${message}: read it as it is declared` }
    expect(await tile(elements(size))).toMatchObject({ ok: false, failure })
    expect(await tile(elements(19))).toMatchObject({ ok: true })
  })

  test('has nothing where no attribute is declared', async () => {
    expect(await tile(elements(27))).toMatchObject({ ok: true, log: 'none\n' })
  })

  test('merges what the configuration of the device says of a parameter, by its name', async () => {
    const request = { op: 'describe' as const, host: await launcher.library('host/configurations'), soc, timeoutMs }
    const reply = await launcher.runner.request(request, describeReply)
    if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
    const operators = Object.fromEntries(reply.result.operators.map((each) => [each.name, each]))
    const shown = (name: string): string[] =>
      [...operators[name]!.inputs, ...operators[name]!.outputs].map(
        (each) => `${each.name} ${each.paramType} ${each.dtypes.join()}`,
      )
    expect(shown('Merged')).toEqual(['x required float32', 'y optional int32', 'z required float32'])
    // the last configuration counts, as it was when it was added
    expect(shown('Last')).toEqual(['x required int32', 'z required float32'])
    // a name twice is one parameter, and a copy of it another
    expect(shown('Twice')).toEqual(['x optional float32', 'z required float32'])
    expect(operators['Twice']!.attrs).toEqual([{ name: 'a', type: 'float', required: true }])
    expect(operators['Last']!.socs).toEqual(['ascend910b'])
  })

  test('takes the configuration of the device that a request names', async () => {
    const host = await launcher.library('host/configurations')
    const told = async (device: string): Promise<Record<string, string[]>> => {
      const request = { op: 'describe' as const, host, soc: device, timeoutMs }
      const reply = await launcher.runner.request(request, describeReply)
      if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
      return Object.fromEntries(
        reply.result.operators.map(({ name, inputs, outputs, kernelFile = '' }) => [
          name,
          [...[...inputs, ...outputs].map((each) => `${each.dtypes.join()} ${each.formats.join()}`), kernelFile],
        ]),
      )
    }
    const [usual, newer] = [await told('Ascend910B3'), await told('Ascend910_93')]
    expect([usual['ByDevice'], newer['ByDevice']]).toEqual([
      ['int8 ND', 'float32 ND', 'older'],
      ['int32 ND', 'float32 ND', 'newer'],
    ])
    // what follows a parameter does so before a configuration gives that one other types
    const [early, x, own] = ['float32,float16 ND,ND', 'float32,float16 ND,FRACTAL_NZ', 'int8,int16 ND,FRACTAL_NZ']
    expect(usual['Follows']).toEqual([early, x, x, x, own, ''])
    expect(newer['Follows']).toEqual([early, 'int32,uint32 ND,FRACTAL_NZ', x, x, own, ''])
    const all = 'float32,float32,float16,float16 ND,ND,ND,ND'
    expect(usual['FollowsList']).toEqual([all, 'int32,int64,int32,int64 ND,ND,ND,ND', all, all, ''])
    const missing = { op: 'describe' as const, host, soc: 'Ascend1', timeoutMs }
    const failure = { kind: 'rejected', message: 'request: unknown SoC Ascend1' }
    expect(await launcher.runner.request(missing, describeReply)).toMatchObject({ ok: false, failure })
  })

  test('tiles by the configuration of its device', async () => {
    const host = await launcher.library('host/configurations')
    const tileOn = async (device: string) => {
      const tensors = { inputs: [shaped('int32', 8)], outputs: [shaped('float32', 8)], attrs: [] }
      return await tile({ host, operator: 'ByDevice', soc: device, ...tensors })
    }
    expect(await tileOn('Ascend910_93')).toMatchObject({ ok: true })
  })

  test.each([
    ['OtherType', 'parameter z follows b, which follows x with another FollowType: give both the same'],
    ['ShapeThenAll', 'parameter z follows b, which follows x with another FollowType: give both the same'],
    ['Circle', 'parameter x follows itself: say which types it has'],
    ['OfItself', 'parameter z follows itself: say which types it has'],
    ['OfOutput', 'parameter x follows the output z: only inputs can be followed'],
    ['OfNothing', 'parameter z follows w, which is not declared'],
    ['TypeTwice', 'DataTypeList of x lists float32 twice: list it once'],
    ['FormatTwice', 'FormatList of x lists ND twice: list it once'],
  ])('refuses the definition of %s', async (operator, message) => {
    const host = await launcher.library('host/refused_definitions')
    expect(await tile({ host, operator })).toMatchObject({ ok: false, failure: { kind: 'rejected', message } })
  })

  test('prints into the log', async () => {
    const tensor = shaped('float16', 14)
    expect(await tile({ inputs: [tensor, null, []], outputs: [tensor] })).toMatchObject({ log: 'fourteen elements\n' })
  })

  test.for<[string, Partial<TileRequest>]>([
    ['the tiling function of AddCustom returned GRAPH_FAILED', { inputs: [shaped('float16', 13), null, []] }],
    ['the host library registers no operator Missing', { operator: 'Missing' }],
    ['the operator declares 3 inputs, the task has 1', { inputs: [shaped('float16', 8)] }],
    ['input x is declared REQUIRED, the case leaves it out', { inputs: [null, null, []] }],
    ['the operator declares no attribute beta', { attrs: [1, 2].map(() => ({ name: 'beta', type: 'int', value: 1 })) }],
  ])('says why it cannot tile: %s', async ([message, change]) => {
    expect(await tile(change)).toMatchObject({ ok: false, failure: { kind: 'rejected', message } })
  })

  test('fills compile info, reads lists, the values of an input and the platform', async () => {
    const reply = await tile({
      host: await launcher.library('host/compile_info'),
      operator: 'SumList',
      inputs: [[shaped('float32', 3), shaped('float32', 2, 2)], { ...shaped('int64', 1), values: [2] }],
      outputs: [[shaped('float32', 1)]],
    })
    if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
    const bytes = Buffer.from(reply.result.tiling, 'base64')
    expect([bytes.readUInt32LE(0), bytes.readUInt32LE(4)]).toEqual([48, 2])
    expect([bytes.readBigInt64LE(8), bytes.readBigInt64LE(16)]).toEqual([7n, 2n])
    expect([bytes.readUInt32LE(24), bytes.readUInt32LE(28)]).toEqual([24, 4])
    expect([bytes.readUInt32LE(32), bytes.readUInt32LE(36)]).toEqual([3, 83_216])
    const lines = ['turn 1', 'no more', 'axis is 2'].map((text) => `error [SumList] ${text}\n`)
    expect(reply.log).toBe(lines.join(''))
  })

  test('has the values of an input where the operator says that it depends on them', async () => {
    const host = await launcher.library('host/compile_info')
    const input = { ...shaped('int64', 1), values: [2] }
    const reply = await tile({ host, operator: 'AtHand', inputs: [input, input, input], outputs: [] })
    expect(reply).toMatchObject({ ok: true, result: { blockDim: 1 + 0b110 } })
  })

  test('tries tiling strategies in order of priority', async () => {
    const host = await launcher.library('host/strategies')
    const keyOf = async (size: number) => {
      const tensor = shaped('float32', size)
      const reply = await tile({ host, operator: 'Chosen', inputs: [tensor], outputs: [tensor] })
      return reply.ok
        ? [reply.result.tilingKey, Buffer.from(reply.result.tiling, 'base64').readUInt32LE(0)]
        : reply.failure
    }
    expect(await keyOf(150)).toEqual([1, 2])
    expect(await keyOf(1500)).toEqual([2, 15])
    expect(await keyOf(150_000)).toMatchObject({ kind: 'rejected', message: /returned GRAPH_FAILED/ })
  })

  test('remembers nothing from one case to the next', async () => {
    const host = await launcher.library('host/remembers')
    const tensor = shaped('float32', 8)
    const remembered = async () => {
      const reply = await tile({ host, operator: 'Remembers', inputs: [tensor], outputs: [tensor] })
      if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
      const bytes = Buffer.from(reply.result.tiling, 'base64')
      return [reply.result.blockDim, ...Array.from({ length: 9 }, (_, i) => bytes.readUInt32LE(i * 4))]
    }
    const first = [1, 1, 4, 3, 1, 1, 1, 101, 1, 0]
    for (let i = 0; i < 20; i++) expect(await remembered()).toEqual(first)
    const request = { op: 'describe' as const, host, soc, timeoutMs }
    expect(await launcher.runner.request(request, describeReply)).toMatchObject({ ok: true })
    expect(await remembered()).toEqual(first)
  })

  test('tells of many cases in one process what it makes of them, and of a single one in another', async () => {
    const host = await launcher.library('host/remembers')
    const tensor = shaped('float32', 8)
    const one = { operator: 'Remembers', soc: 'Ascend910B2', inputs: [tensor], outputs: [tensor], attrs: [] }
    const many = { op: 'tilings' as const, host, cases: [one, { ...one, operator: 'Missing' }, one], timeoutMs }
    const first = await tile({ ...one, host })
    const reply = await launcher.runner.request(many, tilingsReply)
    if (!reply.ok || !first.ok) throw new Error(JSON.stringify([reply, first]))
    const [told, missing, again] = reply.result.tilings
    const { blockDim, tilingKey, tiling } = first.result
    expect([told, missing]).toEqual([{ blockDim, tilingKey: String(tilingKey), tiling }, null])
    expect(again?.tiling).not.toBe(tiling)
    expect(await tile({ ...one, host })).toEqual(first)
  })

  test('tiles a case in one process with others, which may fail, and the next one in another', async () => {
    const host = await launcher.library('host/remembers')
    const tensor = shaped('float32', 8)
    const one = { operator: 'Remembers', soc: 'Ascend910B2', inputs: [tensor], outputs: [tensor], attrs: [] }
    const first = await tile({ ...one, host })
    expect(await tile({ ...one, host, after: [{ ...one, operator: 'Missing' }] })).toEqual(first)
    const later = await tile({ ...one, host, after: [one] })
    if (!later.ok || !first.ok) throw new Error(JSON.stringify([later, first]))
    expect(later.result.tiling).not.toBe(first.result.tiling)
    expect(await tile({ ...one, host })).toEqual(first)
  })

  test('has a limit of time for many cases together', async () => {
    const host = await launcher.library('host/add_custom')
    const one = { operator: 'AddCustom', soc: 'Ascend910B2', ...elements(16), attrs: [] }
    const cases = Array.from({ length: 4000 }, () => one)
    const reply = await launcher.runner.request({ op: 'tilings', host, cases, timeoutMs: 1 }, tilingsReply)
    expect(reply).toMatchObject({ ok: false, failure: { kind: 'timeout' } })
    const all = await launcher.runner.request({ op: 'tilings', host, cases, timeoutMs }, tilingsReply)
    expect(all.ok && all.result.tilings.length).toBe(4000)
  })

  test('sees plain tensors as ND where it declares that for their types', async () => {
    const host = await launcher.library('host/formats')
    const [NCHW, ND, FRACTAL_NZ] = [0, 2, 29]
    const formatsOf = async (dtype: string, operator = 'Formats') => {
      const tensor = shaped(dtype, 16, 16)
      const reply = await tile({ host, operator, inputs: [tensor, tensor], outputs: [tensor] })
      if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
      const bytes = Buffer.from(reply.result.tiling, 'base64')
      return Array.from({ length: 3 }, (_, i) => bytes.readUInt32LE(i * 4))
    }
    expect(await formatsOf('float16')).toEqual([ND, FRACTAL_NZ, ND])
    expect(await formatsOf('float32')).toEqual([ND, ND, ND])
    expect(await formatsOf('float32', 'StrictFormats')).toEqual([NCHW, ND, NCHW])
  })

  test('has a buffer for tiling data that is a plain struct, and none for a class of macros', async () => {
    const host = await launcher.library('host/tiling_classes')
    const reply = await tile({ host, operator: 'TilingClasses', inputs: [], outputs: [] })
    if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
    expect(Buffer.from(reply.result.tiling, 'base64').toString('hex')).toBe('00000000')
  })

  test('that ends its process is a failure of its own', async () => {
    const host = await launcher.library('hostile/exits_at_load')
    expect(await tile({ host })).toMatchObject({ ok: false, failure: { kind: 'died', signal: 'exit', exitCode: 3 } })
  })

  test('that registers nothing describes nothing', async () => {
    const request = { op: 'describe' as const, host: await launcher.library('hostile/copies'), soc, timeoutMs }
    const result = { operators: [], tilingStructs: [], tilingClasses: [] }
    expect(await launcher.runner.request(request, describeReply)).toEqual({ ok: true, result, log: '' })
  })
})
