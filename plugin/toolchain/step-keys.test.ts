import { expect, test } from 'vitest'
import { hostKey, type HostSources } from './host.ts'
import type { KernelSources } from './kernel-entry.ts'
import { factsKey } from './kernel-facts.ts'
import type { KernelVariant } from './kernel-object.ts'
import { kernelKey } from './kernel.ts'
import type { RepositorySources } from './repository.ts'
import type { KeyedRuntime } from './runtime.ts'
import type { SourceTree } from './sources.ts'

/** Changes of one input each, for all inputs that there are. */
type Changes<T> = { [Input in keyof Required<T>]: readonly Partial<T>[] }

/** An input that a step does not use, or that `cachedStep` has a name for: the content of files. */
const none: readonly never[] = []

function changed<T extends object>(given: T, changes: Changes<T>): T[] {
  const all = Object.values<readonly Partial<T>[]>(changes).flat()
  return [given, ...all.map((change) => ({ ...given, ...change }))]
}

const file = (name: string, text = ''): SourceTree['files'][number] => ({ name, text: Buffer.from(text) })
const treeOf = (root: string, mark: string, ...names: string[]): SourceTree => ({
  root,
  mark,
  files: names.map((name) => file(name)),
  key: 'key',
})
const candidate = treeOf('/r/c/mine', '/npu/candidate', 'op_host/a.cpp', 'op_kernel/mine.cpp')
const around = treeOf('/r', '/npu/repository', 'common/x.h')

const repository: RepositorySources = {
  tree: around,
  includes: ['/r/common', '/r/inc'],
  kernels: new Map([['other', '/r/c/other/op_kernel']]),
  sources: [{ ...file('common/x.cpp'), path: '/r/common/x.cpp' }],
}
const ofRepository = changed(repository, {
  tree: none,
  includes: [{ includes: ['/r/inc', '/r/common'] }, { includes: ['/r/common'] }, { includes: [] }],
  kernels: none,
  sources: none,
})
const kernelsOf = (...kernels: [string, string][]): RepositorySources => ({ ...repository, kernels: new Map(kernels) })
const linked = (path: string): RepositorySources => ({ ...repository, sources: [{ ...file(path), path }] })

const options = { defines: ['-DA=1'], includes: ['/r/c/mine/inc'], autoSync: true }
const allOptions = changed(options, {
  defines: [{ defines: [] }, { defines: ['-DA=2'] }, { defines: ['-DA=1', '-DB'] }],
  includes: [{ includes: [] }, { includes: ['/r/c/mine/op_host'] }],
  // what the device does, not what is compiled
  autoSync: none,
}).slice(1)

/** `headers`: those, the compiler and its flags. */
interface RuntimeChange {
  cann?: KeyedRuntime['cann']
  headers?: string
  runtime?: string
  exported?: string
}

const runtime = (change: RuntimeChange = {}): KeyedRuntime => {
  const { cann = '8.3', headers = 'headers', exported = 'f' } = change
  return {
    cann,
    compiler: { family: 'clang' },
    headersKey: async (kind) => `${headers} ${kind}`,
    exports: async () => new Set([exported]),
    files: async () => ({ key: change.runtime ?? 'files', libraries: [], runner: '' }),
  }
}

const distinct = async (keys: readonly Promise<string>[]): Promise<void> => {
  const all = await Promise.all(keys)
  const twice = all.flatMap((key, index) => (all.indexOf(key) === index ? [] : [[all.indexOf(key), index]]))
  expect(twice).toEqual([])
}

const treesWith = (...names: string[]): SourceTree[] => [treeOf(candidate.root, candidate.mark, ...names), around]

test('each input of a host library is in its key, and which sources are compiled', async () => {
  const host: HostSources = { folder: '/r/c/mine/op_host', trees: [candidate, around], repository }
  const hosts = changed(host, {
    folder: [{ folder: '/r/c/mine/host' }],
    trees: [
      treesWith('op_host/a.cpp', 'op_host/b.cpp', 'op_kernel/mine.cpp'),
      treesWith('op_host/b.cpp', 'op_kernel/mine.cpp'),
      treesWith('op_kernel/mine.cpp'),
      treesWith('op_host/a.cc', 'op_kernel/mine.cpp'),
      treesWith('op_host/arch35/a.cpp', 'op_kernel/mine.cpp'),
      treesWith('op_host/a.cpp', 'op_host/arch35/a.cpp', 'op_kernel/mine.cpp'),
    ].map((trees) => ({ trees })),
    named: [
      { named: 'in its folder' },
      { named: { tiling: ['/r/c/mine/op_host/a.cpp'], definitions: [] } },
      { named: { tiling: ['/r/c/mine/op_host/a.cpp'], definitions: ['/r/c/mine/op_host/b.cpp'] } },
      { named: { tiling: ['/r/c/mine/op_host/a.cpp', '/r/c/mine/op_host/b.cpp'], definitions: [] } },
    ],
    repository: [
      ...ofRepository.slice(1),
      linked('/r/common/y.cpp'),
      { ...repository, sources: [] },
      { ...repository, sources: [...repository.sources, ...linked('/r/common/y.cpp').sources] },
    ].map((each) => ({ repository: each })),
  })
  const { repository: _, ...alone } = host
  await distinct([
    ...[...hosts, alone].map((each) => hostKey(runtime(), 'Ascend910B2', each)),
    hostKey(runtime(), 'Ascend910_93', host),
    ...[{ headers: 'others' }, { runtime: 'others' }].map((each) => hostKey(runtime(each), 'Ascend910B2', host)),
  ])
})

const sources: KernelSources = {
  kernelDir: '/r/c/mine/op_kernel',
  trees: [candidate, around],
  options,
  repository,
  kernel: 'mine',
}
const entry: KernelVariant['entry'] = {
  path: '/r/c/mine/op_kernel/mine.cpp',
  source: '',
  qualified: [],
  parameters: undefined,
  namespaces: ['keys'],
  macros: { kernels: new Set(['K']), device: new Set(), quoting: new Set(), launching: new Set(), braces: new Set() },
}
/** Both steps of a kernel; the sources of the host part are none of theirs. */
const ofKernel: Changes<KernelSources> = {
  kernelDir: [{ kernelDir: '/r/c/mine/kernel' }],
  trees: none,
  options: allOptions.map((each) => ({ options: each })),
  repository: [
    ...ofRepository.slice(1),
    kernelsOf(),
    kernelsOf(['other', '/r/d/other/op_kernel']),
    kernelsOf(['another', '/r/c/other/op_kernel']),
    kernelsOf(['other', '/r/c/other/op_kernel'], ['third', '/r/c/third/op_kernel']),
  ].map((each) => ({ repository: each })),
  kernel: [{ kernel: 'other' }],
  // says which entry is taken
  file: none,
  path: none,
}

test('each input of the library of a kernel is in its key', async () => {
  const core: KernelVariant['core'] = { kinds: ['aiv'], declared: false, mayLackCube: false }
  const variant: KernelVariant = { entry, core, taskTypes: [], prelude: '', kind: 'aiv' }
  const variants = changed(variant, {
    entry: [
      { path: '/r/c/mine/op_kernel/sub/mine.cpp' },
      { namespaces: [] },
      ...(['kernels', 'device', 'quoting', 'launching', 'braces'] as const).map((name) => ({
        macros: { ...entry.macros, [name]: new Set(['other']) },
      })),
    ].map((change) => ({ entry: { ...entry, ...change } })),
    core: [{ kinds: ['aiv', 'aic'] as const }, { declared: true }, { mayLackCube: true }].map((change) => ({
      core: { ...core, ...change, kinds: [...(change.kinds ?? core.kinds)] },
    })),
    taskTypes: [{ taskTypes: [{ type: 'A' }] }, { taskTypes: [{ key: '1', type: 'A' }] }],
    prelude: [{ prelude: 'int x;' }],
    kind: [{ kind: 'aic' }],
  })
  await distinct([
    ...variants.map((each) => kernelKey(runtime(), sources, each)),
    ...changed(sources, ofKernel)
      .slice(1)
      .map((each) => kernelKey(runtime(), each, variant)),
    ...[{ headers: 'others' }, { cann: '8.5' as const }, { exported: 'g' }].map((each) =>
      kernelKey(runtime(each), sources, variant),
    ),
  ])
})

test('each input of what a kernel says of itself is in its key', async () => {
  const variant = { entry, macros: '' }
  const other = { ...entry, path: '/r/c/mine/op_kernel/sub/mine.cpp' }
  // the preprocessor is not told the name of the kernel
  const all = changed(sources, { ...ofKernel, kernel: none }).slice(1)
  const telling = { ...candidate, files: [...candidate.files, file('op_kernel/x.h', 'TILING_KEY_IS(1)')] }
  await distinct([
    ...[variant, { entry, macros: '#define X' }, { entry: other, macros: '' }].map((each) =>
      factsKey(runtime(), sources, each),
    ),
    ...all.map((each) => factsKey(runtime(), each, variant)),
    factsKey(runtime(), { ...sources, trees: [telling, around] }, variant),
    ...[{ headers: 'others' }, { cann: '8.5' as const }].map((each) => factsKey(runtime(each), sources, variant)),
  ])
})
