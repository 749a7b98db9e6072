import { basename } from 'node:path'
import { compileDsl } from './compile.ts'
import { placeOf, type Problem } from './problem.ts'

// What the compiler says of a program, in editors: a plugin that ESLint and oxlint both load. It is one rule, so that nothing
// is said twice, and the editor says what `vitest-npu compile` says.

/** A place as ESLint counts: lines from 1, columns from 0. */
interface Place {
  readonly line: number
  readonly column: number
}

/** What the rule uses of the context that a linter gives it. */
interface Context {
  readonly filename: string
  readonly sourceCode: { readonly text: string }
  readonly report: (descriptor: { message: string; loc: { start: Place; end: Place } }) => void
}

const placeIn = (text: string, position: number): Place => {
  const { line, column } = placeOf(text, Math.min(position, text.length))
  return { line, column: column - 1 }
}

const messageOf = ({ message, hint }: Problem): string => (hint === undefined ? message : `${message}: ${hint}`)

const program = {
  meta: {
    type: 'problem',
    docs: { description: 'what the compiler of the DSL refuses' },
    schema: [],
  },
  create({ filename, sourceCode: { text }, report }: Context) {
    if (!filename.endsWith('.npu.ts')) return {}
    return {
      Program() {
        const compiled = compileDsl(basename(filename), text)
        if (compiled.ok) return
        for (const problem of compiled.problems) {
          const { start, end } = problem.span
          report({ message: messageOf(problem), loc: { start: placeIn(text, start), end: placeIn(text, end) } })
        }
      },
    }
  },
}

/** The compiler reads the text itself: linters that know no TypeScript need not. */
const parser = {
  meta: { name: 'vitest-npu/whole-text' },
  parse: (text: string) => ({
    type: 'Program',
    sourceType: 'module',
    body: [],
    tokens: [],
    comments: [],
    range: [0, text.length],
    loc: { start: { line: 1, column: 0 }, end: placeIn(text, text.length) },
  }),
}

const rules = { program }
const meta = { name: 'vitest-npu' }
const files = ['**/*.npu.ts']

/** A plugin for oxlint (`jsPlugins`) and ESLint; `configs.recommended` is all that a flat config needs. */
export default {
  meta,
  rules,
  configs: {
    recommended: {
      name: 'vitest-npu/recommended',
      files,
      plugins: { 'vitest-npu': { meta, rules } },
      languageOptions: { parser },
      rules: { 'vitest-npu/program': 'error' },
    },
  },
}
