import { expect, test } from 'vitest'
import { Redactor } from './redact.ts'

const key = 'sk-0123456789abcdef'
const redactor = new Redactor([key])

test.each(['', 'B', 'Be', 'Bearer ', 'key: '])('a key behind %j is in no text, nor in base64', (before) => {
  for (const after of ['', '\n', '!!', ' and more']) {
    const text = `${before}${key}${after}`
    for (const said of [text, Buffer.from(text).toString('base64'), JSON.stringify({ text })]) {
      const cleaned = redactor.clean(`<${said}>`)
      expect(cleaned).toContain('***')
      // what is left of it is not half of the key
      expect(Buffer.from(cleaned.replaceAll(/[<>*]/g, ''), 'base64').toString('latin1')).not.toContain('56789')
      expect(cleaned).not.toContain('56789')
    }
  }
})

test('what is no key stays', () => {
  expect(redactor.clean('sk-0123 and c2stMDEyMw==')).toBe('sk-0123 and c2stMDEyMw==')
})
