import { expect, test } from 'vitest'
import { factsIn, noFacts, problemOf } from './kernel-facts.ts'

const word = 'told'

test('keys are numbers in what the preprocessor has made', () => {
  const text = `if ((told() == (1)) || (told() == (2UL)) || (told() == (1))) {}
if ((told() == (18446744073709551615UL) || told() == (010))) {}
if ((told() == (NAME)) || (told() == (-1)) || (told() == (3 + 4)) || told() == 5 || untold() == (6)) {}`
  expect(factsIn(text, word)).toEqual({
    ...noFacts,
    tilingKeys: ['1', '2', '18446744073709551615', '10', '3'],
  })
})

test('types and the struct of tiling data', () => {
  const text = `told_type , KERNEL_TYPE_MIX_AIC_1_2 ;; {told_selected 0 ;, x} untold_type , A ; told_type , KERNEL_TYPE_AICORE ;
told_type 7UL , KERNEL_TYPE_AIC_ONLY ; told_type 0x7 , KERNEL_TYPE_AIV_ONLY ; told_type SEVEN , KERNEL_TYPE_AIV_ONLY ;
told_struct optiling::Data ;; told_struct_of_key Other ; told_reads ;`
  const facts = factsIn(text, word)
  expect(facts).toEqual({
    tilingKeys: [],
    taskTypes: [{ type: 'KERNEL_TYPE_MIX_AIC_1_2' }, { key: '7', type: 'KERNEL_TYPE_AIC_ONLY' }],
    selectedTypes: ['KERNEL_TYPE_AIV_ONLY'],
    tilingStructs: ['optiling::Data'],
    structsOfKeys: ['Other'],
    readsTiling: true,
  })
  expect(problemOf(facts)).toContain('GET_TILING_DATA_WITH_STRUCT')
  expect(problemOf({ ...facts, readsTiling: false })).toBeUndefined()
  expect(problemOf({ ...facts, tilingStructs: [] })).toContain('add REGISTER_TILING_DEFAULT')
  expect(problemOf({ ...facts, tilingStructs: ['A', 'B'] })).toContain('only one default tiling structure')
  expect(problemOf({ ...noFacts, taskTypes: [{ type: 'KIND' }] })).toContain('`KIND` is no kernel type')
})
