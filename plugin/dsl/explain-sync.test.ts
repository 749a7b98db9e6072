import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileDsl } from './compile.ts'
import { explainSync } from './explain-sync.ts'

const page = readFileSync(new URL('../../docs/dsl.md', import.meta.url), 'utf8')
const example = (name: string): string =>
  [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, text]) => text!).find((each) => each.includes(`name: '${name}'`)) ??
  ''

function explained(name: string): string {
  const compiled = compileDsl('example.npu.ts', example(name))
  return compiled.ok ? explainSync(compiled, example(name)) : compiled.message
}

test('every flag and barrier that the compiler inserts is told, with its line and its cycles', () => {
  expect(explained('Root')).toMatchSnapshot()
  expect(explained('MeanOfRows')).toMatchSnapshot()
})

test('there are as many flags as the kernel has calls of queues', () => {
  const compiled = compileDsl('example.npu.ts', example('MeanOfRows'))
  const kernel = compiled.ok ? compiled.files.at(-1)!.content : ''
  for (const call of ['AllocTensor', 'EnQue', 'DeQue', 'FreeTensor'])
    expect(explained('MeanOfRows').split(` ${call} `).length, call).toBe(
      kernel.split(new RegExp(`\\.(?:template )?${call}\\b`)).length,
    )
})
