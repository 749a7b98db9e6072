import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findSamples, type Wanted } from './find.ts'
import { npuKernelBench } from '../suites/index.ts'

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

const bench = { ...npuKernelBench, name: 'bench' }
const other = { name: 'other', groups: [], layouts: ['<task>/attempt-<sample>/code', 'kernels/<category>/<task>'] }

const find = (roots: readonly string[], task?: Wanted['task'], shared = {}) =>
  findSamples(roots, { suites: [bench, other], task, shared })

const names = (task?: string): string[] =>
  find([root], task === undefined ? undefined : { suite: 'bench', name: task }).samples.map(
    (s) => `${s.task} › ${s.name}`,
  )

const fixedCasesIn = (folder: string): unknown[] =>
  findSamples([folder], { suites: [bench], tasks: ['Sqrt'] }).samples.map((sample) => [
    sample.task,
    sample.name,
    sample.fixedCase,
  ])

describe('the own layout', () => {
  test('an operator without sample folders is one sample, named after the folder searched', () => {
    write('AddCustom/op_kernel/add.cpp', 'AddCustom/op_host/add.cpp', 'AddCustom/op_kernel/CMakeLists.txt')
    expect(find([root]).samples).toEqual([
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

  test('a sample may be for one static case, whatever of its path is pointed at', () => {
    write(
      'Sqrt/fixed_case_3/s0/op_kernel/sqrt.cpp',
      'Sqrt/fixed_case_3/s1/op_kernel/sqrt.cpp',
      'Sqrt/s0/op_kernel/sqrt.cpp',
    )
    expect(fixedCasesIn(root)).toEqual([
      ['Sqrt', 's0', undefined],
      ['Sqrt', 'fixed_case_3/s0', 3],
      ['Sqrt', 'fixed_case_3/s1', 3],
    ])
    expect(fixedCasesIn(join(root, 'Sqrt/fixed_case_3/s1'))).toEqual([['Sqrt', 'fixed_case_3/s1', 3]])
  })

  test('a kernel without a host part is a sample with no host folder', () => {
    write('Sqrt/op_kernel/sqrt.cpp')
    expect(find([root]).samples[0]?.hostDir).toBeNull()
  })

  test('a project given directly is one sample of the operator its folder names', () => {
    write('Sqrt/op_kernel/sqrt.cpp')
    expect(find([join(root, 'Sqrt')]).samples.map((s) => [s.task, s.name])).toEqual([['Sqrt', 'Sqrt']])
  })

  test('headers that operators share are no candidate', () => {
    write('Sqrt/op_kernel/sqrt.cpp', 'common/inc/op_host/tiling.h', 'common/inc/op_kernel/pipeline.h')
    expect(find([root])).toMatchObject({ samples: [{ task: 'Sqrt' }], ignored: [] })
    write('common/include/tiling_base/tiling.h', 'common/op_kernel/pipeline.cpp')
    rmSync(join(root, 'common/inc'), { recursive: true })
    expect(find([root])).toMatchObject({ samples: [{ task: 'Sqrt' }], ignored: [] })
  })

  test('what a sample is called shares none of its files with others', () => {
    write(
      'Sqrt/common/op_kernel/sqrt.cpp',
      'Sqrt/common/inc/op_host/tiling.h',
      'Sqrt/common/own.h',
      'Sqrt/include/op_kernel/sqrt.cpp',
      'Sqrt/include/catlass/own.h',
      'Sqrt/libs/op_kernel/sqrt.cpp',
      'Sqrt/libs/common_include/cann-ops/src/include/ge/own.h',
      'Sqrt/s0/op_kernel/sqrt.cpp',
    )
    const { samples, ignored } = find([root])
    expect(samples.map(({ name, repository }) => [name, repository])).toEqual([['s0', undefined]])
    expect(ignored.map(({ path, reason }) => [path.slice(root.length + 1), reason])).toEqual(
      ['common', 'include', 'libs'].map((name) => [`Sqrt/${name}`, 'has the name of what operators share: rename it']),
    )
  })

  test('samples of a task share what lies beside them and is no sample', () => {
    write('Sqrt/common/own.h', 'Sqrt/s0/op_kernel/sqrt.cpp')
    expect(find([root]).samples).toMatchObject([{ name: 's0', repository: join(root, 'Sqrt/common') }])
  })

  test('what lies in the folder of a sample is no other sample', () => {
    write(
      'Sqrt/fixed_case_2/op_kernel/sqrt.cpp',
      'Sqrt/fixed_case_2/s0/op_kernel/sqrt.cpp',
      'Sqrt/fixed_case_3/s0/op_kernel/sqrt.cpp',
    )
    expect(find([root]).samples.map(({ name, fixedCase }) => [name, fixedCase])).toEqual([
      ['fixed_case_2', undefined],
      ['fixed_case_3/s0', 3],
    ])
  })

  test('asking for one operator leaves the others out', () => {
    write('Sqrt/op_kernel/sqrt.cpp', 'Gelu/op_kernel/gelu.cpp')
    expect(names('Gelu')).toEqual(['Gelu › candidates'])
  })
})

describe('the layouts of a suite', () => {
  test('answers are judged on every case, run folders on their own', () => {
    write(
      'level1/Math/Sqrt/answer/1/op_kernel/sqrt.cpp',
      'level1/Math/Sqrt/answer/1/op_host/sqrt.cpp',
      'level1/Math/Sqrt/fixed_case_7/sample2/src/op_kernel/sqrt.cpp',
      'level1/Math/Sqrt/question/op_kernel/sqrt.cpp',
    )
    expect(find([root]).samples.map((s) => [s.task, s.name, s.fixedCase])).toEqual([
      ['Sqrt', 'answer/1', undefined],
      ['Sqrt', 'fixed_case_7/sample2', 7],
    ])
  })

  test('a number that no static case has is refused', () => {
    write('Sqrt/fixed_case_9007199254740992/s0/op_kernel/sqrt.cpp', 'Sqrt/s0/op_kernel/sqrt.cpp')
    expect(find([root]).samples.map(({ name }) => name)).toEqual(['s0'])
    expect(find([root]).ignored.map(({ reason }) => reason)).toEqual(['has a number that no static case has'])
  })

  test('a folder of a group may be spelled in other ways', () => {
    write('Level_1/Math/Sqrt/answer/1/op_kernel/sqrt.cpp')
    expect(find([root]).samples).toMatchObject([{ task: 'Sqrt', name: 'answer/1', suite: 'bench' }])
  })

  test('an operator without one of its folders, and a run without sources, are listed with the reason', () => {
    write('level1/Math/Sqrt/notes.md', 'level1/Math/Gelu/fixed_case_3/sample0/log.txt')
    expect(find([root]).ignored.map((i) => [i.path.slice(root.length + 1), i.reason])).toEqual([
      ['level1/Math/Gelu/fixed_case_3/sample0', 'no src/op_kernel'],
      ['level1/Math/Sqrt', 'neither answer/<sample>/op_kernel nor fixed_case_<case>/<sample>/src/op_kernel'],
    ])
  })

  test('a path may begin with the task, beside the own layout, or with a folder of a name', () => {
    write(
      'Sqrt/attempt-7/code/op_kernel/s.cpp',
      'Sqrt/op_kernel/s.cpp',
      'Sqrt/plain/op_kernel/s.cpp',
      'kernels/math/Gelu/op_kernel/g.cpp',
      'kernels/common/inc/op_host/shared.h',
    )
    expect(find([root]).samples.map((s) => [s.task, s.name, s.suite])).toEqual([
      ['Sqrt', 'candidates', undefined],
      ['Sqrt', 'plain', undefined],
      ['Sqrt', 'attempt-7', 'other'],
      ['Gelu', 'candidates', 'other'],
    ])
  })

  test('a checkout that keeps its levels in tasks/ is found from its top', () => {
    write('tasks/level2/Norm/RmsNorm/answer/0/op_kernel/rms.cpp', 'README.md')
    expect(names()).toEqual(['RmsNorm › answer/0'])
  })
})

describe('tasks of the same name in two suites', () => {
  const shared = { Sqrt: ['bench', 'other'] }
  const tasks = (suite: string) => find([root], { suite, name: 'Sqrt' }, shared).samples.map(({ name }) => name)

  test('each has the candidates of its own folder and its own layout', () => {
    write(
      'bench/Sqrt/op_kernel/s.cpp',
      'bench/level1/Math/Sqrt/answer/1/op_kernel/s.cpp',
      'other/Sqrt/a/op_kernel/s.cpp',
      'level1/Math/Sqrt/answer/2/op_kernel/s.cpp',
      'kernels/math/Sqrt/op_kernel/s.cpp',
    )
    expect(tasks('bench')).toEqual(['candidates', 'answer/1', 'answer/2'])
    expect(tasks('other')).toEqual(['candidates', 'a'])
    expect(find([root], undefined, shared).samples).toHaveLength(5)
  })

  test('a folder that says the operator alone is of neither, and the reason names the places', () => {
    write('Sqrt/op_kernel/s.cpp', 'Gelu/op_kernel/g.cpp')
    expect([tasks('bench'), tasks('other')]).toEqual([[], []])
    expect(find([root], undefined, shared)).toMatchObject({
      samples: [{ task: 'Gelu' }],
      ignored: [{ reason: 'Sqrt is a task of bench and other: put it in bench/Sqrt or other/Sqrt' }],
    })
  })
})

describe('what is in no layout', () => {
  test('is listed with the reason and hides no sample', () => {
    write('notes/idea.md', 'Sqrt/op_kernel/sqrt.cpp', 'Gelu/op_kernel/gelu.txt')
    const { samples, ignored } = find([root])
    expect(samples.map((s) => s.task)).toEqual(['Sqrt'])
    expect(ignored.map((i) => [i.path.slice(root.length + 1), i.reason])).toEqual([
      ['Gelu/op_kernel', 'holds no .cpp file'],
      ['notes', 'neither notes/op_kernel nor a sample with op_kernel'],
    ])
  })

  test('a missing root and a root that is a file are one message each', () => {
    write('file')
    expect(find([join(root, 'none'), join(root, 'file')]).ignored.map((i) => i.reason)).toEqual([
      'does not exist',
      'is not a folder',
    ])
  })

  test('hidden folders and node_modules are not candidates', () => {
    write('.git/op_kernel/a.cpp', 'node_modules/op_kernel/a.cpp')
    expect(find([root])).toEqual({ samples: [], ignored: [] })
  })
})

test('samples of several roots have different names, and of two of one name the first is judged', () => {
  write('a/Sqrt/op_kernel/s.cpp', 'b/Sqrt/sample0/op_kernel/s.cpp', 'c/a/Sqrt/op_kernel/s.cpp')
  const { samples, ignored } = find([join(root, 'a'), join(root, 'b'), join(root, 'c/a'), join(root, 'b')])
  expect(samples.map((s) => s.name)).toEqual(['a', 'b/sample0'])
  expect(ignored).toEqual([
    {
      path: join(root, 'c/a/Sqrt'),
      reason: `another sample of Sqrt is called a: ${join(root, 'a/Sqrt')}; rename one of them`,
    },
  ])
})

describe('models', () => {
  const tasks = ['Sqrt', 'Gelu']
  const search = (...roots: string[]) =>
    findSamples(
      roots.map((path) => join(root, path)),
      { suites: [{ ...npuKernelBench, name: 'bench' }], tasks },
    )
  const shown = (...roots: string[]): string[] =>
    search(...roots).samples.map(({ task, model = null, name, suite = '' }) => `${suite}${task} ${model}/${name}`)

  test('lie side by side, beside samples of nobody', () => {
    write(
      'all/sft/Sqrt/s0/op_kernel/s.cpp',
      'all/sft/Gelu/op_kernel/g.cpp',
      'all/rl/Sqrt/s0/op_kernel/s.cpp',
      'all/rl/bench/Gelu/s1/op_kernel/g.cpp',
      'all/runs/level1/Math/Sqrt/answer/1/op_kernel/s.cpp',
      'all/Sqrt/s0/op_kernel/s.cpp',
    )
    expect(shown('all')).toEqual([
      'Sqrt null/s0',
      'Sqrt rl/s0',
      'benchGelu rl/s1',
      'benchSqrt runs/answer/1',
      'Gelu sft/sft',
      'Sqrt sft/s0',
    ])
  })

  test('names are the same whatever part of a folder is pointed at', () => {
    write(
      'all/sft/Sqrt/s0/op_kernel/s.cpp',
      'all/sft/Sqrt/s1/op_kernel/s.cpp',
      'all/sft/Gelu/op_kernel/g.cpp',
      'all/rl/bench/Sqrt/s0/op_kernel/s.cpp',
      'all/Gelu/s0/op_kernel/g.cpp',
      'all/README.md',
    )
    const every = shown('all')
    expect(every).toHaveLength(5)
    expect(shown('all/sft')).toEqual(every.filter((name) => name.includes('sft')))
    expect(shown('all/sft/Sqrt')).toEqual(['Sqrt sft/s0', 'Sqrt sft/s1'])
    expect(shown('all/sft/Sqrt/s1')).toEqual(['Sqrt sft/s1'])
    expect(shown('all/sft/Gelu')).toEqual(['Gelu sft/sft'])
    expect(shown('all/rl/bench')).toEqual(['benchSqrt rl/s0'])
    expect(shown('all/rl/bench/Sqrt/s0')).toEqual(['benchSqrt rl/s0'])
    expect(shown('all/Gelu')).toEqual(['Gelu null/s0'])
    expect(shown('all/Gelu/s0')).toEqual(['Gelu null/s0'])
    expect(shown('all/sft', 'all/rl', 'all/Gelu').sort()).toEqual([...every].sort())
    // overlapping roots hold nothing twice
    expect(shown('all', 'all/sft/Sqrt')).toEqual(every)
  })

  test('a program may be pointed at', () => {
    write('all/Sqrt/mine.npu.ts', 'all/Sqrt/other.npu.ts', 'all/Gelu/s0.npu.ts')
    expect(shown('all')).toHaveLength(3)
    expect(shown('all/Sqrt/mine.npu.ts')).toEqual(shown('all').filter((name) => name.endsWith('mine')))
    expect(shown('all/Sqrt/mine.npu.ts')).toHaveLength(1)
  })

  test('what lies beside other things than models and tasks is a folder of candidates', () => {
    write('project/mine/Sqrt/s0/op_kernel/s.cpp', 'project/notes/a.md')
    expect(shown('project/mine')).toEqual(['Sqrt null/s0'])
    write('npm/mine/Sqrt/s0/op_kernel/s.cpp', 'npm/package.json')
    expect(shown('npm/mine')).toEqual(['Sqrt null/s0'])
    // where somebody points at the folder above, there is nothing else that it could be
    expect(shown('project')).toEqual(['Sqrt mine/s0'])
  })

  test('a folder that is called like a task is a task, also as a sample of one', () => {
    write('all/Sqrt/Gelu/op_kernel/s.cpp', 'all/Gelu/Sqrt/op_kernel/s.cpp', 'all/Other/s0/op_kernel/s.cpp')
    // nothing lies beside `all`: it is a model
    expect(shown('all')).toEqual(['Gelu all/Sqrt', 'Other all/s0', 'Sqrt all/Gelu'])
    expect(shown('all/Sqrt/Gelu')).toEqual(['Sqrt all/Gelu'])
    write('notes/a.md')
    expect(shown('all')).toEqual(['Gelu null/Sqrt', 'Other null/s0', 'Sqrt null/Gelu'])
    expect(shown('all/Sqrt/Gelu')).toEqual(['Sqrt null/Gelu'])
  })

  test.each(['include', 'common'])('a model called %s is left out, and shares nothing', (name) => {
    write(
      `${name}/Sqrt/s0/op_kernel/a.cpp`,
      `${name}/catlass/own.h`,
      `${name}/inc/op_host/own.h`,
      'sft/Sqrt/s0/op_kernel/a.cpp',
    )
    expect(search('.').samples.map(({ model, repository }) => [model, repository])).toEqual([['sft', undefined]])
    const reason = 'has the name of what operators share: rename it'
    expect(search('.').ignored).toContainEqual({ path: join(root, name), reason })
  })

  test('a model of an odd name is left out in one line', () => {
    write('all/-rf/Sqrt/s0/op_kernel/s.cpp', 'all/-rf/Sqrt/s1/op_kernel/s.cpp', 'all/sft/Sqrt/s0/op_kernel/s.cpp')
    expect(search('all')).toMatchObject({
      samples: [{ model: 'sft' }],
      ignored: [{ path: join(root, 'all/-rf'), reason: 'has a name that no model may have: rename it' }],
    })
  })
})

test('paths of samples are real ones, and names those of the links', () => {
  write('store/one/op_kernel/s.cpp', 'store/gelu/op_kernel/g.cpp')
  mkdirSync(join(root, 'found/Sqrt'), { recursive: true })
  symlinkSync(join(root, 'store/one'), join(root, 'found/Sqrt/first'))
  symlinkSync('../store/gelu', join(root, 'found/Gelu'))
  symlinkSync('found', join(root, 'link'))
  expect(find([join(root, 'link')]).samples).toMatchObject([
    { task: 'Gelu', name: 'link', root: join(root, 'store/gelu'), kernelDir: join(root, 'store/gelu/op_kernel') },
    { task: 'Sqrt', name: 'first', root: join(root, 'store/one'), kernelDir: join(root, 'store/one/op_kernel') },
  ])
})

test('a candidate whose folder has an odd name is left out in one line, and hides no other', () => {
  const names = ['line\nbreak', '\u001b[31m', 'a?b', 'a#b', "it's", '-rf', '::error::x', '\u202egnp', 'x<b>', 'a&b']
  write('Sqrt/plain/op_kernel/s.cpp', ...names.map((name) => `Sqrt/${name}/op_kernel/s.cpp`))
  const { samples, ignored } = find([root])
  expect(samples.map(({ name }) => name)).toEqual(['plain'])
  expect(ignored.map(({ path }) => path)).toHaveLength(names.length)
  for (const { path, reason } of ignored) {
    expect(reason).toBe('has a name that no candidate may have: rename it')
    expect(path).not.toMatch(/[\p{Cc}\u202e]/u)
  }
})

test('a candidate below a folder with a = in its name is left out in one line; above the root it may be', () => {
  write('a=b/Sqrt/op_kernel/a.cpp', 'a=b/Exp/x=1/op_kernel/a.cpp')
  const { samples, ignored } = find([join(root, 'a=b')])
  expect(samples.map(({ task }) => task)).toEqual(['Sqrt'])
  expect(ignored).toEqual([
    { path: join(root, 'a=b/Exp/x=1'), reason: 'has a = in its path, which compilers do not take: rename that folder' },
  ])
})
