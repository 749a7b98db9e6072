import { foldOf } from './wide-primitives.ts'

// What the wide primitives compute, in the order in which their kernels do.

/** A call with what it is given; memories have their rows behind each other without padding. */
export interface WideCall {
  readonly name: string
  readonly target: Float64Array
  readonly source: Float64Array
  /** elements from one row to the next, of both */
  readonly pitch: readonly [target: number, source: number]
  readonly rows: number
  readonly columns: number
  readonly numbers: readonly number[]
  readonly word: string
  /** rounds once to the type of the destination */
  readonly round: (value: number) => number
}

type Rule = (call: WideCall) => void

export const wideRules: Readonly<Record<string, Rule>> = {
  columns({ name, target, source, pitch, rows, columns, round }) {
    const { rule } = foldOf(name)
    for (let column = 0; column < columns; column++) {
      let value = source[column]!
      for (let row = 1; row < rows; row++) value = round(rule(value, source[row * pitch[1] + column]!))
      target[column] = value
    }
  },
  running(call) {
    for (let row = 0; row < call.rows; row++) {
      const at = row * call.pitch[1]
      const values = [...call.source.subarray(at, at + call.columns)]
      const sums = call.word === 'backward' ? runningOf(values.reverse(), call).reverse() : runningOf(values, call)
      call.target.set(sums, row * call.pitch[0])
    }
  },
  pick({ target, source, pitch, rows, numbers }) {
    for (let row = 0; row < rows; row++) target[row] = source[row * pitch[1] + numbers[0]!]!
  },
  window(call) {
    const { target, source, pitch, rows, columns, numbers } = call
    const [, step, first, width] = numbers
    for (let row = 0; row < rows; row++)
      for (let i = 0; i < columns; i++) {
        const element = (place: number): number | null =>
          place < 0 || place >= width! ? null : source[row * pitch[1] + place]!
        target[row * pitch[0] + i] = windowOf(call, first! + i * step!, element, true)
      }
  },
  'window-rows'(call) {
    const { target, source, pitch, rows, columns, numbers } = call
    const [, step, first, height] = numbers
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const element = (place: number): number | null =>
          place < 0 || place >= height! ? null : source[place * pitch[1] + column]!
        target[row * pitch[0] + column] = windowOf(call, first! + row * step!, element, false)
      }
  },
}

/** The fold of a window; along rows, places outside are what changes nothing, and there are no others. */
function windowOf(
  { name, numbers, round }: WideCall,
  begin: number,
  element: (place: number) => number | null,
  isAlongRow: boolean,
): number {
  const { rule, identity } = foldOf(name)
  const [size, step] = numbers
  const fold = (a: number, b: number): number => round(rule(a, b))
  const places = Array.from({ length: size! }, (_, k) => element(begin + k))
  const values = isAlongRow ? places.map((each) => each ?? identity) : places.filter((each) => each !== null)
  if (values.length === 0) return identity
  return isAlongRow && step === 1 && size! > 5 ? foldDoubled(values, fold) : values.reduce(fold)
}

type Binary = (a: number, b: number) => number

/** Stretches of 1, 2, 4, … elements, those that the number of elements is made of, each a tree. */
function foldDoubled(values: readonly number[], fold: Binary): number {
  const tree = (of: readonly number[]): number =>
    of.length === 1 ? of[0]! : fold(tree(of.slice(0, of.length / 2)), tree(of.slice(of.length / 2)))
  const parts: number[] = []
  let at = 0
  for (let reach = 1; at < values.length; reach *= 2)
    if ((values.length & reach) !== 0) {
      parts.push(tree(values.slice(at, at + reach)))
      at += reach
    }
  return parts.reduce(fold)
}

/** Elements of a piece that is gone through one after the other. */
const pieceLength = 16

/** Pieces one after the other, then what those before have come to, which is found by doubling. */
function runningOf(values: readonly number[], { name, round }: WideCall): number[] {
  const { rule, identity } = foldOf(name)
  const fold = (a: number, b: number): number => round(rule(a, b))
  const count = Math.ceil(Math.ceil(values.length / pieceLength) / 8) * 8
  const pieces = Array.from({ length: count }, (_, piece) => {
    let value: number | undefined
    return Array.from({ length: pieceLength }, (__, i) => {
      const element = values[piece * pieceLength + i] ?? 0
      value = value === undefined ? element : fold(element, value)
      return value
    })
  })
  let totals = pieces.map((piece) => piece.at(-1)!)
  for (let step = 1; step < count; step *= 2)
    totals = totals.map((total, i) => fold(total, i < step ? identity : totals[i - step]!))
  return pieces
    .flatMap((piece, i) => piece.map((value) => fold(value, i === 0 ? identity : totals[i - 1]!)))
    .slice(0, values.length)
}

/** What all cores have left, in their order. */
export function reduceCores(name: string, parts: readonly (readonly number[])[], round: WideCall['round']): number[] {
  const { rule } = foldOf(name)
  return parts[0]!.map((_, i) => parts.map((part) => part[i]!).reduce((value, each) => round(rule(value, each))))
}
