import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findCompiler } from './compiler.ts'
import { loadedContent } from './loaded-content.ts'

let folder: string
let compiler: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'machine-code-'))
  compiler = (await findCompiler()).path
})
afterAll(() => rmSync(folder, { recursive: true }))

function library(name: string, body: string): string {
  const [source, file] = [join(folder, 'source.cpp'), join(folder, `${name}.so`)]
  writeFileSync(
    source,
    `template <bool MORE> int work(int x) {\n  if constexpr (MORE)\n${body}\n  return x;\n}\nint entry(int x) { return work<false>(x); }\n`,
  )
  execFileSync(compiler, [
    '-std=c++17',
    '-shared',
    '-fPIC',
    '-g1',
    '-gdwarf-4',
    '-Wl,--build-id=none',
    '-o',
    file,
    source,
  ])
  return file
}

test('tells an edit that reaches the machine code from one in a branch that is left out', () => {
  const original = loadedContent(library('original', '    x += 1;'))
  expect(loadedContent(library('left_out', '      x += 1 + 2;'))).toBe(original)
  expect(loadedContent(library('compiled', '    ;\n  x += 1;'))).not.toBe(original)
})
