/** Reads forward in a mangled name. */
class MangledName {
  readonly #text: string
  at: number

  constructor(text: string, at: number) {
    this.#text = text
    this.at = at
  }

  get letter(): string | undefined {
    return this.#text[this.at]
  }

  /** What the pattern, which is sticky, finds here is passed over. */
  skip(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.#text)?.[0]
    this.at += found?.length ?? 0
    return found ?? null
  }

  /** `7CeilDiv` */
  sourceName(): string | null {
    const digits = this.skip(/\d+/y)
    if (digits === null) return null
    this.at += Number(digits)
    return this.#text.slice(this.at - Number(digits), this.at)
  }

  /** `S0_`, `St`, `T_`: what stands for a name or a type */
  substitution(): string | null {
    return this.skip(/[ST](?:[0-9A-Z]*_|[tabsiod])/y)
  }

  /** A number as template argument, behind its `L`: `i8E`, `7SELMODE2E`, `N7AscendC9HardEventE9E`. */
  literal(): void {
    this.skip(/[PKR]+/y)
    if (this.letter === 'N') this.group()
    else if (this.sourceName() === null) {
      const standIn = this.substitution()
      if (standIn === null) this.at++
      else if (standIn === 'St') this.sourceName()
    }
    this.skip(/n?[0-9a-f]*E/y)
  }

  /** Template arguments, or a nested name: everything that opens is closed by E. */
  group(): void {
    for (let depth = 0; this.letter !== undefined;) {
      if (this.sourceName() !== null || this.substitution() !== null) continue
      const letter = this.letter
      this.at++
      // what follows _Z is a whole name, and no number
      if (letter === 'L' && this.skip(/_Z/y) === null) this.literal()
      else if ('INXLJFZ'.includes(letter)) depth++
      else if (letter === 'E' && --depth === 0) return
    }
  }
}

/**
 * The last identifier of a mangled name: `CeilDiv` for `_ZN6KernelIfE7CeilDivEjj`, the class for a constructor. Empty where
 * there is none, as in the name of an operator.
 */
export function identifierOf(mangled: string): string {
  if (!mangled.startsWith('_Z')) return mangled
  const local = mangled.startsWith('_ZZ') ? [...mangled.matchAll(/E(\d+)(?=\D)/g)].at(-1) : undefined
  const rest = local && mangled.slice(local.index + local[0].length)
  if (rest !== undefined && /^\w*$/.test(rest)) return rest.slice(0, Number(local?.[1]))
  const name = new MangledName(mangled, /^_Z(?:T[VTC]|G[VR])/.test(mangled) ? 4 : 2)
  let found = ''
  const isNested = name.letter === 'N'
  if (isNested) name.at++
  while (name.letter !== undefined) {
    const identifier = name.sourceName()
    if (identifier !== null) {
      found = identifier
      if (!isNested && name.letter !== 'I') break
    } else if (name.letter === 'I') name.group()
    else if (name.substitution() === null && name.skip(/[KLV]/y) === null) break
  }
  return found
}

/** What a function is called where it is declared. For operators the name is empty. */
export interface NameParts {
  kind: 'name' | 'constructor' | 'destructor' | 'operator'
  name: string
}

/** The last part of the mangled name of a function; null for what nobody has named, such as a lambda, and for other names. */
export function partsOfName(mangled: string): NameParts | null {
  if (!mangled.startsWith('_Z')) return /^\w+$/.test(mangled) ? { kind: 'name', name: mangled } : null
  const name = new MangledName(mangled, 2)
  // a local class: the function that it is in, and behind it a number where there are several
  while (name.letter === 'Z') {
    name.group()
    name.skip(/d?\d*_/y)
  }
  const isNested = name.letter === 'N'
  if (isNested) name.skip(/N[rVK]*[RO]?/y)
  let found: NameParts | null = null
  for (let last = ''; name.letter !== undefined && name.letter !== 'E';) {
    const identifier = name.sourceName()
    if (identifier !== null) found = { kind: 'name', name: (last = identifier) }
    else if (name.letter === 'I') {
      name.group()
      continue
    } else if (name.substitution() !== null) {
      if (!isNested) name.sourceName()
      found = null
      continue
    } else if (name.skip(/L/y) !== null) continue
    else if (name.skip(/B/y) !== null) {
      name.sourceName()
      continue
    } else if (name.skip(/C[1-5]/y) !== null) found = { kind: 'constructor', name: last }
    else if (name.skip(/D[0-5]/y) !== null) found = { kind: 'destructor', name: last }
    else if (/^(?:cv|[a-z][a-zA-Z])/.test(mangled.slice(name.at, name.at + 2))) return { kind: 'operator', name: '' }
    else return null
    if (!isNested) break
  }
  // the function that a lambda is where a pointer is made of it
  return found === null || /^(?:__invoke|_FUN)?$/.test(found.name) ? null : found
}

/** Does a mangled name speak of the emulator's namespace? `27npu_emu_kernel_broadcast_v2` does not. */
export const isOfEmulator = (name: string): boolean => /(?<!\d)7npu_emu/.test(name)
