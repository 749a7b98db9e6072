import { deflateRawSync } from 'node:zlib'
import { groupedBy, neutralValue } from '../model/index.ts'

/** Bytes that a page may hold of packed sources and of packed timelines: a browser opens it, and a mail may carry it. */
export const pageBytes = { sources: 16 << 20, timelines: 4 << 20 } as const

/** Characters of JSON that are packed together: what a page unpacks to show one sample is about as much. */
const blockCharacters = 1 << 19

/** A value as the page reads it: JSON, deflated, in base64, which nothing in it can end. */
export const packed = (value: unknown): string => packedText(JSON.stringify(value))

const packedText = (text: string): string => deflateRawSync(text, { level: 9 }).toString('base64')

/** Something of a sample that the page may show: several samples may have the same. */
export interface Wanted {
  task: number
  /** names it */
  hash: string
  /** goes before others where room is scarce */
  urgent: boolean
}

/** What was packed: texts of blocks, each of which is a record by hash. */
export interface PackedBlocks {
  blocks: string[]
  /** the block of each hash */
  blockOf: ReadonlyMap<string, number>
  /** samples that have something recorded that is not there */
  leftOut: number
}

/**
 * Packs what samples have in blocks, task by task, among which the room is shared out. One block at a time is in memory. Throws what
 * `read` throws; undefined is what was not recorded.
 */
export function packBlocks(
  wanted: readonly Wanted[],
  read: (hash: string) => unknown,
  limit: number,
  characters = blockCharacters,
): PackedBlocks {
  const packing = new Packing(characters)
  const tasks = [...groupedBy(wanted, ({ task }) => task).values()]
  const recorded = new Set<string>()
  let room = limit
  for (const [index, own] of tasks.entries()) {
    let share = Math.floor(room / (tasks.length - index))
    room -= share
    let isFull = false
    const inOrder = [...own.filter(({ urgent }) => urgent), ...own.filter(({ urgent }) => !urgent)]
    // those that name the same have it all, or none of them has
    for (const hash of new Set(inOrder.map((each) => each.hash))) {
      if (packing.blockOf.has(hash)) continue
      const value = read(hash)
      if (value === undefined) continue
      recorded.add(hash)
      if (isFull) continue
      packing.add(hash, JSON.stringify(neutralValue(value)))
      if (!packing.isDue) continue
      const done = packing.end(share)
      share -= done.bytes
      isFull = !done.all
    }
    room += share - packing.end(share).bytes
  }
  // at the end: what one task has no room for, a later one may have
  const leftOut = wanted.filter(({ hash }) => recorded.has(hash) && !packing.blockOf.has(hash)).length
  return { blocks: packing.blocks, blockOf: packing.blockOf, leftOut }
}

/** Blocks, and the one that is begun. */
class Packing {
  readonly blocks: string[] = []
  readonly blockOf = new Map<string, number>()
  readonly #characters: number
  #begun: { hash: string; text: string }[] = []
  #length = 0

  constructor(characters: number) {
    this.#characters = characters
  }

  get isDue(): boolean {
    return this.#length >= this.#characters
  }

  add(hash: string, text: string): void {
    this.#begun.push({ hash, text })
    this.#length += text.length
  }

  /** Ends the block that is begun: the first ones of it, as many as fit into the room. */
  end(room: number): { bytes: number; all: boolean } {
    const begun = this.#begun
    this.#begun = []
    this.#length = 0
    for (let count = begun.length; count > 0; count = Math.floor(count / 2)) {
      const some = begun.slice(0, count)
      const text = packedText(`{${some.map((each) => `${JSON.stringify(each.hash)}:${each.text}`).join(',')}}`)
      if (text.length > room) continue
      for (const { hash } of some) this.blockOf.set(hash, this.blocks.length)
      this.blocks.push(text)
      return { bytes: text.length, all: count === begun.length }
    }
    return { bytes: 0, all: begun.length === 0 }
  }
}
