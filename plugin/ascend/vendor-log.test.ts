import { describe, expect, test } from 'vitest'
import { failureOfLog, warningsOfLog } from './vendor-log.ts'

const files = {
  hostDir: '/mine/op_host',
  kernelDir: '/mine/op_kernel',
  hostFiles: ['scale.cpp', 'scale_tiling.h'],
  kernelFiles: ['scale.cpp', 'inner/tile.h'],
}
const at = (file: string, message: string): string => `${file}:12:5: error: ${message}`

describe('a log of the vendor’s tools', () => {
  test.each([
    [
      at('/b/project/op_host/scale.cpp', '‘x’ was not declared in this scope'),
      'host',
      'scope',
      '/mine/op_host/scale.cpp',
    ],
    [
      at('/b/project/op_kernel/scale.cpp', "use of undeclared identifier 'x'"),
      'kernel',
      'scope',
      '/mine/op_kernel/scale.cpp',
    ],
    [
      at('/b/project/op_kernel/inner/tile.h', "no member named 'Subs' in namespace 'AscendC'"),
      'kernel',
      'api-signature',
      '/mine/op_kernel/inner/tile.h',
    ],
    // kernels are compiled as copies
    [at('/b/build_out/kernel/ascend910b/tile.h', "expected ';'"), 'kernel', 'syntax', '/mine/op_kernel/inner/tile.h'],
    // with tags and colours in front
    [
      `[ERROR] [pid 7] \u001B[1m${at('/x/op_kernel/scale.cpp', "expected ';'")}`,
      'kernel',
      'syntax',
      '/mine/op_kernel/scale.cpp',
    ],
    [
      at('kernel_tpipe_impl.h', 'static assertion failed: TPipe::InitBuffer not supports T'),
      'kernel',
      'syntax',
      'kernel_tpipe_impl.h',
    ],
  ])('%s', (line, stage, errorClass, file) => {
    const failure = failureOfLog(`[ 50%] Building\n${line}\nmake: *** [all] Error 2\n`, files)
    expect(failure).toMatchObject({ stage, class: errorClass, diagnostics: [{ severity: 'error', file, line: 12 }] })
  })

  test('that misses a function is a failure of linking', () => {
    expect(failureOfLog('/b/x.o: undefined reference to `Missing()`', files)).toMatchObject({
      stage: 'link',
      class: 'link',
    })
  })

  test('in which no compiler names an error says nothing of the candidate', () => {
    expect(failureOfLog('[ERROR] opbuild: killed\nmake: *** [all] Error 137\n', files)).toBeNull()
  })

  test('has warnings of the candidate, and not those of the toolkit', () => {
    const log = '/b/op_kernel/scale.cpp:3:1: warning: unused variable\n/cann/x.h:1:1: warning: old\n'
    expect(warningsOfLog(log, files)).toMatchObject([
      { severity: 'warning', file: '/mine/op_kernel/scale.cpp', line: 3 },
    ])
  })
})
