import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { compileDsl } from './compile.ts'
import { primitiveTable, vectorModule } from './language-text.ts'

const textOf = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

const page = textOf('docs/dsl.md')
const examples = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, text]) => text!)

describe('the page of the language', () => {
  test.each(examples.map((text, i) => ({ i, text })))('has examples that compile: $i', ({ text }) => {
    const compiled = compileDsl('example.npu.ts', text)
    expect(compiled.ok ? '' : compiled.message).toBe('')
  })

  test('has examples', () => expect(examples.length).toBeGreaterThan(2))

  test('lists the primitives that there are', () => {
    expect(page).toContain(`<!-- primitives -->\n\n${primitiveTable()}\n\n<!-- /primitives -->`)
  })
})

const words = (text: string): string[] => text.match(/\w+|'[^']*'/g) ?? []

test('editors know the primitives that there are', () => {
  expect(words(textOf('plugin/dsl/vector.ts'))).toEqual(words(vectorModule()))
})
