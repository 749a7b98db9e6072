import { describe, expect, test } from 'vitest'
import { compileDsl } from './compile.ts'
import { rejectedLists, rightListProgram } from './rejected-lists.ts'
import { rejected, rightProgram } from './rejected.ts'

test.each([rightProgram, rightListProgram])('a program that cases are made of is right', (program) => {
  expect(compileDsl('example.npu.ts', program)).toMatchObject({ ok: true })
})

const cases = [
  ...rejected.map((each) => ({ ...each, program: rightProgram })),
  ...rejectedLists.map((each) => ({ ...each, program: rightListProgram })),
]

describe.each(cases)('$name', ({ part, wrong, right, program }) => {
  test('is refused, with place and remedy', () => {
    expect(program).toContain(part)
    const compiled = compileDsl('example.npu.ts', program.replace(part, wrong))
    expect(compiled.ok).toBe(false)
    expect(compiled.ok ? '' : compiled.message).toMatchSnapshot()
  })

  test('has a legal twin', () => {
    const compiled = compileDsl('example.npu.ts', program.replace(part, right))
    expect(compiled.ok ? '' : compiled.message).toBe('')
  })
})
