import type { FileCoverageData, Range } from 'istanbul-lib-coverage'
import { isReached } from '../evaluation/reached.ts'
import type { KernelCode, SourceBlock } from '../model/index.ts'

/** The code of an artifact, and which of its blocks were reached. */
export interface ReachedBlocks {
  code: KernelCode
  reached: string
}

interface Block extends SourceBlock {
  isReached: boolean
}

/**
 * What artifacts have reached, as istanbul's reports take it: a statement for each line with code, a function for each that was
 * compiled, and a branch for each line with several blocks. Nobody has counted how often: 1 stands for reached.
 */
export function istanbulData(all: readonly ReachedBlocks[]): FileCoverageData[] {
  const files = new Map<string, Map<string, Block>>()
  for (const { code, reached } of all) {
    const bits = Buffer.from(reached, 'base64')
    for (const [number, block] of code.blocks.entries()) {
      const path = code.files[block.file] ?? ''
      const blocks = files.get(path) ?? new Map<string, Block>()
      files.set(path, blocks)
      const { side, line, column, ordinal, lines } = block
      // artifacts that have a header in common have compiled the same blocks of it
      const key = `${side}:${line}:${column}:${ordinal}:${lines.join()}`
      const was = blocks.get(key)?.isReached ?? false
      blocks.set(key, { ...block, isReached: was || isReached(bits, number) })
    }
  }
  return [...files].map(([path, blocks]) => dataOf(path, [...blocks.values()]))
}

function dataOf(path: string, blocks: readonly Block[]): FileCoverageData {
  const data: FileCoverageData = { path, statementMap: {}, s: {}, fnMap: {}, f: {}, branchMap: {}, b: {} }
  const byLine = new Map<number, Block[]>()
  for (const block of blocks) for (const line of block.lines) byLine.set(line, [...(byLine.get(line) ?? []), block])
  for (const [line, here] of [...byLine].sort(([one], [other]) => one - other)) {
    data.statementMap[line] = wholeLine(line)
    data.s[line] = here.some((block) => block.isReached) ? 1 : 0
    if (here.length < 2) continue
    const locations = here.map((block) => (block.line === line ? from(block) : wholeLine(line)))
    data.branchMap[line] = { loc: wholeLine(line), type: 'branch', line, locations }
    data.b[line] = here.map((block) => (block.isReached ? 1 : 0))
  }
  for (const block of blocks) {
    const { entryOf: name, line, isReached: hit } = block
    if (name === undefined) continue
    // instances of a template are one function
    const key = `${line}:${name}`
    data.fnMap[key] ??= { name, decl: from(block), loc: wholeLine(line), line }
    data.f[key] = Math.max(data.f[key] ?? 0, hit ? 1 : 0)
  }
  return data
}

/** Reports end a range with the line that it ends in. */
const endOfLine = Number.MAX_SAFE_INTEGER

const wholeLine = (line: number): Range => ({ start: { line, column: 0 }, end: { line, column: endOfLine } })

/** Columns are counted from 1 by compilers, and from 0 by reports. */
const from = ({ line, column }: Block): Range => ({
  start: { line, column: Math.max(0, column - 1) },
  end: { line, column: endOfLine },
})
