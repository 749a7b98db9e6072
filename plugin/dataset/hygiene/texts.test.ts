import { expect, test } from 'vitest'
import { partedText } from './texts.ts'

test('fenced code ends where as many marks begin a line', () => {
  const text = ['one', '````cpp', 'a', '```', '  ````', 'two', '<file path="x">', 'b', ' </file> ', 'three'].join('\n')
  expect(partedText(text)).toEqual({ prose: 'one\ntwo\nthree', code: 'a\n```\nb' })
})

test('a fence may be of any length', () => {
  const fence = '`'.repeat(200_000)
  expect(partedText(`${fence}\ncode\n${fence}\nprose`)).toEqual({ prose: 'prose', code: 'code' })
})
