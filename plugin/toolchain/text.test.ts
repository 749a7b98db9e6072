import { expect, test } from 'vitest'
import { blankComments } from './text.ts'

test('a mark that is not closed in its line takes the rest of it, whatever seems to begin there', () => {
  for (const line of ["#define UNUSED it's /*", '#pragma unknown "never closed /*', String.raw`don't 'a' \' // x`]) {
    const text = `${line}\nint a; // b\n`
    expect(blankComments(text)).toBe(text.replace('// b', '    '))
  }
})

test('what is closed is one literal, and comments go on behind it', () => {
  expect(blankComments(`char a = '"'; /* b */ char c = '\\'';`)).toBe(`char a = '"';         char c = '\\'';`)
  expect(blankComments("int n = 1'000; /* b */")).toBe("int n = 1'000;        ")
})
