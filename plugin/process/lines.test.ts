import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { onLines } from './lines.ts'

/** What arrives in pieces, as lines. */
function linesOf(...pieces: string[]): string[] {
  const stream = new PassThrough()
  const lines: string[] = []
  onLines(stream, (line) => lines.push(line))
  for (const piece of pieces) stream.emit('data', piece)
  return lines
}

test('lines come whole, however they arrive', () => {
  expect(linesOf('a', 'b\nc', '', 'd\n\ne\nf')).toEqual(['ab', 'cd', '', 'e'])
})

test('nothing but a line feed ends a line', () => {
  const text = 'a\rb\u0085c\u2028d\u2029e\u000bf'
  expect(linesOf(`${text}\n`)).toEqual([text])
})

test('a character may arrive in two pieces', async () => {
  const stream = new PassThrough()
  const lines: string[] = []
  onLines(stream, (line) => lines.push(line))
  const bytes = Buffer.from('ü\n')
  stream.write(bytes.subarray(0, 1))
  stream.end(bytes.subarray(1))
  await new Promise((resolve) => stream.on('end', resolve))
  expect(lines).toEqual(['ü'])
})
