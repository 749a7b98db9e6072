import { dirname } from 'node:path'
import type { KernelCode, SourceBlock } from '../model/index.ts'
import type { EmulatorArtifact } from '../toolchain/artifact.ts'
import { loadBlocks, type CodeBlock } from '../toolchain/code-blocks.ts'
import type { LaunchAnswer } from '../runner/protocol.ts'
import { candidateFile } from './symbolize.ts'

type Libraries = Record<'aiv' | 'aic', string | null>

/**
 * The blocks of all libraries of an artifact by where they are written: what several libraries or instances of a template have
 * of the same source is one block.
 */
export class ReachedCode {
  readonly code: KernelCode
  /** numbers of blocks by their offset, by library */
  readonly #numbers: ReadonlyMap<string, ReadonlyMap<number, number>>

  private constructor(code: KernelCode, numbers: ReadonlyMap<string, ReadonlyMap<number, number>>) {
    this.code = code
    this.#numbers = numbers
  }

  /** Reads what the builds of the libraries have kept. */
  static async of(artifact: EmulatorArtifact): Promise<ReachedCode> {
    const variants = [...artifact.kernels.values()].flatMap((each) => (each.supported ? [each.aiv, each.aic] : []))
    const libraries = [...new Set(variants)].filter((library) => library !== null)
    // a cache that is damaged there costs the coverage and no verdict
    const loaded = await Promise.all(
      libraries.map(async (library) => ({ library, ...(await loadBlocks(dirname(library))) })),
    ).catch(() => [])
    const merged = new Map<string, { path: string; at: CodeBlock }>()
    for (const { files, blocks } of loaded)
      for (const block of blocks) {
        const path = files[block.file] ?? ''
        merged.set(keyOf(path, block), { path, at: block })
      }
    // builds that end in another order number them alike
    const ordered = [...merged].sort(([, one], [, other]) => compare(one, other))
    const paths = [...new Set(ordered.map(([, { path }]) => path))]
    const code: KernelCode = {
      files: paths.map((path) => candidateFile(artifact, path) ?? path),
      blocks: ordered.map(([, { path, at }]) => sourceBlock(at, paths.indexOf(path))),
      tilingKeys: [...new Set(loaded.flatMap(({ tilingKeys }) => tilingKeys))].sort((a, b) =>
        Number(BigInt(a) - BigInt(b)),
      ),
    }
    const numberOf = new Map(ordered.map(([key], number) => [key, number]))
    const numbers = new Map(
      loaded.map(({ library, files, blocks }) => [
        library,
        new Map(
          blocks.map((block) => [block.offset, numberOf.get(keyOf(files[block.file] ?? '', block)) ?? 0] as const),
        ),
      ]),
    )
    return new ReachedCode(code, numbers)
  }

  /** What a launch has told, as bits of all blocks. Places where no block begins are none of the kernel's code. */
  bitsOf(libraries: Libraries, told: LaunchAnswer['reached']): string {
    const bits = Buffer.alloc(Math.ceil(this.code.blocks.length / 8))
    for (const kind of ['aiv', 'aic'] as const) {
      const numbers = this.#numbers.get(libraries[kind] ?? '')
      if (!numbers) continue
      for (const offset of sumsOf(Buffer.from(told[kind], 'base64'))) {
        const number = numbers.get(offset)
        if (number !== undefined) bits[number >> 3] = (bits[number >> 3] ?? 0) | (1 << (number & 7))
      }
    }
    return bits.toString('base64')
  }
}

const sourceBlock = ({ line, column, ordinal, lines, entryOf }: CodeBlock, file: number): SourceBlock => ({
  file,
  line,
  column,
  ordinal,
  lines,
  ...(entryOf !== undefined && { entryOf }),
})

/** Instances of a template that go on otherwise, by `if constexpr`, are different code. */
const keyOf = (path: string, { line, column, ordinal, lines }: CodeBlock): string =>
  `${line}:${column}:${ordinal}:${lines.join()}:${path}`

function compare(one: { path: string; at: CodeBlock }, other: { path: string; at: CodeBlock }): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1
  const [a, b] = [one.at, other.at]
  return a.line - b.line || a.column - b.column || a.ordinal - b.ordinal || (a.lines.join() < b.lines.join() ? -1 : 1)
}

/** Numbers that are told as the steps between them, each in LEB128. */
function* sumsOf(steps: Uint8Array): Generator<number> {
  let [sum, step, scale] = [0, 0, 1]
  for (const byte of steps) {
    step += (byte & 127) * scale
    scale *= 128
    if (byte >= 128) continue
    sum += step
    yield sum
    ;[step, scale] = [0, 1]
  }
}
