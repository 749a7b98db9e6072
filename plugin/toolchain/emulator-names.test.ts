import { expect, test } from 'vitest'
import { namesEmulator, pastesEmulator, wordsOfEntry } from './emulator-names.ts'

test("what is the emulator's own is found in any form, with its line", () => {
  expect(namesEmulator('int a;\nnpu_emu::tilingKey();')).toBe(2)
  expect(namesEmulator('\n#undef NPU_EMU_ENTRY')).toBe(2)
  expect(namesEmulator('\nint npu\\\n_e\\ \nmu;')).toBe(2)
  expect(namesEmulator('int _ZN7npu_emu4host8registryEv;')).toBe(1)
})

test('and so are words that may be pasted to it, also of several texts', () => {
  expect(pastesEmulator(['a##b npu_ emu'])).toBe(true)
  expect(pastesEmulator(['a%:%:b n pu_e mu_kernel'])).toBe(true)
  expect(pastesEmulator(['#a NPU_ EMU_ENTRY a##b'])).toBe(true)
  expect(pastesEmulator(['#define J(a, b) a##b', '#define FIRST npu_\n#define SECOND emu'])).toBe(true)
})

test('other words are not', () => {
  expect(namesEmulator('int my_npu_emu; npu_ emu')).toBeNull()
  expect(pastesEmulator(['int my_npu_emu; npu_ emu'])).toBe(false)
  expect(pastesEmulator(['#define F(a) a##_mu n e mu emu pu u'])).toBe(false)
  expect(pastesEmulator(['npu_e##lement'])).toBe(false)
})

test('all words behind a kernel are known', () => {
  expect(wordsOfEntry()).toEqual(expect.arrayContaining(['callKernel', 'const', 'taskTypeOf', 'valueOf']))
  expect(wordsOfEntry().filter((word) => word.startsWith('NPU_EMU_'))).toEqual([])
})
