import { describe, expect, test } from 'vitest'
import { compileDsl } from './compile.ts'
import { rejectedLists, rightListProgram } from './rejected-lists.ts'
import { rejectedProducts, rightProductProgram } from './rejected-product.ts'
import { rejected, rightProgram } from './rejected.ts'
import { rejectedWide, rightWideProgram } from './rejected-wide.ts'

test.each([rightProgram, rightListProgram, rightWideProgram, rightProductProgram])(
  'the program that cases are made of is right',
  (program) => {
    const compiled = compileDsl('example.npu.ts', program)
    expect(compiled.ok ? '' : compiled.message).toBe('')
  },
)

const cases = [
  ...rejected.map((each) => ({ ...each, program: rightProgram })),
  ...rejectedLists.map((each) => ({ ...each, program: rightListProgram })),
  ...rejectedWide.map((each) => ({ ...each, program: rightWideProgram })),
  ...rejectedProducts.map((each) => ({ ...each, program: rightProductProgram })),
]

describe.each(cases)('$name', ({ program, part, wrong, right }) => {
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
