import { bytesOf, emptyTensor, type DType, type Storage, type Tensor } from '../model/index.ts'
import { encode } from './encode.ts'
import type { RandomStream } from './random.ts'

/** Turns 32 random bits per element into values; the same word always gives the same value. */
export type Fill = (words: Uint32Array, values: Float64Array) => void

/** Elements drawn at a time: words and values stay in the first-level cache. */
const BLOCK = 2048

const words = new Uint32Array(BLOCK)
const halves = new Uint16Array(words.buffer)
const widened = new Uint32Array(BLOCK)
const block = new Float64Array(BLOCK)

/** Values of a dtype of at most 16 bits: as many as there are ways to draw one. */
const CHOICES = 0x10000

/**
 * Draws every component of a tensor. Components of more than 16 bits take a random word each. The others take half of one:
 * a draw then has 65 536 equally likely outcomes, which is finer than those dtypes are near the middle of a distribution.
 */
export function fillTensor(target: Tensor, fill: Fill, random: RandomStream): void {
  if (bytesOf(target.dtype) > 2) return fillByWords(target, fill, random)
  const { data } = target
  const known = tables.find((table) => table.fill === fill && table.dtype === target.dtype)
  if (!known && data.length < CHOICES) return fillByHalves(target, fill, random)
  const { values } = known ?? remember({ fill, dtype: target.dtype, values: outcomesOf(target.dtype, fill) })
  if (data instanceof Uint16Array && values instanceof Uint16Array) lookUp16(values, data, random)
  else lookUp(values, data, random)
}

function fillByWords(target: Tensor, fill: Fill, random: RandomStream): void {
  const { length } = target.data
  for (let start = 0; start < length; start += BLOCK) {
    const count = Math.min(BLOCK, length - start)
    random.words(words.subarray(0, count))
    const values = block.subarray(0, count)
    fill(words, values)
    encode(values, target, start)
  }
}

// What the tables hold, computed for those elements only: a small tensor does not pay for a table.
function fillByHalves(target: Tensor, fill: Fill, random: RandomStream): void {
  const { length } = target.data
  for (let start = 0; start < length; start += BLOCK) {
    const count = Math.min(BLOCK, length - start)
    random.words(words.subarray(0, (count + 1) >>> 1))
    for (let i = 0; i < count; i++) widened[i] = wordOf(halves[i]!)
    const values = block.subarray(0, count)
    fill(widened, values)
    encode(values, target, start)
  }
}

// The middle of the words that begin with these 16 bits.
const wordOf = (half: number): number => (half << 16) | 0x8000

interface Outcomes {
  readonly fill: Fill
  readonly dtype: DType
  /** the element that each choice of 16 random bits gives */
  readonly values: Storage
}

// The tables used last: a list of tensors needs one, an operator a few.
let tables: Outcomes[] = []

function remember(table: Outcomes): Outcomes {
  tables = [table, ...tables.slice(0, 7)]
  return table
}

function outcomesOf(dtype: DType, fill: Fill): Storage {
  const outcomes = emptyTensor(dtype, [CHOICES])
  for (let start = 0; start < CHOICES; start += BLOCK) {
    for (let i = 0; i < BLOCK; i++) widened[i] = wordOf(start + i)
    fill(widened, block)
    encode(block, outcomes, start)
  }
  return outcomes.data
}

// All large 16-bit tensors come from this loop.
function lookUp16(table: Uint16Array, data: Uint16Array, random: RandomStream): void {
  for (let start = 0; start < data.length; start += 2 * BLOCK) {
    const count = Math.min(2 * BLOCK, data.length - start)
    random.words(words.subarray(0, (count + 1) >>> 1))
    for (let i = 0; i < count; i++) data[start + i] = table[halves[i]!]!
  }
}

function lookUp(table: Storage, data: Storage, random: RandomStream): void {
  for (let start = 0; start < data.length; start += 2 * BLOCK) {
    const count = Math.min(2 * BLOCK, data.length - start)
    random.words(words.subarray(0, (count + 1) >>> 1))
    for (let i = 0; i < count; i++) data[start + i] = table[halves[i]!]!
  }
}
