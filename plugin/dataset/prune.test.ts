import type { ProjectFile } from '../model/index.ts'
import { describe, expect, test } from 'vitest'
import { prunedFiles } from './prune.ts'

const path = 'op_host/sum.cpp'

/** A source in which lines that end in `// +` were reached, in `// -` not, and the others have no code. */
function pruned(text: string, branchesIn: readonly string[] = ['op_host']): string {
  const lines = text.split('\n')
  const ending = (mark: string): Set<number> =>
    new Set(lines.flatMap((line, i) => (line.endsWith(`// ${mark}`) ? [i + 1] : [])))
  const reached = ending('+')
  const code = new Set([...reached, ...ending('-')])
  const [file] = prunedFiles([{ path, content: text }], () => ({ code, reached }), { branchesIn })
  return file!.content.replaceAll(/ +\/\/ [-+]/g, '')
}

const body = (text: string): string => `int Tile(int rows) {\n${text}}\nOP_ADD(Tile);\n`
const named = (text: string): string => pruned(body(text)).split('\n').slice(1, -3).join('\n')

/** Without what nothing names. */
const shaken = (files: readonly ProjectFile[]): ProjectFile[] => prunedFiles(files, () => undefined, { branchesIn: [] })

describe('of branches', () => {
  test('what was not taken goes, and its condition with it', () => {
    expect(named('  if (rows > 4) {\n    rows = 4;  // -\n  }\n  Use(rows);  // +\n')).toBe('  Use(rows);')
  })

  test('what was taken stays in its braces, or without them where it was the only way', () => {
    const text = '  if (rows > 4) {\n    First(rows);  // +\n  } else {\n    Other(rows);  // -\n  }\n'
    expect(named(text)).toBe('  if (rows > 4) {\n    First(rows);\n  }')
    const other = '  if (rows > 4) {\n    First(rows);  // -\n  } else {\n    Other(rows);  // +\n  }\n'
    expect(named(other)).toBe('  Other(rows);')
  })

  test('a condition that does something is done all the same', () => {
    const text = '  if (SetUp(rows) != OK || rows < 0) {\n    return FAILED;  // -\n  }\n'
    expect(named(text)).toBe('  SetUp(rows);')
    const counting = '  if (rows++ > 4) {\n    return FAILED;  // -\n  }\n'
    expect(named(counting)).toBe(counting.trimEnd().replace('  // -', ''))
  })

  test('branches without braces, and those whose lines have no code, stay', () => {
    const bare = '  if (rows > 4) rows = 4;  // -\n'
    expect(named(bare)).toBe('  if (rows > 4) rows = 4;')
    const wide = '  if (rows > 4)\n    rows = Most(rows,\n                4,  // -\n                5);\n'
    expect(named(wide)).toContain('if (rows > 4)')
    expect(named('  if (rows > 4) {\n    constexpr int MOST = 4;\n  }\n')).toContain('if (rows > 4)')
  })

  test('loops that were never entered go, and lines of a switch that were not taken', () => {
    expect(named('  for (int i = 0; i < rows; i++) {\n    Use(i);  // -\n  }\n  Use(rows);  // +\n')).toBe(
      '  Use(rows);',
    )
    const text = '  switch (rows) {\n    case 1: return A;  // -\n    case 2: return B;  // +\n  }\n'
    expect(named(text)).toBe('  switch (rows) {\n    case 2: return B;\n  }')
  })

  test('none goes in files that they may not be taken out of', () => {
    const text = body('  if (rows > 4) {\n    rows = 4;  // -\n  }\n')
    expect(pruned(text, ['op_kernel'])).toBe(text.replaceAll('  // -', ''))
  })
})

describe('of declarations', () => {
  test('those that nothing names go, with the comments above them, through all files', () => {
    const header = `#pragma once
// what the operator is

// of nobody
int Unused() { return 1; }
int Used() { return 2; }
`
    const files = shaken([
      { path: 'op_host/sum.h', content: header },
      { path, content: '#include "sum.h"\nOP_ADD(Used);\n' },
    ])
    expect(files.map(({ content }) => content)).toEqual([
      '#pragma once\n// what the operator is\n\nint Used() { return 2; }\n',
      '#include "sum.h"\nOP_ADD(Used);\n',
    ])
  })

  test('what a macro names stays', () => {
    const content = '#define CALL() Named()\nint Named() { return 1; }\nint Other() { return 1; }\n'
    const [file] = shaken([{ path, content }])
    expect(file?.content).toBe('#define CALL() Named()\nint Named() { return 1; }\n')
  })

  test('a header that holds nothing any more gives way to its own includes', () => {
    const files = shaken([
      { path: 'op_host/sum.h', content: '#include <algorithm>\nint Unused() { return 1; }\n' },
      { path, content: '#include "sum.h"\nOP_ADD(Sum);\n' },
    ])
    expect(files).toEqual([{ path, content: '#include <algorithm>\nOP_ADD(Sum);\n' }])
  })
})
