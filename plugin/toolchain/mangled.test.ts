import { expect, test } from 'vitest'
import { identifierOf, isOfEmulator } from './mangled.ts'

test.each([
  ['main', 'main'],
  ['_Z7CeilDivjj', 'CeilDiv'],
  ['_ZL5calls', 'calls'],
  ['_ZN12_GLOBAL__N_15callsE', 'calls'],
  ['_ZN6KernelIfE7CeilDivEjj', 'CeilDiv'],
  ['_ZNK5RangeIjE4halfEv', 'half'],
  ['_ZN5RangeC2Ej', 'Range'],
  ['_Z5tableIfE', 'table'],
  ['_ZTV6Square', 'Square'],
  ['_ZN4DeskILi8EE5callsE', 'calls'],
  ['_ZN4DeskILin8ELj16ELb1EE4stepEv', 'step'],
  ['_ZN4DeskILN7AscendC9HardEventE9ELS1_10EE5callsE', 'calls'],
  ['_ZN4DeskIL7SELMODE2EE5callsE', 'calls'],
  ['_ZN4DeskILSt10byte_order1EE5callsE', 'calls'],
  ['_ZN4DeskIXadL_Z5twicejEEE5callsE', 'calls'],
  ['_ZN4DeskIXadL_ZN1a5twiceEjEEE5callsE', 'calls'],
  ['_ZN4DeskIJfDhEE5callsE', 'calls'],
  ['_ZN4DeskISt4pairIfNS_4SideEEE5callsE', 'calls'],
  ['_ZGRL5masks_', 'masks'],
  ['_ZZ4workvE5calls', 'calls'],
])('the identifier of %s is %s', (mangled, identifier) => {
  expect(identifierOf(mangled)).toBe(identifier)
})

test('an operator has none, and neither has what is no name of C++', () => {
  expect(identifierOf('_ZplRK5RangeS1_')).toBe('')
  expect(identifierOf('_Z')).toBe('')
})

test('a name of 17, 27 or 37 letters that begins like the namespace of the emulator is not of it', () => {
  expect(isOfEmulator('_ZN7npu_emu3vec7controlEv')).toBe(true)
  expect(isOfEmulator('_ZNK6KernelIN7npu_emu5StateEE3getEv')).toBe(true)
  expect(isOfEmulator('_Z27npu_emu_kernel_broadcast_v2ILj0EEvPh')).toBe(false)
})
