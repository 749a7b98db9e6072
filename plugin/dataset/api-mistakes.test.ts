import { expect, test } from 'vitest'
import { mistakeKinds, mistakesIn, withMistake, type MistakeKind } from './api-mistakes.ts'

const kernel = `#include "kernel_operator.h"
// Add(z, x, y, count) sums two tensors
class Sum {
 public:
  __aicore__ inline void Compute(uint32_t count) {
    LocalTensor<half> x = queue_.DeQue<half>();
    LocalTensor<float> y = queue_.AllocTensor<float>();
    Cast(y, x, RoundMode::CAST_NONE, count);
    Muls(y, x.template As<float, 2>(), static_cast<float>(1, 2), count);
    y.SetValue(0, Least(count, 4));
  }

 private:
  __aicore__ inline void Abs(uint32_t count) { uint32_t most = count < 4 ? count : 4; }
  TQue<QuePosition::VECIN, 2> queue_;
};
`

/** The lines of a source that a mistake changes, by what was made wrong. */
function changed(text: string): [MistakeKind, string][] {
  const before = new Set(text.split('\n'))
  return mistakesIn(text).flatMap((mistake) => {
    const lines = withMistake(text, mistake).split('\n')
    return lines.flatMap((line): [MistakeKind, string][] => (before.has(line) ? [] : [[mistake.kind, line.trim()]]))
  })
}

const of = (kind: MistakeKind, text = kernel): string[] =>
  changed(text).flatMap(([its, line]) => (its === kind ? [line] : []))

test('calls are misnamed, and lose, gain and swap arguments', () => {
  expect(of('no such name')).toEqual([
    'LocalTensor<half> x = queue_.Dequeue<half>();',
    'LocalTensor<float> y = queue_.Allocate<float>();',
    'Convert(y, x, RoundMode::CAST_NONE, count);',
    'MulScalar(y, x.template As<float, 2>(), static_cast<float>(1, 2), count);',
  ])
  // a comma within brackets parts no arguments
  expect(of('argument left out')).toEqual([
    'Cast(y, x, RoundMode::CAST_NONE);',
    'Muls(y, x.template As<float, 2>(), static_cast<float>(1, 2));',
  ])
  expect(of('argument too many')).toContain('Cast(y, x, RoundMode::CAST_NONE, count, 0, true);')
  expect(of('arguments swapped')).toEqual(['Muls(y, static_cast<float>(1, 2), x.template As<float, 2>(), count);'])
})

test('types, enumerators, members and template arguments are those of others', () => {
  expect(of('no such type')).toEqual([
    'LocalTensor<float16> x = queue_.DeQue<half>();',
    'LocalTensor<fp32> y = queue_.AllocTensor<float>();',
  ])
  expect(of('no such enumerator')).toEqual([
    'Cast(y, x, RoundMode::NONE, count);',
    'TQue<QuePosition::VEC_IN, 2> queue_;',
  ])
  expect(of('no such member')).toEqual(['y.Set(0, Least(count, 4));'])
  expect(of('template argument left out')).toEqual([
    'LocalTensor<half> x = queue_.DeQue();',
    'LocalTensor<float> y = queue_.AllocTensor();',
    'TQue<QuePosition::VECIN> queue_;',
  ])
  expect(of('wrong element type')).toEqual([
    'LocalTensor<half> x = queue_.DeQue<float>();',
    'LocalTensor<float> y = queue_.AllocTensor<half>();',
  ])
  expect(of('host function', 'return count < most ? count : most;\n')).toEqual(['return std::min(count, most);'])
  expect(of('host function', 'auto n = a > b ? a : b;\nif (n == a < b ? a : b) {}\n')).toEqual([
    'auto n = std::max(a, b);',
  ])
})

test('comments are left alone, and so is a function of the author that is called as one of the API', () => {
  expect(changed(kernel).map(([, line]) => line)).not.toContainEqual(expect.stringMatching(/^\/\/|Absolute/))
  expect(mistakesIn('// Add(z, x, y, count);\nconst char* text = "Add(z, x, y, count)";\n')).toEqual([])
})

test('mistakes go from top to bottom, and each makes another text', () => {
  const all = mistakesIn(kernel)
  expect(all.map(({ start }) => start)).toEqual(all.map(({ start }) => start).toSorted((a, b) => a - b))
  expect(all.every((mistake) => withMistake(kernel, mistake) !== kernel)).toBe(true)
  expect(new Set(all.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(mistakeKinds.length - 1)
})
