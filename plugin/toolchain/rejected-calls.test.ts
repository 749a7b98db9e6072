import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { useCompileEnvironment } from '../../fixtures/compile-environment.ts'
import { buildLimitMs } from '../../fixtures/operator.ts'
import { programOf } from '../../fixtures/rejected/programs.ts'
import { BuildError } from './build-failure.ts'
import { compileUnit } from './unit.ts'

const oneType = 'Add takes one type for dst, src0, src1: float, half, int16_t, int32_t'
const adds = 'there is Adds(LocalTensor<T> dst, LocalTensor<T> src, T scalarValue, int32_t count), Adds('
const copies =
  'there is DataCopy(LocalTensor<T> dst, GlobalTensor<T> src, uint32_t count), DataCopy(GlobalTensor<T> dst, LocalTensor<T> src, uint32_t count), DataCopy(LocalTensor<T> dst, LocalTensor<T> src, uint32_t count), '

/** A call that no overload takes, and how its error begins with clang++ and with g++, which names all arguments. */
const calls: readonly (readonly [call: string, clang: string, gnu: string])[] = [
  [
    'Add(a, h, h, 64)',
    `dst is LocalTensor<float>, src0 is LocalTensor<half> or src1 is LocalTensor<half>; ${oneType}`,
    `dst is LocalTensor<float>, src0 is LocalTensor<half>, src1 is LocalTensor<half>; ${oneType}`,
  ],
  ...[
    [
      'Exp(a, i32, 64)',
      'dst is LocalTensor<float>, src is LocalTensor<int32_t>; Exp takes one type for dst, src: float, half',
    ],
    [
      'DataCopy(a, hGm, 64)',
      'dst is LocalTensor<float>, src is GlobalTensor<half>; DataCopy takes one type for dst, src',
    ],
    [
      'Add(a, b, c)',
      'Add takes 4 arguments (dst, src0, src1, count) or 6 (dst, src0, src1, mask, repeatTime, repeatParams), and is given 3',
    ],
    ['SetFlag<HardEvent::MTE2_V>()', 'SetFlag takes 1 argument (eventID), and is given 0'],
    ['PipeBarrier(PIPE_V)', 'PipeBarrier takes no arguments, and is given 1: write PipeBarrier<PIPE_V>()'],
    [
      'auto made = queue.AllocTensor()',
      'AllocTensor needs its template argument T: write AllocTensor<float>(…), or the type that is meant',
    ],
    ['SetFlag(0)', 'SetFlag needs its template argument event: write SetFlag<event>(…)'],
    [
      'Add<half>(a, b, c, 64)',
      'dst is LocalTensor<float>, and Add takes LocalTensor<half> there: Add(LocalTensor<T> dst,',
    ],
    [
      'queue.EnQue<half>(a)',
      'tensor is LocalTensor<float>, and EnQue takes LocalTensor<half> there: EnQue(LocalTensor<T> tensor)',
    ],
  ].map(([call = '', says = '']) => [call, says, says] as const),
  [
    'Muls(a, b, h, 64)',
    'dst is LocalTensor<float>, scalarValue is LocalTensor<half>; Muls takes one type for dst, src, scalarValue: float, half, int16_t, int32_t',
    'dst is LocalTensor<float>, src is LocalTensor<float>, scalarValue is LocalTensor<half>; Muls takes one type',
  ],
  [
    'Adds(a, 64, b, 64)',
    `an argument is int where LocalTensor<T> is wanted; ${adds}`,
    `Adds is called with (LocalTensor<float>, int, LocalTensor<float>, int); ${adds}`,
  ],
  [
    'DataCopy(xGm, xGm, 64)',
    `no DataCopy takes these kinds of arguments; ${copies}`,
    `DataCopy is called with (GlobalTensor<float>, GlobalTensor<float>, int); ${copies}`,
  ],
  [
    'Cast(i32, a, 64, RoundMode::CAST_RINT)',
    'roundMode is int, and Cast takes RoundMode there: Cast(LocalTensor<T> dst, LocalTensor<U> src, RoundMode roundMode, uint32_t count)',
    'Cast is called with (LocalTensor<int32_t>, LocalTensor<float>, int, RoundMode); there is Cast(LocalTensor<T> dst, LocalTensor<U> src, RoundMode roundMode, uint32_t count)',
  ],
  [
    'Add(a, b, c, 64, 1, {1, 1, 1, 8, 8})',
    'repeatParams is a list in braces, and Add takes BinaryRepeatParams there: Add(',
    'Add is called with (LocalTensor<float>, LocalTensor<float>, LocalTensor<float>, int, int, a list in braces)',
  ],
  [
    'xGm.SetGlobalBuffer((__gm__ half*)nullptr, 64)',
    'buffer is __gm__ half *, and SetGlobalBuffer takes __gm__ float * there: SetGlobalBuffer(T* buffer, uint64_t elements)',
    'SetGlobalBuffer is called with (half*, int); there is SetGlobalBuffer(',
  ],
]

describe.each(['clang++-16', 'g++'] as const)('%s', (name) => {
  vi.setConfig({ testTimeout: buildLimitMs })
  const made = useCompileEnvironment(name)

  test.each(calls)('%s', async (call, clang, gnu) => {
    if (made.environment === null) return
    const source = join(made.environment.folder, 'rejected.cpp')
    writeFileSync(source, programOf({ body: `${call};` }))
    const unit = { stage: 'kernel', kind: 'aiv', source, name: 'rejected', flags: [] } as const
    const error = await compileUnit(made.environment, unit).catch((reason: unknown) => reason)
    if (!(error instanceof BuildError)) throw new Error('compiled')
    const { diagnostics, class: found } = error.failure
    const [first] = diagnostics
    const says = name === 'g++' ? gnu : clang
    expect(first?.message.slice(0, says.length)).toBe(says)
    expect(first?.message).toMatch(/ \(no matching function for call to '\w+'\)$/)
    expect(first).toMatchObject({ file: source, line: 12 })
    expect(found).toBe('api-signature')
  })
})
