import { expect, test } from 'vitest'
import { kernelTimes } from './profile.ts'

const table = `Device_id,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Input Shapes
0,aclnnAdd_0,AddCustom,AI_VECTOR_CORE,"20.5\t",3.25,"""8,4;8,4"""
0,MemSet_1,MemSet,AI_VECTOR_CORE,15,9,N/A
0,N/A,N/A,MEMCPY_ASYNC,16,2,N/A
0,aclnnAdd_1,AddCustom,MIX_AIV,10,4,"""8,4;8,4"""
0,host_2,AddCustom,AI_CPU,30,4,N/A
`

test('a table of the profiler tells what the kernels of an operator took, in their order', () => {
  expect(kernelTimes(table, 'AddCustom')).toEqual([4000, 3250])
  expect(kernelTimes(table, 'Sqrt')).toEqual([])
  expect(kernelTimes('', 'Sqrt')).toEqual([])
})

test.each(['N/A', '', '-1', '0', 'Infinity'])('a duration of "%s" is no time', (duration) => {
  expect(() => kernelTimes(table.replace('3.25', duration), 'AddCustom')).toThrow('msprof tells no time of a kernel')
})
