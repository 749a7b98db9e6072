import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadTemplates, packagedPrompts, render } from './template.ts'

const filled = (text: string, facts: Record<string, string>): string => render({ file: 'own/task.md', text }, facts)

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

describe('a template', () => {
  test('is filled, and what it is filled with is not looked at again', () => {
    expect(filled('{{a}} and {{b}}, {{a}}\n', { a: '{{b}}', b: '$& $1' })).toBe('{{b}} and $& $1, {{b}}')
  })

  test('loses lines that have nothing to say, with the empty line behind them', () => {
    expect(filled('one\n\n{{none}}\n\ntwo\n\n{{none}}\n\n{{none}}\n\nthree\n\n{{none}}\n', { none: '' })).toBe(
      'one\n\ntwo\n\nthree',
    )
    expect(filled('one {{none}}.\n\n{{lines}}\n', { none: '', lines: 'a\n\n\n\nb' })).toBe('one .\n\na\n\n\n\nb')
  })

  test.each([
    ['a\n{{nobody}}', 'own/task.md:2: {{nobody}} is filled by nothing; places are {{a}}, {{b}}'],
    ['{{ a }}', 'own/task.md:1: {{ a }} is filled by nothing'],
    ['x {{a', 'own/task.md:1: {{a is filled by nothing'],
    ['{{}}', 'own/task.md:1: {{}} is filled by nothing'],
    ['{{constructor}}', 'own/task.md:1: {{constructor}} is filled by nothing'],
  ])('with a place that nothing fills is refused: %j', (text, message) => {
    expect(() => filled(text, { a: '1', b: '2' })).toThrow(message)
  })
})

test('line ends of Windows are line ends, and other files of a folder are nobody’s business', () => {
  const folder = mkdtempSync(join(tmpdir(), 'npu-template-test-'))
  writeFileSync(join(folder, 'rules.md'), 'one\r\n\r\n{{kernel}}\r\n')
  writeFileSync(join(folder, 'notes.txt'), 'x')
  expect(render(loadTemplates(folder).of('rules'), { kernel: '' })).toBe('one')
  rmSync(folder, { recursive: true })
})

test('the document names every template and each of its places', () => {
  const document = read('../../docs/prompts.md')
  for (const file of readdirSync(packagedPrompts)) {
    const row = document.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${file}\``))
    expect(row, file).toBeDefined()
    const text = readFileSync(join(packagedPrompts, file), 'utf8')
    for (const [, place] of text.matchAll(/\{\{(\w+)\}\}/g)) expect(row, `${file}: ${place}`).toContain(`\`${place}\``)
  }
})

test('the example of the document is what is rendered', () => {
  const [, example = ''] = /```\n(Write the operator[^]*?)\n```/.exec(read('../../docs/prompts.md')) ?? []
  const rendered = read('__snapshots__/RmsNorm-full-dynamic.md')
  const parts = example.split('\n...\n')
  expect(parts).toHaveLength(2)
  for (const part of parts) expect(rendered).toContain(part)
})
