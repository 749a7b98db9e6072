import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findSamples } from './find.ts'
import { sourcesOf } from './sources.ts'

let root: string

beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'npu-candidates-')), 'candidates')
  mkdirSync(root)
})

afterEach(() => rmSync(dirname(root), { recursive: true, force: true }))

function write(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '')
  }
}

const names = (task?: string): string[] => findSamples([root], task).samples.map((s) => `${s.task} › ${s.name}`)

describe('the own layout', () => {
  test('an operator without sample folders is one sample, named after the folder searched', () => {
    write('AddCustom/op_kernel/add.cpp', 'AddCustom/op_host/add.cpp', 'AddCustom/op_kernel/CMakeLists.txt')
    expect(findSamples([root]).samples).toEqual([
      {
        task: 'AddCustom',
        name: 'candidates',
        root: join(root, 'AddCustom'),
        kernelDir: join(root, 'AddCustom/op_kernel'),
        hostDir: join(root, 'AddCustom/op_host'),
        cmakeLists: [join(root, 'AddCustom/op_kernel/CMakeLists.txt')],
      },
    ])
  })

  test('an operator may have many samples', () => {
    write('Sqrt/sample1/op_kernel/sqrt.cpp', 'Sqrt/sample0/op_kernel/sqrt.cpp')
    expect(names()).toEqual(['Sqrt › sample0', 'Sqrt › sample1'])
  })

  test('a kernel without a host part is a sample with no host folder', () => {
    write('Sqrt/op_kernel/sqrt.cpp')
    expect(findSamples([root]).samples[0]?.hostDir).toBeNull()
  })

  test('a project given directly is one sample of the operator its folder names', () => {
    write('Sqrt/op_kernel/sqrt.cpp')
    expect(findSamples([join(root, 'Sqrt')]).samples.map((s) => [s.task, s.name])).toEqual([['Sqrt', 'Sqrt']])
  })

  test('headers that operators share are no candidate', () => {
    write('Sqrt/op_kernel/sqrt.cpp', 'common/inc/op_host/tiling.h', 'common/inc/op_kernel/pipeline.h')
    expect(findSamples([root])).toMatchObject({ samples: [{ task: 'Sqrt' }], ignored: [] })
    write('common/include/tiling_base/tiling.h', 'common/op_kernel/pipeline.cpp')
    rmSync(join(root, 'common/inc'), { recursive: true })
    expect(findSamples([root])).toMatchObject({ samples: [{ task: 'Sqrt' }], ignored: [] })
  })

  test('asking for one operator leaves the others out', () => {
    write('Sqrt/op_kernel/sqrt.cpp', 'Gelu/op_kernel/gelu.cpp')
    expect(names('Gelu')).toEqual(['Gelu › candidates'])
  })
})

describe('the NPUKernelBench layout', () => {
  test('answers are judged on every case, run folders on their own', () => {
    write(
      'level1/Math/Sqrt/answer/1/op_kernel/sqrt.cpp',
      'level1/Math/Sqrt/answer/1/op_host/sqrt.cpp',
      'level1/Math/Sqrt/fixed_case_7/sample2/src/op_kernel/sqrt.cpp',
      'level1/Math/Sqrt/question/op_kernel/sqrt.cpp',
    )
    expect(findSamples([root]).samples.map((s) => [s.task, s.name, s.fixedCase])).toEqual([
      ['Sqrt', 'answer/1', undefined],
      ['Sqrt', 'fixed_case_7/sample2', 7],
    ])
  })

  test('a checkout that keeps its levels in tasks/ is found from its top', () => {
    write('tasks/level2/Norm/RmsNorm/answer/0/op_kernel/rms.cpp', 'README.md')
    expect(names()).toEqual(['RmsNorm › answer/0'])
  })
})

describe('what is in neither layout', () => {
  test('is listed with the reason and hides no sample', () => {
    write('notes/idea.md', 'Sqrt/op_kernel/sqrt.cpp', 'Gelu/op_kernel/gelu.txt')
    const { samples, ignored } = findSamples([root])
    expect(samples.map((s) => s.task)).toEqual(['Sqrt'])
    expect(ignored.map((i) => [i.path.slice(root.length + 1), i.reason])).toEqual([
      ['Gelu/op_kernel', 'holds no .cpp file'],
      ['notes', 'neither notes/op_kernel nor a sample with op_kernel'],
    ])
  })

  test('a missing root and a root that is a file are one message each', () => {
    write('file')
    expect(findSamples([join(root, 'none'), join(root, 'file')]).ignored.map((i) => i.reason)).toEqual([
      'does not exist',
      'is not a folder',
    ])
  })

  test('hidden folders and node_modules are not candidates', () => {
    write('.git/op_kernel/a.cpp', 'node_modules/op_kernel/a.cpp')
    expect(findSamples([root])).toEqual({ samples: [], ignored: [] })
  })
})

test('samples of several roots have different names', () => {
  write('a/Sqrt/op_kernel/s.cpp', 'b/Sqrt/sample0/op_kernel/s.cpp', 'c/a/Sqrt/op_kernel/s.cpp')
  const { samples } = findSamples([join(root, 'a'), join(root, 'b'), join(root, 'c/a')])
  expect(samples.map((s) => s.name)).toEqual(['a', 'b/sample0', 'a/a'])
})

test('sources are the C++ files of a candidate, and a link out of it is not followed', () => {
  write('Sqrt/op_kernel/s.cpp', 'Sqrt/op_kernel/inner/t.h', 'Sqrt/op_host/h.cpp', 'Sqrt/op_host/notes.md')
  symlinkSync('/etc', join(root, 'Sqrt/op_kernel/etc'))
  const [sample] = findSamples([root]).samples
  expect(sourcesOf(sample!).map((path) => path.slice(root.length + 1))).toEqual([
    'Sqrt/op_kernel/inner/t.h',
    'Sqrt/op_kernel/s.cpp',
    'Sqrt/op_host/h.cpp',
  ])
})
