import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exitCodes } from '../plugin/model/exit-code.ts'
import { findCompiler } from '../plugin/toolchain/compiler.ts'
import { Project } from './project.ts'

const source = fileURLToPath(new URL('../fixtures/without_call.cpp', import.meta.url))

let project: Project
let withoutCall: string

beforeAll(async () => {
  project = new Project()
  withoutCall = join(project.folder, 'without-call')
  execFileSync((await findCompiler()).path, ['-std=c++17', source, '-o', withoutCall])
  project.operator('Right')
})
afterAll(() => project.remove())

/** Numbers of x86-64. */
const calls = { landlock: '444', seccomp: '317' }

describe.runIf(process.arch === 'x64').each(['landlock', 'seccomp'] as const)('a machine without %s', (layer) => {
  const through = (): string[] => [withoutCall, calls[layer]]
  const refusal = new RegExp(
    `^npu: this machine has no ${layer}, without which no candidate is run: [^\\n]*allowWeakConfinement: \\['${layer}'\\] [^\\n]*$`,
    'gm',
  )

  test('judges nothing, and says in one line why', async () => {
    project.config('{ fuzzRuns: 2 }')
    const { exitCode, text } = await project.run({ through: through() })
    expect(exitCode, text).toBe(exitCodes.infrastructure)
    expect(text.match(refusal), text).toHaveLength(1)
    // none at all where the headers had to be compiled first: no case has begun then
    expect(project.kinds('Right').filter((kind) => kind !== 'infrastructure')).toEqual([])
  })

  test('judges where whoever runs it does without, which the ledger says', async () => {
    project.config(`{ fuzzRuns: 2, allowWeakConfinement: ['${layer}'] }`)
    const { exitCode, text } = await project.run({ through: through() })
    expect(exitCode, text).toBe(0)
    expect(project.kinds('Right')).toEqual(['correct'])
    for (const { confinement } of project.ledger()) expect(confinement).toEqual({ missing: [layer] })
    expect(text).toContain(`candidates run without ${layer}`)
  })
})
