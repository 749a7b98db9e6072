import { expect, test } from 'vitest'
import { builtKeys, decodedBy, selectedKeys } from './tiling-keys.ts'

test('a build makes kernels for the choices of a template, or for what is asked for, or for 0', () => {
  expect(builtKeys(['1'], ['2'])).toEqual(['2'])
  expect(builtKeys(['1'], [])).toEqual(['1'])
  expect(builtKeys([], [])).toEqual(['0'])
})

test('choices of a template are told by its functions, and decoded by its declaration', () => {
  const names = [
    '_ZN20npu_emu_tpl_choice_1ILm0ELm21EE4callI16npu_emu_tpl_saidIJLm259ELm3ELm1ELm27EEEEEvPKPh',
    '_ZN20npu_emu_tpl_choice_1ILm1ELm0EE4callI16npu_emu_tpl_saidIJLm7EEEEEvPKPh',
    '_ZN6OthersILm1ELm0EE4callI16npu_emu_tpl_saidIJLm8EEEEEvPKPh',
    'npu_emu_tpl_said',
    '_ZN18npu_emu_tpl_choiceILm1ELm0EE4callI16npu_emu_tpl_saidIJLm9EEEEEvPKPh',
  ]
  const [first, bare] = selectedKeys(names, 'npu_emu_tpl_choice_1')
  expect(selectedKeys(names, 'npu_emu_tpl_choice_1')).toEqual([
    { key: '259', values: ['3', '1', '27'] },
    { key: '7', values: [] },
  ])
  if (!first || !bare) throw new Error('no choices')
  const text = `// ASCENDC_TPL_ARGS_DECL(Old, ASCENDC_TPL_BOOL_DECL(GONE, 0, 1))
ASCENDC_TPL_ARGS_DECL(Op, ASCENDC_TPL_UINT_DECL(MODE, 5, ASCENDC_TPL_UI_LIST, 3, 4),
                      ASCENDC_TPL_BOOL_DECL(TWICE, 0, 1), ASCENDC_TPL_DATATYPE_DECL(X, C_DT_BF16), );`
  expect(decodedBy([text])(first)).toBe('MODE=3, TWICE=1, X=C_DT_BF16')
  expect(decodedBy([text, text])(first)).toBe('MODE=3, TWICE=1, X=C_DT_BF16')
  expect(decodedBy([text, text.replace('MODE', 'KIND')])(first)).toBeUndefined()
  expect(decodedBy([text])(bare)).toBeUndefined()
})
