import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { blocksOf, dslExample, dslExamples, dslPage, dslReference } from '../../fixtures/dsl-pages.ts'
import { compileDsl, type Compiled } from './compile.ts'
import { explainMemory } from './explain.ts'
import { primitiveTable, vectorModule } from './language-text.ts'
import { mostTensors } from './lists.ts'
import { ubBytes } from './memory.ts'
import { mostColumns } from './operator.ts'

/** Blocks that no language is named for: what commands print. */
const printed = [...blocksOf(dslPage, ''), ...blocksOf(dslReference, '')]

function compiledOf(text: string): Compiled {
  const compiled = compileDsl('example.npu.ts', text)
  if (compiled.ok) return compiled
  throw new Error(compiled.message)
}

/** What the compiler says of a program with a mistake. */
const errorOf = (file: string, text: string, part: string, wrong: string): string => {
  expect(text).toContain(part)
  const compiled = compileDsl(file, text.replace(part, wrong))
  return compiled.ok ? '' : `${compiled.message}\n`
}

const first = dslExample('SoftsignCustom', 'blockDim: 1')

describe('the pages of the language', () => {
  test.each(dslExamples.map((text, i) => ({ i, text })))('have examples that compile: $i', ({ text }) => {
    expect(() => compiledOf(text)).not.toThrow()
  })

  test('teach on three pages', () => {
    expect(dslPage.replaceAll(/^```[^]*?^```$/gm, '').split(/\s+/).length).toBeLessThan(1500)
    expect(blocksOf(dslPage, 'ts').length).toBeGreaterThan(4)
  })

  test('have errors that the compiler gives', () => {
    const float = "const ys = buffer('float32', n)"
    expect(printed.filter((block) => /^\S+: error: /.test(block))).toEqual([
      errorOf('first.npu.ts', first, float, float.replace('float32', 'int32')),
      errorOf('first.npu.ts', first, '    copyIn(() => load(xs, x, 0, n))\n', ''),
      errorOf('mine.npu.ts', dslExample('Root'), 'cast(ys, wide, n)', 'sqrt(ys, wide, n)'),
    ])
  })

  test('name the line of a mistake that only a run shows', () => {
    const lines = dslExample('SoftsignCustom', 'fit(').split('\n')
    const line = lines.findIndex((each) => each.includes('load(xs, x, at, n)')) + 1
    expect(dslPage).toContain(`ErrorGmRead at tiled.npu.ts:${line}`)
  })

  test('have the table of memory that the command prints', () => {
    const given = { shapes: new Map([['x', [16, 16384]]]), attributes: new Map(), column: 0, cores: 48 }
    expect(printed).toContain(`${explainMemory(compiledOf(first), first, given)}\n`)
  })

  test('say how long a row of Softmax may be', () => {
    const softmax = dslExample('SoftmaxCustom')
    const [, limit = ''] = /rows of up to ([\d,]+) elements/.exec(dslPage) ?? []
    const longest = Number(limit.replace(',', ''))
    const explained = (D: number): string =>
      explainMemory(compiledOf(softmax), softmax, {
        shapes: new Map([['x', [4, D]]]),
        attributes: new Map(),
        column: 0,
        cores: 48,
      })
    expect(explained(longest)).not.toContain('refuses')
    expect(explained(longest + 1)).toContain('refuses')
  })

  test('tell the limits that there are', () => {
    expect(dslPage).toContain(`${ubBytes.toLocaleString('en')} bytes for buffers`)
    for (const limit of [ubBytes, mostTensors, mostColumns]) expect(dslReference).toContain(` | ${limit} |`)
  })

  test('list the primitives that there are', () => {
    expect(dslReference).toContain(`<!-- primitives -->\n\n${primitiveTable()}\n\n<!-- /primitives -->`)
  })
})

const words = (text: string): string[] => text.match(/\w+|'[^']*'/g) ?? []

test('editors know the primitives that there are', () => {
  const module = readFileSync(fileURLToPath(new URL('vector.ts', import.meta.url)), 'utf8')
  expect(words(module)).toEqual(words(vectorModule()))
})
