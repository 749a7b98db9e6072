import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { interfaceOf } from '../../fixtures/operator.ts'
import { readSources } from './build-candidate.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-candidate-'))))
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

async function definesOf(list: string): Promise<string[]> {
  write('op_kernel/CMakeLists.txt', list)
  const [kernelDir, hostDir] = [join(folder, 'op_kernel'), join(folder, 'op_host')]
  const cmakeLists = [join(kernelDir, 'CMakeLists.txt')]
  const sample = { task: 'Mine', name: 'mine', root: folder, kernelDir, hostDir, cmakeLists }
  const task = interfaceOf('Mine', 'mine', [], ['float32'])
  const context = { defaultHost: () => undefined, repositoryAround: () => undefined }
  return (await readSources(context, { sample, task, combinations: [] })).options.defines
}

test('options are read from a file of CMake whatever its folder is called, and where a link leads to it', async () => {
  write('op_kernel/mine.cpp', '')
  write('op_host/mine.cpp', '')
  write('a&b/fast.cmake', 'add_ops_compile_options(ALL OPTIONS -DFAST)\n')
  expect(await definesOf('include(../a&b/fast.cmake)\n')).toEqual(['-DFAST'])
  symlinkSync('../a&b/fast.cmake', join(folder, 'op_kernel/linked.cmake'))
  expect(await definesOf('include(linked.cmake)\n')).toEqual(['-DFAST'])
  symlinkSync('itself.cmake', join(folder, 'itself.cmake'))
  symlinkSync('/etc/hostname', join(folder, 'outside.cmake'))
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/a&b/`), Buffer.from([0xff]), Buffer.from('.cmake')]), '')
  expect(await definesOf('')).toEqual([])
})
