import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { kernelPlace } from './kernel-entry.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-entry-'))))
afterEach(() => rmSync(folder, { recursive: true }))

test('a kernel is where it is defined, and not where it is declared', () => {
  mkdirSync(join(folder, 'b'))
  writeFileSync(
    join(folder, 'a.cpp'),
    'extern "C" __global__ __aicore__ void scale(GM_ADDR x);\nvoid scale_more() {}\n',
  )
  writeFileSync(
    join(folder, 'b/scale.cpp'),
    '// kernel\nextern "C" __global__ __aicore__ void\nscale(GM_ADDR x)\n{\n}\n',
  )
  expect(kernelPlace(folder, 'scale')).toEqual({ path: join(folder, 'b/scale.cpp'), line: 3 })
  expect(kernelPlace(folder, 'scal')).toBeUndefined()
  expect(kernelPlace(join(folder, 'none'), 'scale')).toBeUndefined()
})
