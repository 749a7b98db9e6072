import { expect, test } from 'vitest'
import { askedKeys, builtKeys, decodedBy, namedNumbers, selectedKeys } from './tiling-keys.ts'

const keysOf = (text: string): string[] =>
  askedKeys(text, namedNumbers([text])).map(({ key, line }) => `${line}: ${key}`)

test('keys are numbers, or names of numbers', () => {
  const text = `#define KEY_A 101
constexpr uint64_t KEY_B = 10000000000000000001UL;
if (TILING_KEY_IS(1) || TILING_KEY_IS( 002UL )) {}
if (TILING_KEY_IS(KEY_A)) {}
if (TILING_KEY_IS(KEY_B)) {}`
  expect(keysOf(text)).toEqual(['3: 1', '3: 2', '4: 101', '5: 10000000000000000001'])
})

test('what is computed, ambiguous or written in a comment is no key', () => {
  const text = `#define KEY 1
#define KEY 2
// TILING_KEY_IS(3)
if (TILING_KEY_IS(KEY)) {}
if (TILING_KEY_IS(BASE + 1)) {}
if (TILING_KEY_IS(UNKNOWN)) {}`
  expect(keysOf(text)).toEqual([])
})

test('choices of a template are told by its functions, and decoded by its declaration', () => {
  const names = [
    '_ZN18npu_emu_tpl_choiceILm0ELm21EE4callI16npu_emu_tpl_saidIJLm259ELm3ELm1ELm27EEEEEvPKPh',
    '_ZN18npu_emu_tpl_choiceILm1ELm0EE4callI16npu_emu_tpl_saidIJLm7EEEEEvPKPh',
    '_ZN6OthersILm1ELm0EE4callI16npu_emu_tpl_saidIJLm8EEEEEvPKPh',
    'npu_emu_tpl_said',
  ]
  const [first, bare] = selectedKeys(names)
  expect(selectedKeys(names)).toEqual([
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

const built = (...texts: string[]): string[] | undefined => {
  const keys = builtKeys(texts)
  return keys && [...keys]
}

test('a build makes kernels for the keys that are asked for, and for 0 where none is', () => {
  expect(built('void k() {}', '// TILING_KEY_IS(3)')).toEqual(['0'])
  expect(built('if (TILING_KEY_IS(1)) {} else if (TILING_KEY_IS(LONG)) {}', '#define LONG 20UL')).toEqual(['1', '20'])
  expect(built('if (TILING_KEY_IS(1)) {} else if (TILING_KEY_IS(LONG)) {}')).toBeUndefined()
  expect(built('TILING_KEY_LIST(1, 2);')).toBeUndefined()
  // what no build sees
  for (const text of ['#if 0\nTILING_KEY_IS(7)\n#endif', 'const char* a = "TILING_KEY_IS(7)";'])
    expect(built(text, 'TILING_KEY_IS(1)'), text).toEqual(['1'])
  expect(built('TILING_KEY_IS(010)')).toEqual(['8'])
  // a name that is defined in two ways
  const twice = 'if (TILING_KEY_IS(MODE)) {}'
  expect(built(twice, '#define MODE (BASE + 7)', '#define MODE 3')).toBeUndefined()
  expect(built(twice, 'constexpr int MODE = base::MODE + 1;', 'constexpr int MODE = 1;')).toBeUndefined()
  expect(built('ASCENDC_TPL_ARGS_DECL(K)')).toBeUndefined()
})
