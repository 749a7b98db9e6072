import { join, relative } from 'node:path'
import type { ConfinementLayer } from '../model/index.ts'
import type { EmulatorArtifact } from '../toolchain/artifact.ts'
import type { Compiler } from '../toolchain/compiler.ts'
import { runConfined, toolFolders } from '../toolchain/confinement.ts'

export interface SourceLocation {
  /** absolute, below a folder of the candidate */
  file: string
  line: number
}

export interface Symbolizer {
  compiler: Compiler
  confine: string
  allowMissing: readonly ConfinementLayer[]
}

/** `path:line`, as addr2line prints it; a question mark or 0 stands for unknown. */
const place = /^(?<file>\/.*):(?<line>\d+)(?: \(discriminator \d+\))?$/

/**
 * Source places of return addresses (offsets in `library`), innermost inlined call first; an empty list where there is
 * none; null where the reader did not come to its end. The debug information is a candidate's work, so the reader runs confined.
 */
export async function symbolize(
  tool: Symbolizer,
  library: string,
  offsets: readonly number[],
): Promise<SourceLocation[][] | null> {
  // a return address belongs to the instruction before it
  const addresses = offsets.map((offset) => `0x${Math.max(0, offset - 1).toString(16)}`)
  const done = await runConfined(['addr2line', '-a', '-i', '-e', library, ...addresses], {
    program: tool.confine,
    allowMissing: tool.allowMissing,
    writable: null,
    readable: [...toolFolders(tool.compiler), library],
    memoryMiB: 2048,
    fileMiB: 0,
    timeoutMs: 20_000,
  })
  if (done.exitCode !== 0) return null
  const blocks = done.stdout.split(/^0x[0-9a-f]+$/m).slice(1)
  return offsets.map((_, index) => {
    const lines = (blocks[index] ?? '').split('\n')
    return lines.flatMap((line) => {
      const groups = place.exec(line)?.groups
      return groups ? [{ file: groups['file'] ?? '', line: Number(groups['line']) }] : []
    })
  })
}

/** The place on disk of a file that debug information names by a mark, or null when it is not the candidate's. */
export function candidateFile(artifact: Pick<EmulatorArtifact, 'trees'>, file: string): string | null {
  for (const { mark, root } of artifact.trees) {
    const inside = relative(mark, file)
    if (!inside.startsWith('..') && inside !== '') return join(root, inside)
  }
  return null
}
