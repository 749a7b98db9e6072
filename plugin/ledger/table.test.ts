import { expect, test } from 'vitest'
import { markdownText, renderText } from './table.ts'

test('one long name makes no long lines of all rows', () => {
  const rows = ['short', 'x'.repeat(1e6), `${'y'.repeat(198)}😀😀`].map((name) => [name, '1'])
  const [head = '', short, long, split] = renderText([{ title: '', header: ['task', 'n'], rows }]).split('\n')
  expect(head).toBe(`  ${'task'.padEnd(200)}   n`)
  expect(short).toBe(`  ${'short'.padEnd(200)}   1`)
  expect(long).toBe(`  ${'x'.repeat(199)}…   1`)
  expect(split).toBe(`  ${`${'y'.repeat(198)}…`.padEnd(200)}   1`)
})

test('no name is a link, whatever stands in front of it', () => {
  expect(markdownText('x_www.a.com a@.bcom a@-b.com')).toBe(String.raw`x\_www\.a.com a@<!-- -->.bcom a@<!-- -->-b.com`)
})

test('names are no links to issues', () => {
  expect(markdownText('#1 GH-1 a/gh-23 _GH-4 high-5 GH-x')).toBe(
    String.raw`\#<!-- -->1 GH-<!-- -->1 a/gh-<!-- -->23 \_GH-<!-- -->4 high-5 GH-x`,
  )
})
