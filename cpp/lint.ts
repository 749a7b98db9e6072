import { clangFormat } from './format.ts'
import { ask, findOneOf, findTool, forAll, type Answer } from './tools.ts'
import { headerUnits, sourceUnits, type Unit } from './units.ts'
import type { Compiler } from '../plugin/toolchain/compiler.ts'

const warnings = ['-Wall', '-Wextra']
const clangNames = ['clang++-16', 'clang++', ...[21, 20, 19, 18, 17].map((major) => `clang++-${major}`)]
const gccNames = ['g++-12', 'g++', ...[15, 14, 13].map((major) => `g++-${major}`)]

interface Check {
  name: string
  /** what it found, one text for each unit that has something; null: the tool is missing */
  run: () => Promise<string[] | null>
}

/** What goes wrong with the units, in their order. */
async function complaints(units: readonly Unit[], judge: (unit: Unit) => Promise<Answer>): Promise<string[]> {
  const found = new Map<Unit, string>()
  await forAll(units, async (unit) => {
    const { ok, text } = await judge(unit)
    if (!ok) found.set(unit, `${unit.name}\n${text}`)
  })
  return units.flatMap((unit) => found.get(unit) ?? [])
}

const compile = async (compiler: Compiler, units: readonly Unit[]): Promise<string[]> =>
  await complaints(
    units,
    async ({ args }) => await ask(compiler.path, [...warnings, '-Werror', '-fsyntax-only', ...args]),
  )

/** clang-tidy is told the same flags, and reports what the compiler warns of as well. */
const tidy = async (program: string, units: readonly Unit[]): Promise<string[]> =>
  await complaints(
    units,
    async ({ args }) => await ask(program, ['--quiet', args.at(-1)!, '--', ...args.slice(0, -1), ...warnings]),
  )

const checks: Check[] = [
  {
    name: 'clang-format',
    run: async () => {
      const answer = await clangFormat('--dry-run', '--Werror')
      return answer && (answer.ok ? [] : [answer.text])
    },
  },
  {
    name: 'g++ -Wall -Wextra',
    run: async () => {
      // the headers, which users compile; of the sources clang tells
      const compiler = await findOneOf(gccNames)
      return compiler ? await compile(compiler, headerUnits(compiler)) : null
    },
  },
  {
    name: 'clang++ -Wall -Wextra',
    run: async () => {
      const compiler = await findOneOf(clangNames)
      // where there is clang-tidy, it sees the sources
      if (!compiler) return null
      const sources = (await findTool('clang-tidy')) === undefined ? sourceUnits(compiler) : []
      return await compile(compiler, [...headerUnits(compiler), ...sources])
    },
  },
  {
    name: 'clang-tidy',
    run: async () => {
      const [program, compiler] = await Promise.all([findTool('clang-tidy'), findOneOf(clangNames)])
      return program === undefined || !compiler ? null : await tidy(program, sourceUnits(compiler))
    },
  },
]

/** Whether the emulator's C++ is free of warnings and formatted; prints what is not. Tools that are missing are told. */
export async function lintCpp(): Promise<boolean> {
  let clean = true
  for (const { name, run } of checks) {
    const started = Date.now()
    const found = await run()
    const seconds = ((Date.now() - started) / 1000).toFixed(1)
    if (found === null) process.stdout.write(`${name}: skipped, it is not installed\n`)
    else if (found.length === 0) process.stdout.write(`${name}: clean (${seconds} s)\n`)
    else process.stdout.write(`${found.join('\n\n')}\n${name}: ${found.length} failed (${seconds} s)\n`)
    clean &&= found === null || found.length === 0
  }
  return clean
}
