import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { compileDsl } from '../plugin/dsl/compile.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const textOf = (path: string): string => readFileSync(`${root}/${path}`, 'utf8')

const filesOf = (folder: string, ending: string): string[] =>
  readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => `${folder}/${path}`)
    .sort()

const programs = filesOf('references/dsl', '.npu.ts')
const specs = filesOf('tasks/multikernelbench', '.spec.ts')

describe('programs of the package', () => {
  test.each(programs)('%s compiles', (path) => {
    const compiled = compileDsl(path, textOf(path))
    expect(compiled.ok ? '' : compiled.message).toBe('')
    expect(compiled).toMatchObject({ program: { name: basename(path, '.npu.ts') } })
  })

  test('there is one for every task of MultiKernelBench', () => {
    const tasks = specs.map((path) => /kernelSuite\('(\w+)'/.exec(textOf(path))![1]!)
    expect(tasks).toHaveLength(52)
    expect(programs.map((path) => basename(path, '.npu.ts'))).toEqual(expect.arrayContaining(tasks))
  })
})
