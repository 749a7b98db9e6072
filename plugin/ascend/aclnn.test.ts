import { describe, expect, test } from 'vitest'
import type { DType, TaskInterface } from '../model/index.ts'
import { argumentsOf, operatorSource, readCalls } from './aclnn.ts'

const header = `
/* aclnnScaleGetWorkspaceSize
 * parameters :
 * x : required
 */
__attribute__((visibility("default")))
aclnnStatus aclnnScaleGetWorkspaceSize(
    const aclTensor *x,
    const aclTensorList *parts,
    const aclTensor *maskOptional,
    double scaleValue,
    const aclIntArray *dimsOptional,
    const aclTensor *out,
    uint64_t *workspaceSize,
    aclOpExecutor **executor);
aclnnStatus aclnnScale(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);
aclnnStatus aclnnOddGetWorkspaceSize(const aclSomething *x, uint64_t *workspaceSize, aclOpExecutor **executor);
`

const argument = (name: string, kind: 'tensor' | 'tensorList' = 'tensor') => ({
  name,
  kind,
  required: true,
  dtypes: ['float32' as DType],
})
const task: TaskInterface = {
  name: 'Scale',
  kernel: 'scale',
  suite: 'own',
  group: null,
  category: 'Math',
  inputs: [argument('x'), argument('parts', 'tensorList'), argument('mask')],
  outputs: [argument('y')],
  // in another order than in the call
  attrs: [
    { name: 'dims', type: 'listInt', required: false },
    { name: 'scale_value', type: 'float', required: true },
  ],
}
const [call] = readCalls(header)

test('a header is read for its calls; comments, and types that nobody knows, are none', () => {
  expect(readCalls(header).map(({ name }) => name)).toEqual(['aclnnScale'])
  expect(call?.parameters.map(({ kind }) => kind)).toEqual([
    'tensor',
    'tensorList',
    'tensor',
    'float',
    'intArray',
    'tensor',
  ])
})

describe('arguments of a call', () => {
  test('are inputs, attributes by name, and outputs', () => {
    expect(argumentsOf(call!, task)).toEqual([
      { kind: 'tensor', from: 'input', index: 0 },
      { kind: 'tensorList', from: 'input', index: 1 },
      { kind: 'tensor', from: 'input', index: 2 },
      { kind: 'float', from: 'attribute', index: 1 },
      { kind: 'intArray', from: 'attribute', index: 0 },
      { kind: 'tensor', from: 'output', index: 0 },
    ])
  })

  test('have no output that is an input as well', () => {
    const inPlace = { ...task, inputs: [argument('x')], outputs: [argument('x')], attrs: [] }
    const ref = { name: 'aclnnScale', parameters: [{ name: 'xRef', kind: 'tensor' as const }] }
    expect(argumentsOf(ref, inPlace)).toEqual([{ kind: 'tensor', from: 'input', index: 0 }])
  })

  test.each([
    [{ ...task, attrs: [] }, /takes 6 arguments, and Scale has 4/],
    [
      { ...task, attrs: [task.attrs[0]!, { name: 'other', type: 'float', required: true } as const] },
      /declares an attribute scaleValue, which Scale does not have/,
    ],
    [{ ...task, inputs: [...task.inputs, argument('z')], attrs: [task.attrs[0]!] }, /takes a value for scaleValue/],
  ])('that do not fit the task are told: %#', (other, message) => {
    expect(argumentsOf(call!, other)).toMatch(message)
  })
})

test('what is made for a call asks for each argument by its place and kind', () => {
  const source = operatorSource([{ call: call!, header: 'aclnn_scale.h' }])
  expect(source).toContain('#include "aclnn_scale.h"')
  expect(source).toContain(
    '(given.tensor(0), given.tensorList(1), given.tensor(2), given.number(3), given.intArray(4), given.tensor(5), bytes, executor)',
  )
  const twice = operatorSource([
    { call: call!, header: 'aclnn_scale.h' },
    { call: { name: 'aclnnNext', parameters: [{ name: 'x', kind: 'tensor' }] }, header: 'aclnn_scale.h' },
  ])
  expect(twice).toContain(
    'reinterpret_cast<decltype(&aclnnNextGetWorkspaceSize)>(symbol)(given.tensor(6), bytes, executor)',
  )
  expect(twice.match(/#include "aclnn_scale.h"/g)).toHaveLength(1)
})
