/** Names that texts declare, as far as the use of the language is judged by them. */
export interface DeclaredNames {
  /** variables that are constant, or in global memory */
  constants: ReadonlySet<string>
  /** functions of the device */
  device: ReadonlySet<string>
}

/** What stands between these is one declaration, or less. */
const end = /[;{}()]/g
const word = /[A-Za-z_$\x80-\uffff][\w$\x80-\uffff]*/g
const isWordOfVariable = (each: string): boolean => each === 'const' || each === 'constexpr' || each === '__gm__'

/**
 * Reads the declarations of texts without comments and literals once, front to back: a variable follows a word like const and has
 * a value or a length, and the parameters of a function follow its name.
 */
export function declaredNames(codes: Iterable<string>): DeclaredNames {
  const constants = new Set<string>()
  const device = new Set<string>()
  const read = (piece: string, mark: string): void => {
    if (!/const|__gm__|__aicore__/.test(piece)) return
    let isConstant = false
    let isDevice = false
    let [last, behindLast] = ['', 0]
    const follows = (next: string): void => {
      if (last === '') return
      if (isConstant && (next === '[' || next === '=' || next === '{')) constants.add(last)
      if (isDevice && next === '(') device.add(last)
    }
    for (const { 0: name, index } of piece.matchAll(word)) {
      // of what stands behind a name, the first that is no blank
      follows(/\S/.exec(piece.slice(behindLast, index))?.[0] ?? '')
      last = isConstant || isDevice ? name : ''
      behindLast = index + name.length
      isConstant ||= isWordOfVariable(name)
      isDevice ||= name === '__aicore__'
    }
    follows(/\S/.exec(piece.slice(behindLast))?.[0] ?? mark)
  }
  for (const code of codes) {
    let done = 0
    for (const { 0: mark, index } of code.matchAll(end)) {
      read(code.slice(done, index), mark)
      done = index + 1
    }
    read(code.slice(done), '')
  }
  return { constants, device }
}
