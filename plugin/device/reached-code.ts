import { dirname } from 'node:path'
import type { CodeSide, KernelCode, SourceBlock } from '../model/index.ts'
import { librariesOf, type EmulatorArtifact } from '../toolchain/artifact.ts'
import { loadBlocks, type CodeBlock } from '../toolchain/code-blocks.ts'
import { candidateFile } from './symbolize.ts'

/** What the process of a library has told to have reached of it. */
export interface ToldBlocks {
  /** null: none was loaded */
  library: string | null
  reached: string
}

interface PlacedBlock {
  side: CodeSide
  path: string
  at: CodeBlock
}

/**
 * The blocks of all libraries of an artifact by where they are written: what several libraries or instances of a template have
 * of the same source is one block. Code that kernel and host part have in common is compiled for each.
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
    const variants = [...artifact.kernels.values()].filter((each) => each.supported)
    const kernels = [...new Set(variants.flatMap(librariesOf))].filter((library) => library !== null)
    const libraries = [
      ...kernels.map((library) => ({ side: 'kernel', library }) as const),
      { side: 'host', library: artifact.host } as const,
    ]
    // a cache that is damaged there costs the coverage and no verdict
    const loaded = await Promise.all(
      libraries.map(async (each) => ({ ...each, ...(await loadBlocks(dirname(each.library))) })),
    ).catch(() => [])
    const merged = new Map<string, PlacedBlock>()
    for (const { side, files, blocks } of loaded)
      for (const at of blocks) {
        const block = { side, path: files[at.file] ?? '', at }
        merged.set(keyOf(block), block)
      }
    // builds that end in another order number them alike
    const ordered = [...merged].sort(([, one], [, other]) => compare(one, other))
    const paths = [...new Set(ordered.map(([, { path }]) => path))]
    const placeOf = new Map(paths.map((path, place) => [path, place]))
    const built = [...new Set(variants.flatMap(({ tilingKeys }) => [...tilingKeys]))]
    // a kernel that asks for none is built for 0
    const keys = built.every((key) => key === '0') ? [] : built
    // one library may say more of a key than another
    const described = loaded.flatMap(({ tilingKeys }) => tilingKeys).filter(({ fields }) => fields !== undefined)
    const byKey = new Map(described.map((each) => [each.key, each]))
    const code: KernelCode = {
      files: paths.map((path) => candidateFile(artifact, path) ?? path),
      blocks: ordered.map(([, block]) => sourceBlock(block, placeOf.get(block.path) ?? -1)),
      tilingKeys: keys.map((key) => byKey.get(key) ?? { key }).sort((a, b) => Number(BigInt(a.key) - BigInt(b.key))),
    }
    const numberOf = new Map(ordered.map(([key], number) => [key, number]))
    const numbers = new Map(
      loaded.map(({ side, library, files, blocks }) => [
        library,
        new Map(
          blocks.map((at) => [at.offset, numberOf.get(keyOf({ side, path: files[at.file] ?? '', at })) ?? 0] as const),
        ),
      ]),
    )
    return new ReachedCode(code, numbers)
  }

  /** What processes have told, as bits of all blocks. Places where no block begins are none of the candidate's code. */
  bitsOf(all: readonly ToldBlocks[]): string {
    const bits = Buffer.alloc(Math.ceil(this.code.blocks.length / 8))
    for (const { library, reached } of all) {
      const numbers = this.#numbers.get(library ?? '')
      if (!numbers) continue
      for (const offset of sumsOf(Buffer.from(reached, 'base64'))) {
        const number = numbers.get(offset)
        if (number !== undefined) bits[number >> 3] = (bits[number >> 3] ?? 0) | (1 << (number & 7))
      }
    }
    return bits.toString('base64')
  }
}

const sourceBlock = ({ side, at }: PlacedBlock, file: number): SourceBlock => {
  const { line, column, ordinal, lines, entryOf } = at
  return { side, file, line, column, ordinal, lines, ...(entryOf !== undefined && { entryOf }) }
}

/** Instances of a template that go on otherwise, by `if constexpr`, are different code. */
const keyOf = ({ side, path, at: { line, column, ordinal, lines } }: PlacedBlock): string =>
  `${side}:${line}:${column}:${ordinal}:${lines.join()}:${path}`

function compare(one: PlacedBlock, other: PlacedBlock): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1
  const [a, b] = [one.at, other.at]
  const byPlace = a.line - b.line || a.column - b.column || a.ordinal - b.ordinal
  if (byPlace !== 0) return byPlace
  const [key, otherKey] = [keyOf(one), keyOf(other)]
  return key < otherKey ? -1 : key > otherKey ? 1 : 0
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
