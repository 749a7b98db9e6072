import { expect, test } from 'vitest'
import { dslExample } from '../../fixtures/dsl-pages.ts'
import { compileDsl } from './compile.ts'
import { explainSync } from './explain-sync.ts'

function explained(name: string): string {
  const compiled = compileDsl('example.npu.ts', dslExample(name))
  return compiled.ok ? explainSync(compiled, dslExample(name)) : compiled.message
}

test('every flag and barrier that the compiler inserts is told, with its line and its cycles', () => {
  expect(explained('Root')).toMatchSnapshot()
  expect(explained('MeanOfRows')).toMatchSnapshot()
})

test('there are as many flags as the kernel has calls of queues', () => {
  const compiled = compileDsl('example.npu.ts', dslExample('MeanOfRows'))
  const kernel = compiled.ok ? compiled.files.at(-1)!.content : ''
  for (const call of ['AllocTensor', 'EnQue', 'DeQue', 'FreeTensor'])
    expect(explained('MeanOfRows').split(` ${call} `).length, call).toBe(
      kernel.split(new RegExp(`\\.(?:template )?${call}\\b`)).length,
    )
})
