import { expect, test } from 'vitest'
import { applyEdit, editsOf, lineOf, type Damage } from './edits.ts'
import { diffOf } from './text.ts'

const source = `
__aicore__ inline void Step() {
  // PipeBarrier<PIPE_V>();
  SetFlag<HardEvent::V_MTE3>(id_);
  LocalTensor<T> y = out_.DeQue<T>();
  DataCopyPad(gm_[offset], y, {1, count * 2, 0, 0, 0});
  if (rest > 0) out_.FreeTensor(y);
  uint32_t n = last ? rest : tiling_->tile;
  pipe_.InitBuffer(out_, 2, tiling_->bytes);
}
`
const made = (damage: Damage) => editsOf(source).filter((edit) => edit.damage === damage)
const lines = (damage: Damage) =>
  made(damage).map((edit) => applyEdit(source, edit).split('\n')[lineOf(source, edit.start) - 1]!.trim())

test('leaves out each flag, barrier and hand-over once, and nothing in comments', () => {
  expect(lines('synchronisation')).toEqual(['static_cast<void>(0);', 'SetFlag<HardEvent::V_MTE3>(((id_) ^ 1));'])
  expect(lines('queues')).toEqual(['LocalTensor<T> y = out_.AllocTensor<T>();', 'if (rest > 0) static_cast<void>(0);'])
})

test('tells of calls in each other no more than people read', { timeout: 20_000 }, () => {
  for (const [begin, end] of [
    ['Min(a, ', ')'],
    ['DataCopy(a, b, ', ')'],
    ['SetFlag(a, ', ');'],
    ['if (', ')'],
  ] as const) {
    const many = Math.floor(2 ** 20 / (begin.length + end.length))
    const edits = editsOf(begin.repeat(many) + 'b' + end.repeat(many))
    expect(Math.max(0, ...edits.slice(0, 1000).map(({ replacement }) => replacement.length))).toBeLessThan(10_000)
  }
})

test('reads a source in time that is linear in it', { timeout: 20_000 }, () => {
  for (const part of [
    '/* ',
    'a->',
    '[a]',
    'SetFlag ',
    'SetFlag<a>  ',
    '.aMatrixStride=1;',
    '.transpose',
    'tileA',
    'A(a[b[c]],d);',
  ])
    editsOf(part.repeat(2 ** 18 / part.length))
  editsOf(`SetFlag${' '.repeat(2 ** 18)}`)
  editsOf(`.${'transpose'.repeat(2 ** 15)}`)
})

test('shifts offsets and lengths of copies, and buffers', () => {
  expect(lines('offsets')).toContain(
    'DataCopyPad(gm_[static_cast<std::decay_t<decltype(offset)>>((offset) + 1)], y, {1, count * 2, 0, 0, 0});',
  )
  expect(lines('lengths')).toContain(
    'DataCopyPad(gm_[offset], y, {1, static_cast<std::decay_t<decltype(count * 2)>>((count * 2) - 1), 0, 0, 0});',
  )
  expect(lines('buffers')).toEqual([
    'pipe_.InitBuffer(out_, 2, (((tiling_->bytes) - 0 + 31) / 32 * 32 - 32));',
    'pipe_.InitBuffer(out_, 2, (((tiling_->bytes) - 0) / 64 * 32));',
  ])
})

test('takes away what a buffer needs, not what its length names as spare', () => {
  const spare = `
const uint32_t bytes = count * 2 + BANK_SHIFT_BYTES;
pipe.InitBuffer(in_, 2, bytes);
pipe.InitBuffer(out_, count * 4 + BANK_SHIFT_BYTES);
`
  const whole = editsOf(spare).flatMap(({ replacement }) => (replacement.includes('31') ? [replacement] : []))
  expect(whole).toEqual(
    [
      '((bytes) - BANK_SHIFT_BYTES + 31) / 32 * 32 - 32)',
      '((count * 4 + BANK_SHIFT_BYTES) - BANK_SHIFT_BYTES + 31) / 32 * 32 - 32)',
    ].map((text) => `(${text}`),
  )
})

/** What is made one smaller of a copy whose rows are given. */
const fields = (row: string) =>
  editsOf(`copy = DataCopyExtParams{${row}, bytes, 2, 3, 0};`).flatMap(({ what }) =>
    what.endsWith('- 1') ? [what] : [],
  )

test('leaves alone a reserved field, and strides of one row', () => {
  expect(fields('rows')).toEqual(['rows - 1', 'bytes - 1', '2 - 1', '3 - 1'])
  expect(fields('1')).toEqual(['1 - 1', 'bytes - 1'])
  expect(fields('(uint16_t)1')).toEqual(['(uint16_t)1 - 1', 'bytes - 1'])
})

test('leaves alone the fields of a length that nobody asks for', () => {
  const length = 'a.SetGlobalBuffer(x, tiling.m * tiling.k);'
  expect(editsOf(length)).toEqual([])
  expect(editsOf(`${length} n = a.GetSize();`).map(({ replacement }) => replacement)).toEqual(['k', 'm'])
})

/** What each edit of one kind does to a short source. */
const whatOf = (text: string, damage: Damage): string[] =>
  editsOf(text).flatMap((edit) => (edit.damage === damage ? [edit.what] : []))

test('leaves out what orders cores, and mixes up their flags', () => {
  const text = 'if (last) { SyncAll(); } else CrossCoreSetFlag<0x2, PIPE_MTE3>(READY);\nCrossCoreWaitFlag(READY);'
  expect(whatOf(text, 'synchronisation')).toEqual([
    'without SyncAll()',
    'without CrossCoreSetFlag<0x2, PIPE_MTE3>(READY)',
    'event id READY ^ 1',
    'without CrossCoreWaitFlag(READY)',
    'event id READY ^ 1',
  ])
})

test('shifts by a tile where the source has one, and where a tensor begins', () => {
  const text = 'gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x) + first, n);\nn = tileLength_;'
  expect(whatOf(text, 'offsets')).toEqual(['first + 1', 'first - 1', 'first + 16', 'first + tileLength_'])
  expect(whatOf('DataCopy(gm_[i], x, 64);', 'offsets')).toEqual(['i + 1', 'i - 1', 'i + 16'])
})

test('takes the index of one of several tensors for no offset', () => {
  const text = 'LoadData(l0a_[now], l1a_[now][inner], params);\nLocalTensor<half> l0a_[2];\nLocalTensor<half> l1a_[2];'
  expect(whatOf(text, 'offsets')).toEqual(['inner + 1', 'inner - 1', 'inner + 16'])
})

test('turns switches of an instruction, and cuts the distance of one matrix to the next from the lengths', () => {
  const text = 'params.ifTranspose = true;\nparams.ndNum = 1;\nparams.srcNdMatrixStride = 0;\nparams.dstNzNStride = 1;'
  expect(whatOf(text, 'switches')).toEqual(['!(true)'])
  expect(whatOf(text, 'lengths').filter((what) => what.endsWith('- 1'))).toHaveLength(2)
})

test('decides for one side of a minimum, where it is no instruction', () => {
  expect(whatOf('n = min(tile, left);\nMin(z, x, y, 64);', 'branches')).toEqual([
    'tile instead of min(tile, left)',
    'left instead of min(tile, left)',
  ])
  expect(whatOf('inline uint32_t Least(uint32_t a, uint32_t b) { return a; }', 'branches')).toEqual([])
})

test('decides branches and mixes up tiling fields', () => {
  expect(lines('branches')).toContain('if (false) out_.FreeTensor(y);')
  expect(lines('branches')).toContain('uint32_t n = last || true ? rest : tiling_->tile;')
  expect(lines('tiling')).toEqual([
    'uint32_t n = last ? rest : tiling_->bytes;',
    'pipe_.InitBuffer(out_, 2, tiling_->tile);',
  ])
})

test('edits of a long text take time that is linear in it', { timeout: 20_000 }, () => {
  const text = `${'if (\n'.repeat(100_000)}${'  n = last ? rest : tile;\n'.repeat(20_000)}`
  const edits = editsOf(text)
  expect(edits.length).toBeGreaterThan(20_000)
  const source = { name: 'a.cpp', file: 'a.cpp', path: 'a.cpp', text }
  const diffs = edits.map((edit) => `${lineOf(text, edit.start)}\n${diffOf({ ...source, edit })}`)
  expect(diffs[0]).toBe('100001\n-   n = last ? rest : tile;\n+   n = last && false ? rest : tile;')
})
