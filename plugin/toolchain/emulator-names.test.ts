import { expect, test } from 'vitest'
import { namesEmulator, wordsOfEntry } from './emulator-names.ts'

test("what is the emulator's own is found in any form, with its line", () => {
  expect(namesEmulator('int a;\nnpu_emu::tilingKey();')).toBe(2)
  expect(namesEmulator('\n#undef NPU_EMU_ENTRY')).toBe(2)
  expect(namesEmulator('\nint npu\\\n_e\\ \nmu;')).toBe(2)
  expect(namesEmulator('a##b npu_ emu')).toBe(0)
  expect(namesEmulator('a%:%:b n pu_e mu_kernel')).toBe(0)
  expect(namesEmulator('#a NPU_ EMU_ENTRY a##b')).toBe(0)
})

test('other words are not', () => {
  expect(namesEmulator('int my_npu_emu; npu_ emu')).toBeNull()
  expect(namesEmulator('#define F(a) a##_mu n e mu emu pu u')).toBeNull()
  expect(namesEmulator('npu_e##lement')).toBeNull()
})

test('all words behind a kernel are known', () => {
  expect(wordsOfEntry()).toEqual(expect.arrayContaining(['callKernel', 'const', 'taskTypeOf', 'valueOf']))
  expect(wordsOfEntry().filter((word) => word.startsWith('NPU_EMU_'))).toEqual([])
})
