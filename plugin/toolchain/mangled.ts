/** The last identifier of a mangled name: `CeilDiv` for `_ZN6KernelIfE7CeilDivEjj`, the class for a constructor. */
export function identifierOf(mangled: string): string {
  if (!mangled.startsWith('_Z')) return mangled
  const [, digits, rest] = /^_ZZ.*E(\d+)(\D\w*)$/.exec(mangled) ?? []
  if (digits !== undefined && rest !== undefined) return rest.slice(0, Number(digits))
  let at = /^_ZT[VTC]/.test(mangled) ? 4 : 2
  let found = ''
  const sourceName = (): string | null => {
    const digits = /^\d+/.exec(mangled.slice(at, at + 4))?.[0]
    if (digits === undefined) return null
    const start = at + digits.length
    at = start + Number(digits)
    return mangled.slice(start, at)
  }
  /** behind template arguments: everything that opens is closed by E */
  const skipArguments = (): void => {
    for (let depth = 0; at < mangled.length;) {
      if (sourceName() !== null) continue
      const letter = mangled[at++]
      if (letter === 'S' || letter === 'T') at += /^(?:[0-9A-Z]*_|[tabsiod])/.exec(mangled.slice(at))?.[0].length ?? 0
      else if (letter !== undefined && 'INXLJF'.includes(letter)) depth++
      else if (letter === 'E' && --depth === 0) return
    }
  }
  const isNested = mangled[at] === 'N'
  if (isNested) at++
  while (at < mangled.length) {
    const name = sourceName()
    if (name !== null) {
      found = name
      if (!isNested && mangled[at] !== 'I') break
      continue
    }
    const letter = mangled[at]
    if (letter === 'I') skipArguments()
    else if (letter === 'S') at += /^S(?:[0-9A-Z]*_|[tabsiod])/.exec(mangled.slice(at))?.[0].length ?? 1
    else if (letter === 'K' || letter === 'L' || letter === 'V') at++
    else break
  }
  return found
}
