import { blankComments } from './text.ts'

/** A text of a source that asks for a tiling key, and the keys that are written in it as numbers or as names of numbers. */
export interface AskedKey {
  /** decimal: numbers hold no 64 bits */
  key: string
  line: number
}

const asked = /\bTILING_KEY_IS\s*\(\s*(\w+)\s*\)/g

const number = /^(\d+)(?:u|U|l|L)*$/

/** Constants of a kernel: macros and variables. */
const constants = [
  /^[^\S\n]*#[^\S\n]*define[^\S\n]+(\w+)[^\S\n]+\(?(\d+(?:u|U|l|L)*)\)?[^\S\n]*$/gm,
  /\bconstexpr\b[\w\s:]*?\b(\w+)\s*=\s*(\d+(?:u|U|l|L)*)\s*;/g,
]

/** Names of numbers in the texts of a candidate. A name that stands for several numbers is left out. */
export function namedNumbers(texts: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, Set<string>>()
  for (const text of texts)
    for (const pattern of constants)
      for (const [, name = '', value = ''] of blankComments(text).matchAll(pattern))
        found.set(name, (found.get(name) ?? new Set()).add(value))
  return new Map(
    [...found].flatMap(([name, values]) =>
      values.size === 1 ? [...values].map((value) => [name, value] as const) : [],
    ),
  )
}

/** The tiling keys that a source asks for by `TILING_KEY_IS`, with their lines. */
export function askedKeys(text: string, named: ReadonlyMap<string, string>): AskedKey[] {
  return blankComments(text)
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(asked)].flatMap(([, given = '']) => {
        const key = number.exec(named.get(given) ?? given)?.[1]
        return key === undefined ? [] : [{ key: String(BigInt(key)), line: index + 1 }]
      }),
    )
}
