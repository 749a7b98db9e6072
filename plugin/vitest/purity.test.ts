import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isPure } from './purity.ts'

describe('a module can ask for more than its imports say', () => {
  test.each([
    "import { readFileSync } from 'node:fs'",
    "import { readFile } from 'fs/promises'",
    "export * from 'node:child_process'",
    "export { env } from 'node:process'",
    "const fs = await import('node:fs')",
    "import fs = require('node:fs')",
    'const table = await import(name)',
    'const limit = process.env.LIMIT',
    'const limit = process?.env.LIMIT',
    "const limit = process['env']",
    'const { env } = process',
    'const { process: { env } } = globalThis',
    'const { env } = { ...process }',
    'const node = process',
    'const env = [process].map((node) => node.env)',
    'limitOf(process)',
    'const limitOf = (node = process) => node.env.LIMIT',
    'export { process }',
    'const now = Date.now()',
    'const now = new Date()',
    'const Clock = Date',
    'const { now } = Date',
    'const draw = () => Math.random()',
    "const draw = Math['random']",
    'const { random } = Math',
    'const { sqrt, ...rest } = Math',
    'const all = Math',
    'draw(Math)',
    'const path = new URL(import.meta.url)',
    "const answer = await fetch('http://localhost')",
    'const get = fetch',
    'const time = performance.now()',
    'const { now } = performance',
    "const limit = Function('return process')()",
    'const text = `${process.env.LIMIT}`',
    "const quote = /'/; const { env } = process // '",
    "declare const process: { env: Record<string, string | undefined> }\nconst scale = process.env['SCALE']",
    'export declare const process: { env: object }\nconst { env } = process',
    'declare function fetch(path: string): number\nconst scale = fetch(path)',
    'declare class Date {}\nconst now = new Date()',
    'interface Date { x: 1 }\nconst now = new Date()',
    'type Date = 1\nconst now = new Date()',
    'namespace process { export type Env = object }\nconst { env } = process',
    "import type { process } from './golden.ts'\nconst { env } = process",
    "import { type process } from './golden.ts'\nconst { env } = process",
    "import { vi } from 'vitest'",
    "import { vitest as mocks } from 'vitest'",
    "import { inject } from 'vitest'",
    "import * as runner from 'vitest'",
    "import runner from 'vitest'",
    "export * from 'vitest'",
    "export { vi } from 'vitest'",
    "const runner = await import('vitest')",
    "import { startVitest } from 'vitest/node'",
    "const fs = await vi.importActual('node:fs')",
    "import { readLedger } from 'vitest-npu/ledger'",
    "import * as fc from 'fast-check'\nconst scale = fc.sample(fc.nat(), 1)[0]",
    "import { sample } from 'fast-check'",
    "import fc from 'fast-check'\nconst { sample } = fc",
    "import fc from 'fast-check'\nconst draw = fc['sample']",
    "const time = new File([], '').lastModified",
    "const time = new Event('').timeStamp",
    'const place = new Error().stack',
    'const { stack } = new Error()',
    'const text = (1.5).toLocaleString()',
    'const data = module.require',
    'const later = setTimeout(() => {}, 1)',
    'const broken = (',
  ])('where it says %s', (code) => {
    expect(isPure('golden.ts', `${code}\n`)).toBe(false)
  })

  test('where it is neither code nor data', () => {
    expect(isPure('golden.vue', '<script></script>')).toBe(false)
  })
})

describe('a module asks for nothing more', () => {
  test.each([
    "import { join } from 'node:path'",
    "import { exact } from 'vitest-npu'",
    "import { describe, expect, test, type TestContext } from 'vitest'",
    "import type { TestContext } from 'vitest'",
    "import { process } from './golden.ts'\nconst rows = all.map(process)",
    'export const process = (x) => x // processes dates at random',
    'export function fetch(x) {}\nfetch(1)',
    "const later = await import('./more.ts')",
    "import * as fc from 'fast-check'\nconst domain = fc.record({ size: fc.integer({ min: 1 }) })",
    "import { operator } from 'vitest-npu/dsl'",
    'const rows = table.sample.map(({ check }) => check)',
    'const y = Math.sqrt(x) * Math.PI',
    'const y = values.map(Math.fround)',
    "const task = { category: 'Math', title: 'process a Date at random' }",
    '/** A Date of the process, by Math. */ const y = 1',
    'const sum = rows.process.Date.Math',
    'const fields = { process: 1, Date: 2 }',
    'const limit = (x: number): number => x satisfies number',
  ])('where it says %s', (code) => {
    expect(isPure('golden.ts', `${code}\n`)).toBe(true)
  })

  test('where it is data', () => {
    expect(isPure('table.json', '{ "process": "Date" }')).toBe(true)
  })
})

const root = fileURLToPath(new URL('../../', import.meta.url))

test.each(['tasks', 'references/golden'])('what the package has in %s asks for nothing more', (folder) => {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(root, folder, name))
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter((file) => !isPure(file, readFileSync(file, 'utf8')))).toEqual([])
})
