import { describe, expect, test } from 'vitest'
import { compileDsl } from './compile.ts'
import { rejected, rightProgram } from './rejected.ts'

test('the program that cases are made of is right', () => {
  expect(compileDsl('example.npu.ts', rightProgram)).toMatchObject({ ok: true })
})

describe.each(rejected)('$name', ({ part, wrong, right }) => {
  test('is refused, with place and remedy', () => {
    expect(rightProgram).toContain(part)
    const compiled = compileDsl('example.npu.ts', rightProgram.replace(part, wrong))
    expect(compiled.ok).toBe(false)
    expect(compiled.ok ? '' : compiled.message).toMatchSnapshot()
  })

  test('has a legal twin', () => {
    const compiled = compileDsl('example.npu.ts', rightProgram.replace(part, right))
    expect(compiled.ok ? '' : compiled.message).toBe('')
  })
})
