import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { crc32, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { create, replace } from 'tar'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { npuKernelBench } from '../suites/index.ts'
import { unpack } from './archive.ts'
import { samplesInLines } from './json-lines.ts'
import { problemOf, problemOfPath, type Finding, type ImportedSample } from './sample.ts'
import { samplesOf, writeSample } from './index.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'npu-imports-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, content: string | Buffer): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

async function all(findings: AsyncIterable<Finding>): Promise<Finding[]> {
  const found: Finding[] = []
  for await (const finding of findings) found.push(finding)
  return found
}

const find = (source: string, model: string | null = null) =>
  all(samplesOf(source, { suites: [{ ...npuKernelBench, name: 'bench' }], sample: 'sample', model }))

/** `task/model/sample: paths` of each sample, or why it is none. */
const said = (findings: readonly Finding[]): string[] =>
  findings.map((finding) => {
    if ('reason' in finding) return `${finding.place.replace(root, '')}: ${finding.reason}`
    const { task, model, sample, files } = finding.sample
    return `${task}/${model}/${sample}: ${[...files.keys()].join(' ')}`
  })

const kernel = { 'op_kernel/a.cpp': 'kernel\n', 'op_host/a.cpp': 'host\n' }
const line = (fields: object): string => `${JSON.stringify({ task: 'Sqrt', sample: 's0', files: kernel, ...fields })}\n`

const pack = (op: string): string =>
  [
    `project_json_src = '''${JSON.stringify([{ op, input_desc: [], output_desc: [] }])}'''`,
    `host_tiling_src = '''// tiling'''`,
    `host_operator_src = '''// host'''`,
    `kernel_src = '''extern "C" __global__ __aicore__ void k(GM_ADDR x) {}'''`,
  ].join('\n')

/** A zip archive whose entries are stored as they are. */
function zipOf(entries: Record<string, string>, mode = 0o100644): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(entries)) {
    const data = Buffer.from(content)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE((mode * 2 ** 16) >>> 0, 6)
    rest.writeUInt32LE(offset, 10)
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), common, rest, Buffer.from(name)]))
    locals.push(local)
    offset += local.length
  }
  const central = Buffer.concat(centrals)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(centrals.length, 8)
  end.writeUInt16LE(centrals.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, central, end])
}

describe('lines of JSON', () => {
  test('are a sample each; a line that is none costs the others nothing', async () => {
    const text = [
      line({}),
      '\n',
      line({ sample: 1, model: 'm' }),
      'nonsense\n',
      line({ files: { 'op_kernel/a.cpp': 3 } }),
      line({ task: undefined }),
      line({ files: undefined, file: kernel }),
      '[]\n',
      line({ task: 'Exp' }).trimEnd(),
    ].join('')
    expect(said(await find(write('a.jsonl', text), 'said'))).toEqual([
      'Sqrt/said/s0: op_kernel/a.cpp op_host/a.cpp',
      'Sqrt/m/1: op_kernel/a.cpp op_host/a.cpp',
      expect.stringMatching(/^\/a\.jsonl:4: is no JSON: /),
      expect.stringMatching(/^\/a\.jsonl:5: files\.op_kernel\/a\.cpp: .*string/),
      '/a.jsonl:6: has no task: a line has task, sample and files',
      '/a.jsonl:7: has no files: a line has task, sample and files',
      expect.stringMatching(/^\/a\.jsonl:8: the line: .*object/),
      'Exp/said/s0: op_kernel/a.cpp op_host/a.cpp',
    ])
  })

  test('a byte order mark before the first is no part of it', async () => {
    const file = write('a.jsonl', `\uFEFF${line({})}`)
    expect(said(await find(file))).toEqual(['Sqrt/null/s0: op_kernel/a.cpp op_host/a.cpp'])
  })

  test('however they are cut into chunks, and however long the others are', async () => {
    const long = line({ files: { 'op_kernel/a.cpp': 'é'.repeat(3 << 19) } })
    const file = write('a.jsonl', line({}) + long + line({ sample: 's2' }))
    const found = await all(samplesInLines(file, 'a', 1 << 20))
    expect(said(found)).toEqual([
      'Sqrt/null/s0: op_kernel/a.cpp op_host/a.cpp',
      'a:2: is longer than 1048576 bytes',
      'Sqrt/null/s2: op_kernel/a.cpp op_host/a.cpp',
    ])
    const whole = await all(samplesInLines(file, 'a'))
    expect(whole[1]).toMatchObject({ sample: { files: new Map([['op_kernel/a.cpp', 'é'.repeat(3 << 19)]]) } })
  })
})

const sample = (fields: Partial<ImportedSample> = {}): ImportedSample => ({
  task: 'Sqrt',
  sample: 's0',
  model: null,
  files: new Map(Object.entries(kernel)),
  ...fields,
})

/** Empty files, the last of which may be larger. */
const filesOf = (...paths: (string | number)[]): Partial<ImportedSample> => ({
  files: new Map(
    paths.flatMap((path, i) => {
      const next = paths[i + 1]
      return typeof path === 'string' ? [[path, Buffer.alloc(typeof next === 'number' ? next : 0)]] : []
    }),
  ),
})

const out = () => join(root, 'out')

const leftovers = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('npu-import-'))

describe('a sample', () => {
  test('is laid where candidates are looked for, once', () => {
    expect(writeSample(out(), sample())).toBe('written')
    expect(writeSample(out(), sample())).toBe('same')
    expect(writeSample(out(), sample({ model: 'm' }))).toBe('written')
    expect(readFileSync(join(out(), 'Sqrt/s0/op_kernel/a.cpp'), 'utf8')).toBe('kernel\n')
    expect(readFileSync(join(out(), 'm/Sqrt/s0/op_host/a.cpp'), 'utf8')).toBe('host\n')
    expect(readdirSync(join(out(), 'Sqrt'))).toEqual(['s0'])
  })

  test('never takes the place of another one', () => {
    writeSample(out(), sample())
    for (const files of [{ 'op_kernel/a.cpp': 'other\n' }, { ...kernel, 'op_kernel/b.cpp': '' }])
      expect(writeSample(out(), sample({ files: new Map(Object.entries(files)) }))).toBe('taken')
    expect(readFileSync(join(out(), 'Sqrt/s0/op_kernel/a.cpp'), 'utf8')).toBe('kernel\n')
  })

  test.each<[string, Partial<ImportedSample>, string]>([
    ['a task that climbs', { task: '../Sqrt' }, '../Sqrt is no name for a folder'],
    ['a hidden name', { sample: '.hidden' }, '.hidden is no name for a folder'],
    ['a name with a slash', { sample: 'a/b' }, 'a/b is no name for a folder'],
    [
      'the sources of a kernel',
      { sample: 'op_kernel' },
      'nothing can be called op_kernel: that is the folder of a part of an operator',
    ],
    ['headers of all', { task: 'common' }, 'nothing can be called common: that is the folder of what operators share'],
    [
      'the repository of all',
      { model: 'libs' },
      'nothing can be called libs: that is the folder of what operators share',
    ],
    [
      'samples for one case',
      { sample: 'fixed_case_2' },
      'no sample can be called fixed_case_2: that is the folder of samples for one static case',
    ],
    ['an empty name', { model: '' }, ' is no name for a folder'],
    ['the folder of installed packages', { model: 'node_modules' }, 'node_modules is no name for a folder'],
    ['a long name', { sample: 'x'.repeat(201) }, `${'x'.repeat(80)} is no name for a folder`],
    ['a file that climbs', filesOf('../a.cpp'), '../a.cpp is no path below the folder of a sample'],
    ['an absolute path', filesOf('/op_kernel/a.cpp'), '/op_kernel/a.cpp is no path below the folder of a sample'],
    ['a long name in bytes', { sample: '\u6838'.repeat(80) }, `${'\u6838'.repeat(80)} is no name for a folder`],
    [
      'a file that is a folder',
      filesOf('op_kernel/a.cpp', 'op_kernel/a.cpp/b.cpp'),
      'op_kernel/a.cpp is a file and a folder',
    ],
    ['no kernel', filesOf('op_host/a.cpp'), 'has no .cpp file in op_kernel'],
    [
      '4001 files',
      filesOf(...Array.from({ length: 4001 }, (_, i) => `op_kernel/${i}.cpp`)),
      'has 4001 files: at most 4000',
    ],
    ['a large file', filesOf('op_kernel/a.cpp', (16 << 20) + 1), 'is larger than the sources of an operator can be'],
  ])('%s is refused', (_, fields, reason) => {
    expect(problemOf(sample(fields))).toBe(reason)
  })

  test('that another program has put there is another one, whatever its size', () => {
    write('out/Sqrt/s0/op_kernel/a.cpp', Buffer.alloc((16 << 20) + 1))
    expect(writeSample(out(), sample())).toBe('taken')
  })

  test('is never laid inside or above another one', () => {
    writeSample(out(), sample({ task: 'm', sample: 'Sqrt' }))
    expect(writeSample(out(), sample({ model: 'm' }))).toBe('taken')
    writeSample(out(), sample({ model: 'n' }))
    expect(writeSample(out(), sample({ task: 'n', sample: 'Sqrt' }))).toBe('taken')
    expect(readdirSync(join(out(), 'n/Sqrt'))).toEqual(['s0'])
  })

  test('of a suite is laid in its folder', () => {
    expect(writeSample(out(), sample({ suite: 'bench', model: 'm' }))).toBe('written')
    expect(existsSync(join(out(), 'm/bench/Sqrt/s0/op_kernel/a.cpp'))).toBe(true)
  })

  test('a path that is accepted stays below the folder', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '..', '.', '', '/', '\\', 'b.cpp', '\0', '\n')), (parts) => {
        const path = parts.join('/')
        fc.pre(problemOfPath(path) === undefined)
        expect(join('/folder', path)).toBe(`/folder/${path}`)
      }),
    )
    expect(problemOfPath('op_kernel/inner/a.h')).toBeUndefined()
  })
})

describe('a folder', () => {
  test('holds operator projects, packs in folders of runs, and lines', async () => {
    write('in/Sqrt/s1/op_kernel/sqrt.cpp', '')
    write('in/Sqrt/s1/op_host/sqrt.cpp', '')
    write('in/Sqrt/s1/op_kernel/notes.txt', 'no pack')
    write('in/run7/soft_sign.txt', pack('SoftSignCustom'))
    write('in/run7/broken.txt', 'x')
    write('in/more/a.jsonl', line({}))
    symlinkSync('/etc/passwd', join(root, 'in/run7/link.txt'))
    expect(said(await find(join(root, 'in'))).sort()).toEqual([
      expect.stringMatching(/^\/in\/run7\/broken\.txt: line 1: `x` is not read: /),
      'SoftSignCustom/null/run7: op_host/soft_sign_custom_tiling.h op_host/soft_sign_custom.cpp op_kernel/soft_sign_custom.cpp',
      'Sqrt/null/s0: op_kernel/a.cpp op_host/a.cpp',
      'Sqrt/null/s1: op_host/sqrt.cpp op_kernel/notes.txt op_kernel/sqrt.cpp',
    ])
  })

  test.each(['folder', 'zip', 'tar'])('%s: an operator keeps the sources around its two folders', async (kind) => {
    const sources = {
      'CMakeLists.txt': 'project(own)\n',
      'cmake/CMakeLists.txt': '',
      'common/inc/shared.h': '#define SHARED 1\n',
      'include/own_factor.h': '#define FACTOR 2\n',
      'op_kernel/sqrt.cpp': '#include "../include/own_factor.h"\n',
      'root.hpp': '',
      'tests/ut/op_host/test.cpp': '',
    }
    const rest = { 'data/weights.bin': 'x', 'notes.md': '', 'build/sqrt.o': '' }
    const entries = Object.entries({ ...sources, ...rest }).map(([path, text]) => [`Sqrt/s1/${path}`, text] as const)
    for (const [path, text] of entries) write(`in/${path}`, text)
    const file = join(root, `a.${kind}`)
    if (kind === 'zip') writeFileSync(file, zipOf(Object.fromEntries(entries)))
    else if (kind === 'tar') await create({ file, cwd: join(root, 'in') }, ['.'])
    const [found] = await all(
      samplesOf(kind === 'folder' ? join(root, 'in') : file, { suites: [], sample: 'sample', model: null }),
    )
    if (!found || !('sample' in found)) throw new Error(found?.reason)
    expect(Object.fromEntries([...found.sample.files].map(([path, text]) => [path, text.toString()]))).toEqual(sources)
    expect(writeSample(out(), found.sample)).toBe('written')
    expect(readFileSync(join(out(), 'Sqrt/s1/include/own_factor.h'), 'utf8')).toBe(sources['include/own_factor.h'])
  })

  test('a sample that lies in another one is no source of it', async () => {
    for (const path of ['op_kernel/sqrt.cpp', 'more.h', 's1/op_kernel/sqrt.cpp', 's1/own.h'])
      write(`in/Sqrt/${path}`, '')
    expect(said(await find(join(root, 'in'))).sort()).toEqual([
      'Sqrt/null/s1: op_kernel/sqrt.cpp own.h',
      'Sqrt/null/sample: more.h op_kernel/sqrt.cpp',
    ])
  })

  test('a project whose verdict follows from its place is not moved', async () => {
    write('in/runs/level1/Math/Sqrt/fixed_case_3/sample0/src/op_kernel/sqrt.cpp', '')
    expect(said(await find(join(root, 'in/runs')))).toEqual([
      expect.stringMatching(/fixed_case_3\/sample0\/src: is for case 3 alone, which its folder says/),
    ])
    write('in/repo/common/inc/op_host/shared.h', '')
    write('in/repo/math/Sqrt/op_kernel/sqrt.cpp', '')
    expect(said(await find(join(root, 'in/repo/math')))).toEqual([
      '/in/repo/math/Sqrt: needs the headers that operators around it share: name its folder in NPU_CANDIDATES',
    ])
  })

  test('what cannot be taken as it is, or at all, is said', async () => {
    write('in/Sqrt/s1/op_kernel/sqrt.cpp', '')
    symlinkSync('/etc/passwd', join(root, 'in/Sqrt/s1/op_kernel/link.h'))
    write('in/Sqrt/s2/op_kernel/sqrt.cpp', '')
    symlinkSync('nothing.h', join(root, 'in/Sqrt/s2/op_kernel/link.h'))
    write('in/Exp/op_kernel/readme.md', '')
    expect(said(await find(join(root, 'in')))).toEqual([
      '/in/Exp/op_kernel: holds no .cpp file',
      '/in/Sqrt/s1: op_kernel/link.h links to a place outside of the operator: put a copy there',
      '/in/Sqrt/s2: op_kernel/link.h is no regular file, or has a name that no file may have',
    ])
  })

  test('links to files of the same operator are followed', async () => {
    write('in/Sqrt/s1/op_kernel/sqrt.cpp', 'kernel')
    write('in/Sqrt/s1/inc/scale.h', 'scale')
    symlinkSync('../inc/scale.h', join(root, 'in/Sqrt/s1/op_kernel/link.h'))
    const [found] = await find(join(root, 'in'))
    const files = found && 'sample' in found ? found.sample.files : new Map<string, Buffer>()
    expect([...files].map(([path, content]) => [path, content.toString()])).toEqual([
      ['inc/scale.h', 'scale'],
      ['op_kernel/link.h', 'scale'],
      ['op_kernel/sqrt.cpp', 'kernel'],
    ])
  })

  test('a pack that is too large is one line', async () => {
    const file = write('large.txt', '')
    truncateSync(file, 200_000_000)
    expect(said(await find(file))).toEqual(['/large.txt: is larger than 16 MiB'])
  })

  test('a pack in another encoding is one line', async () => {
    const file = write('soft_sign.txt', Buffer.from(`${pack('SoftSignCustom')}# \xE4\n`, 'latin1'))
    expect(said(await find(file))).toEqual(['/soft_sign.txt: is not UTF-8: save it as UTF-8'])
  })

  test('a pack by itself', async () => {
    expect(said(await find(write('soft_sign.txt', pack('SoftSignCustom'))))).toEqual([
      expect.stringMatching(/^SoftSignCustom\/null\/sample: /),
    ])
  })

  test.each([
    ['gone', /^\/gone: cannot be read: ENOENT/],
    ['a.rar', '/a.rar: is no folder, .jsonl, .txt (a pack), .zip, .tar, .tar.gz or .tgz'],
  ])('%s is refused in one line', async (name, reason) => {
    if (name !== 'gone') write(name, '')
    expect(said(await find(join(root, name)))).toEqual([
      typeof reason === 'string' ? reason : expect.stringMatching(reason),
    ])
  })
})

/** A tar archive of one sample. */
const tarOf = async (name: string): Promise<Buffer> => {
  write(`in/${name}.jsonl`, line({ sample: name }))
  await create({ file: join(root, 'plain.tar'), cwd: root }, [`in/${name}.jsonl`])
  return readFileSync(join(root, 'plain.tar'))
}

const sampleOf = (name: string): string => `Sqrt/null/${name}: op_kernel/a.cpp op_host/a.cpp`

describe('an archive', () => {
  const right = 'Sqrt/null/s0: op_kernel/a.cpp op_host/a.cpp'
  test('zip: what leads out of it is left out, the rest is there', async () => {
    const file = write(
      'a.zip',
      zipOf({ '../../climbs.jsonl': line({}), '/root.jsonl': line({}), 'in/a.jsonl': line({}) }),
    )
    expect(said(await find(file))).toEqual([
      '/a.zip: ../../climbs.jsonl: is no path below a folder',
      '/a.zip: /root.jsonl: is no path below a folder',
      right,
    ])
    expect(existsSync(join(tmpdir(), 'climbs.jsonl'))).toBe(false)
    expect(leftovers()).toEqual([])
  })

  test.each(['zip', 'tar'])("%s: entries in each other's way cost the others nothing", async (kind) => {
    const file = join(root, `a.${kind}`)
    if (kind === 'zip') writeFileSync(file, zipOf({ 'a.jsonl': '', 'a.jsonl/b.txt': '', 'in/a.jsonl': line({}) }))
    else {
      write('one/a.jsonl', '')
      write('two/a.jsonl/b.txt', '')
      write('two/in/a.jsonl', line({}))
      await create({ file, cwd: join(root, 'one') }, ['a.jsonl'])
      await replace({ file, cwd: join(root, 'two') }, ['a.jsonl/b.txt', 'in/a.jsonl'])
    }
    expect(said(await find(file))).toEqual([
      expect.stringMatching(/^\/a\.\w+: a\.jsonl\/b\.txt: (?:EEXIST|ENOTDIR)/),
      right,
    ])
  })

  test('zip: what is damaged is left out', async () => {
    const whole = zipOf({ 'b.jsonl': line({ sample: 'seven' }), 'a.jsonl': line({}) }).toString('latin1')
    const file = write('a.zip', Buffer.from(whole.replace('seven', 'eight'), 'latin1'))
    expect(said(await find(file))).toEqual(['/a.zip: b.jsonl: is damaged: its checksum is another one', right])
  })

  test('zip: names may have the separators of Windows', async () => {
    const entries = {
      'Sqrt\\s1\\op_kernel\\sqrt.cpp': '',
      '..\\a.jsonl': line({}),
      'in\\a.jsonl': line({}),
      'in\\': '',
    }
    expect(said(await find(write('a.zip', zipOf(entries))))).toEqual([
      '/a.zip: ../a.jsonl: is no path below a folder',
      'Sqrt/null/s1: op_kernel/sqrt.cpp',
      right,
    ])
  })

  test('zip: of two entries of one name the last is kept', async () => {
    const twice = zipOf({ 'b.jsonl': 'x', 'a.jsonl': line({}) })
      .toString('latin1')
      .replaceAll('b.jsonl', 'a.jsonl')
    expect(said(await find(write('a.zip', Buffer.from(twice, 'latin1'))))).toEqual([
      '/a.zip: a.jsonl: is there more than once: the last is kept',
      right,
    ])
  })

  const unseen = {
    '.DS_Store': '',
    'Sqrt/s1/op_kernel/sqrt.cpp': '',
    'Sqrt/s1/op_kernel/.sqrt.cpp.swp': '',
    '__MACOSX/Sqrt/s1/op_kernel/._sqrt.cpp': '',
    '.git/a#b.txt': '',
    'node_modules/a/a.txt': '',
  }
  test('zip: what is hidden, and what macOS adds, is left out unsaid', async () => {
    expect(said(await find(write('a.zip', zipOf(unseen))))).toEqual(['Sqrt/null/s1: op_kernel/sqrt.cpp'])
  })

  test('tar: what is hidden, and what macOS adds, is left out unsaid, as in a folder', async () => {
    for (const [path, content] of Object.entries(unseen)) write(`in/${path}`, content)
    expect(said(await find(join(root, 'in')))).toEqual(['Sqrt/null/s1: op_kernel/sqrt.cpp'])
    await create({ file: join(root, 'a.tar'), cwd: join(root, 'in') }, ['.'])
    expect(said(await find(join(root, 'a.tar')))).toEqual(['Sqrt/null/s1: op_kernel/sqrt.cpp'])
  })

  test.each(['zip', 'tar'])(
    '%s: what can be no source is not unpacked, and a sample without sources is told',
    async (kind) => {
      const entries = {
        'Exp/s0/kernel.py': '',
        'Sqrt/s1/build/sqrt.o': '',
        'Sqrt/s1/op_kernel/sqrt.cpp': '',
        'common/inc/a.h': '',
        'model.bin': 'x'.repeat((16 << 20) + 1),
      }
      const file = join(root, `a.${kind}`)
      if (kind === 'zip') writeFileSync(file, zipOf(entries))
      else {
        for (const [path, content] of Object.entries(entries)) write(`in/${path}`, content)
        await create({ file, cwd: join(root, 'in') }, ['.'])
      }
      const into = join(root, 'into')
      expect(await unpack(file, 'a', into)).toEqual([])
      const files = readdirSync(into, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      expect(files.map(({ name }) => name).sort()).toEqual(['a.h', 'sqrt.cpp'])
      expect(said(await find(file))).toEqual([
        `/a.${kind}/Exp: neither Exp/op_kernel nor a sample with op_kernel`,
        `/a.${kind}/common: neither common/op_kernel nor a sample with op_kernel`,
        'Sqrt/null/s1: op_kernel/sqrt.cpp',
      ])
    },
  )

  test.each(['zip', 'tar'])('%s: the folders around files are counted as well', async (kind) => {
    const paths = ['a/b/c/x.txt', 'd/e/f/x.txt']
    const file = join(root, `a.${kind}`)
    if (kind === 'zip') writeFileSync(file, zipOf(Object.fromEntries(paths.map((path) => [path, '']))))
    else {
      for (const path of paths) write(path, '')
      await create({ file, cwd: root }, paths)
    }
    const into = join(root, 'into')
    await expect(unpack(file, 'a', into, { bytes: 2 ** 30, entries: 5, told: 2 })).rejects.toThrow(
      'unpacks to more than 1 GiB or 5 entries or folders: split it',
    )
    expect(existsSync(into)).toBe(false)
    await expect(unpack(file, 'a', into, { bytes: 2 ** 30, entries: 6, told: 2 })).resolves.toEqual([])
  })

  test('that is too large is refused in one line, at once, and none of it imported', { timeout: 20_000 }, async () => {
    const plain = join(root, 'one.tar')
    write('a.jsonl', line({}))
    await create({ file: plain, cwd: root }, ['a.jsonl'])
    const sample = readFileSync(plain).subarray(0, 1024)
    // the header of a file without content, of the same name
    const empty = Buffer.from(sample.subarray(0, 512))
    empty.write('00000000000 ', 124)
    empty.write('        ', 148)
    const sum = empty.reduce((all, byte) => all + byte, 0)
    empty.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    const file = write('a.tgz', gzipSync(Buffer.concat([sample, Buffer.alloc(512 * 100_000, empty)])))
    expect(said(await find(file))).toEqual([
      '/a.tgz: unpacks to more than 1 GiB or 100000 entries or folders: split it',
    ])
    expect(leftovers()).toEqual([])
  })

  test.each(['zip', 'tar'])('%s: a sample of which a source is refused is none', async (kind) => {
    const file = join(root, `a.${kind}`)
    const whole = { 'Exp/s1/op_kernel/exp.cpp': '', 'Sqrt/s1/op_kernel/sqrt.cpp': '' }
    const large = 'x'.repeat((16 << 20) + 1)
    if (kind === 'zip') writeFileSync(file, zipOf({ ...whole, 'Sqrt/s1/op_kernel/table.h': large }))
    else {
      for (const [path, content] of Object.entries(whole)) write(`in/${path}`, content)
      symlinkSync('/etc/passwd', join(root, 'in/Sqrt/s1/op_kernel/table.h'))
      await create({ file, cwd: join(root, 'in') }, ['Exp', 'Sqrt'])
    }
    expect(said(await find(file))).toEqual([
      `/a.${kind}: Sqrt/s1/op_kernel/table.h: is ${kind === 'zip' ? 'larger than 16 MiB' : 'no regular file'}`,
      'Exp/null/s1: op_kernel/exp.cpp',
      `/a.${kind}/Sqrt/s1: op_kernel/table.h could not be taken from the archive`,
    ])
  })

  test('zip: a source that is there again after it was refused is kept', async () => {
    const bad = zipOf({
      'Sqrt/s1/op_kernel/sqrt.cpp': 'x'.repeat((16 << 20) + 1),
      'Sqrt/s1/op_kernel/sqrt.cpq': 'fine',
    })
    const file = write('a.zip', Buffer.from(bad.toString('latin1').replaceAll('sqrt.cpq', 'sqrt.cpp'), 'latin1'))
    expect(said(await find(file))).toEqual([
      '/a.zip: Sqrt/s1/op_kernel/sqrt.cpp: is larger than 16 MiB',
      'Sqrt/null/s1: op_kernel/sqrt.cpp',
    ])
  })

  test('zip: links are left out', async () => {
    expect(said(await find(write('a.zip', zipOf({ 'a.jsonl': '/etc/passwd' }, 0o120777))))).toEqual([
      '/a.zip: a.jsonl: is no regular file',
    ])
  })

  test.each(['a.tar', 'a.tar.gz', 'a.tgz'])('%s', async (name) => {
    write('in/a.jsonl', line({}))
    symlinkSync('/etc/passwd', join(root, 'in/link.jsonl'))
    const file = join(root, name)
    await create({ file, cwd: root, gzip: name !== 'a.tar', preservePaths: true }, ['in', './in/a.jsonl'])
    expect(said(await find(file))).toEqual([
      `/${name}: in/link.jsonl: is no regular file`,
      `/${name}: in/a.jsonl: is there more than once: the last is kept`,
      right,
    ])
  })

  test.each(['zip', 'tar'])('%s: what is refused is counted, and told up to a limit', async (kind) => {
    const file = join(root, `a.${kind}`)
    const links = ['a', 'b', 'c', 'd']
    if (kind === 'zip') writeFileSync(file, zipOf({ a: '', b: '', c: '', d: '' }, 0o120777))
    else {
      for (const name of links) symlinkSync('/etc/passwd', join(root, name))
      await create({ file, cwd: root }, links)
    }
    const into = join(root, 'into')
    const reasons = async (entries: number): Promise<string[]> =>
      said(await unpack(file, 'a', into, { bytes: 2 ** 30, entries, told: 2 }))
    const told = ['a: a: is no regular file', 'a: b: is no regular file']
    expect(await reasons(4)).toEqual([...told, 'a: 2 more entries are refused'])
    await expect(reasons(3)).rejects.toThrow('unpacks to more than 1 GiB or 3 entries or folders: split it')
  })

  test.each(['tar', 'tgz'])('%s: what follows its end is not read', { timeout: 20_000 }, async (kind) => {
    const plain = join(root, 'plain.tar')
    write('in/a.jsonl', line({}))
    await create({ file: plain, cwd: root }, ['in/a.jsonl'])
    const all = Buffer.concat([readFileSync(plain), Buffer.alloc(256 << 20)])
    const file = write(`a.${kind}`, kind === 'tgz' ? gzipSync(all) : all)
    expect(said(await find(file))).toEqual([right])
  })

  describe('tgz', () => {
    test('what is no gzip behind what is costs nothing', async () => {
      const file = write('a.tgz', Buffer.concat([gzipSync(await tarOf('first')), Buffer.from('garbage')]))
      expect(said(await find(file))).toEqual([sampleOf('first')])
    })

    test('of several parts all are read', async () => {
      const [first, second] = [await tarOf('first'), await tarOf('second')]
      // the end of an archive is two blocks of zeros
      const parts = [first.subarray(0, 1024), second].map((part) => gzipSync(part))
      // a part without content, with a name
      const named = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, 0x61, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
      const file = write('a.tgz', Buffer.concat([parts[0]!, named, parts[1]!, Buffer.alloc(99)]))
      expect(said(await find(file))).toEqual([sampleOf('first'), sampleOf('second')])
    })

    const empty = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])

    test('parts that hold nothing are bounded', async () => {
      const part = gzipSync((await tarOf('first')).subarray(0, 1024))
      const of = async (count: number): Promise<string[]> =>
        said(
          await unpack(
            write('a.tgz', Buffer.concat([...Array<Buffer>(count).fill(empty), part])),
            'a',
            join(root, 'into'),
          ),
        )
      await expect(of(1000)).rejects.toThrow('has more than 1000 gzip members that hold next to nothing')
      await expect(of(900)).resolves.toEqual([])
    })

    test('parts that hold much are not', { timeout: 60_000 }, async () => {
      write('big', '-'.repeat(33 << 20))
      write('in/a.jsonl', line({}))
      const plain = join(root, 'plain.tar')
      await create({ file: plain, cwd: root }, ['big', 'in/a.jsonl'])
      const all = readFileSync(plain)
      const parts = Array.from({ length: Math.ceil(all.length / 2 ** 15) }, (_, index) =>
        gzipSync(all.subarray(index << 15, (index + 1) << 15)),
      )
      rmSync(plain)
      rmSync(join(root, 'big'))
      rmSync(join(root, 'in'), { recursive: true })
      const file = write('a.tgz', Buffer.concat(parts))
      expect(said(await find(file))).toEqual([right])
    })

    test('a comment of a part that is longer than any', async () => {
      const named = Buffer.concat([empty.subarray(0, 10), Buffer.alloc(1 << 18, 'a'), empty.subarray(9)])
      named[3] = 16
      const file = write('a.tgz', Buffer.concat([gzipSync((await tarOf('first')).subarray(0, 1024)), named]))
      expect(said(await find(file))).toEqual([
        '/a.tgz: cannot be unpacked to its end: a gzip member has a name or comment of more than 128 KiB',
        sampleOf('first'),
      ])
    })

    test.each(['is torn', 'is damaged'])('what comes before the place where it %s is kept', async (how) => {
      const [first, second] = [await tarOf('first'), await tarOf('second')]
      const parts = [first.subarray(0, 1024), second].map((part) => gzipSync(part))
      if (how === 'is torn') parts[1] = parts[1]!.subarray(0, 30)
      else parts[1]![10] = 0xff
      const file = write('a.tgz', Buffer.concat(parts))
      expect(said(await find(file))).toEqual([
        expect.stringMatching(/^\/a\.tgz: cannot be unpacked to its end: /),
        sampleOf('first'),
      ])
    })
  })

  test.each(['tar', 'tgz'])('%s: what is no entry is bounded as well', async (kind) => {
    // blocks of a header that is continued, of which no entry comes
    const header = Buffer.alloc(512)
    header.write('x'.padEnd(99, 'x'), 0)
    header.write('000644 \0', 100)
    header.write('00000000000 ', 124)
    header.write('        ', 148)
    header.write('x', 156)
    header.write('ustar', 257)
    header.write('00', 263)
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    )
    const headers = Buffer.alloc(1 << 22, header)
    const file = write(`a.${kind}`, kind === 'tgz' ? gzipSync(headers) : headers)
    const limits = { bytes: 2 ** 20, entries: 100, told: 2 }
    await expect(unpack(file, 'a', join(root, 'into'), limits)).rejects.toThrow(
      `unpacks to more than ${2 ** -10} GiB or 100 entries or folders: split it`,
    )
  })

  test('tar: a hard link is the file that it names', async () => {
    const file = join(root, 'a.tar')
    const host = 'x'.repeat(100_000)
    write('Sqrt/s1/op_host/a.cpp', host)
    write('Sqrt/s1/op_kernel/a.cpp', 'kernel')
    for (const [from, to] of [
      ['op_host/a.cpp', 'op_host/b.h'],
      ['op_host/b.h', 'op_kernel/b.h'],
    ] as const)
      linkSync(join(root, 'Sqrt/s1', from), join(root, 'Sqrt/s1', to))
    const names = ['./Sqrt/s1/op_host/a.cpp', './Sqrt/s1/op_kernel/b.h', './Sqrt/s1/op_kernel/a.cpp']
    await create({ file, cwd: root }, [...names, 'Sqrt/s1/op_host/b.h'])
    expect(said(await find(file))).toEqual(['Sqrt/null/s1: op_host/a.cpp op_host/b.h op_kernel/a.cpp op_kernel/b.h'])
    const into = join(root, 'into')
    expect(await unpack(file, 'a', into)).toEqual([])
    expect(readFileSync(join(into, 'Sqrt/s1/op_kernel/b.h'), 'utf8')).toBe(host)
    // each costs what it names
    const limits = { bytes: 250_000, entries: 100, told: 2 }
    await expect(unpack(file, 'a', into, limits)).rejects.toThrow('unpacks to more than')

    // where nothing is there by the name, none
    await create({ file, cwd: root, onWriteEntry: (entry) => void (entry.linkpath &&= 'op_host/none.cpp') }, names)
    expect(said(await find(file))).toContain('/a.tar: Sqrt/s1/op_kernel/b.h: is no regular file')
  })

  test('tar: of two files of one name the last is kept, as it was appended', async () => {
    const file = join(root, 'a.tar')
    write('in/a.jsonl', line({ sample: 'first' }))
    await create({ file, cwd: root }, ['in/a.jsonl'])
    write('in/a.jsonl', line({ sample: 'second' }))
    await replace({ file, cwd: root }, ['in/a.jsonl'])
    expect(said(await find(file))).toEqual([
      '/a.tar: in/a.jsonl: is there more than once: the last is kept',
      'Sqrt/null/second: op_kernel/a.cpp op_host/a.cpp',
    ])
  })

  test('that ends too early is read as far as it goes', async () => {
    for (const name of ['first', 'second']) write(`in/${name}.jsonl`, line({ sample: name }))
    write('in/third.txt', 'x'.repeat(1 << 16))
    const file = join(root, 'a.tar')
    await create({ file, cwd: root }, ['in/first.jsonl', 'in/second.jsonl', 'in/third.txt'])
    truncateSync(file, 8192)
    expect(said(await find(file))).toEqual([
      '/a.tar: in/third.txt: is cut off',
      expect.stringMatching(/^\/a\.tar: cannot be unpacked to its end: /),
      'Sqrt/null/first: op_kernel/a.cpp op_host/a.cpp',
      'Sqrt/null/second: op_kernel/a.cpp op_host/a.cpp',
    ])
    const zip = write('b.zip', zipOf({ 'a.jsonl': line({}) }).subarray(0, -30))
    expect(said(await find(zip))).toEqual([expect.stringMatching(/^\/b\.zip: cannot be unpacked to its end: /)])
  })
})
