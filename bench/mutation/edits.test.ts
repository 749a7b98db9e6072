import { expect, test } from 'vitest'
import { applied, editsOf, lineOf, type Damage } from './edits.ts'

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
  made(damage).map((edit) => applied(source, edit).split('\n')[lineOf(source, edit.start) - 1]!.trim())

test('leaves out each flag, barrier and hand-over once, and nothing in comments', () => {
  expect(lines('synchronisation')).toEqual(['static_cast<void>(0);', 'SetFlag<HardEvent::V_MTE3>(((id_) ^ 1));'])
  expect(lines('queues')).toEqual(['LocalTensor<T> y = out_.AllocTensor<T>();', 'if (rest > 0) static_cast<void>(0);'])
})

test('shifts offsets and lengths of copies, and buffers', () => {
  expect(lines('offsets')).toContain(
    'DataCopyPad(gm_[static_cast<std::decay_t<decltype(offset)>>((offset) + 1)], y, {1, count * 2, 0, 0, 0});',
  )
  expect(lines('lengths')).toContain(
    'DataCopyPad(gm_[offset], y, {1, static_cast<std::decay_t<decltype(count * 2)>>((count * 2) - 1), 0, 0, 0});',
  )
  expect(lines('buffers')).toContain('pipe_.InitBuffer(out_, 2, ((tiling_->bytes) / 2));')
})

test('decides branches and mixes up tiling fields', () => {
  expect(lines('branches')).toContain('if (false) out_.FreeTensor(y);')
  expect(lines('branches')).toContain('uint32_t n = last || true ? rest : tiling_->tile;')
  expect(lines('tiling')).toEqual([
    'uint32_t n = last ? rest : tiling_->bytes;',
    'pipe_.InitBuffer(out_, 2, tiling_->tile);',
  ])
})
