import { expect, test } from 'vitest'
import { terminalPicture } from './terminal-picture.ts'

const texts = (svg: string): string[] => [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([all]) => all)

test('colours, weight and place are those of the terminal', () => {
  const [one, two] = texts(terminalPicture('ab\u001B[1m\u001B[31mcd\u001B[39m\u001B[22m'))
  expect(one).toMatch(/ x="16\.0" .* fill="#e6edf3">ab</)
  expect(two).toMatch(/ x="31\.6" .* fill="#ff7b72" font-weight="bold">cd</)
})

test('nothing of a text is markup, and long lines are broken', () => {
  const svg = terminalPicture('<b>&amp;\n0123456789', 8)
  expect(texts(svg).map((text) => />([^<]*)</.exec(text)?.[1])).toEqual(['&lt;b&gt;&amp;amp;', '01234567', '89'])
  expect(svg).toContain('height="86"')
})
