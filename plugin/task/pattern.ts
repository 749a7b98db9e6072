/** A shape with variables: numbers, extents (`'D'`) and at most one run of extents (`'...rows'`). */
export type Pattern = readonly (number | string)[]

/** Values of pattern variables: an extent, or the extents of a run. */
export type Bindings = Map<string, number | readonly number[]>

const isRun = (part: number | string): part is string => typeof part === 'string' && part.startsWith('...')

/** The variables of a pattern, without dots, in order. */
export const variablesOf = (pattern: Pattern): string[] =>
  pattern.filter((part) => typeof part === 'string').map((part) => part.replace(/^\.\.\./, ''))

/** `[...rows, D]`, the way a pattern is shown to people. */
export const describePattern = (pattern: Pattern): string => `[${pattern.join(', ')}]`

/** Why a pattern cannot be used, if so. */
export function patternFault(pattern: Pattern): string | undefined {
  if (pattern.filter(isRun).length > 1) return `${describePattern(pattern)} has more than one '...' run`
  const bad = pattern.find((part) =>
    typeof part === 'number' ? !isExtent(part) : !/^(\.\.\.)?[A-Za-z_]\w*$/.test(part),
  )
  return bad === undefined
    ? undefined
    : `${describePattern(pattern)}: ${String(bad)} is neither an extent nor a variable`
}

const isExtent = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** Matches a shape with a pattern and adds what it says to `bindings`; returns what does not fit, if anything. */
export function bindShape(pattern: Pattern, shape: readonly number[], bindings: Bindings): string | undefined {
  const run = pattern.findIndex(isRun)
  const fixed = pattern.length - (run < 0 ? 0 : 1)
  if (run < 0 ? shape.length !== fixed : shape.length < fixed) {
    return `[${shape.join(', ')}] has rank ${shape.length}, which does not fit ${describePattern(pattern)}`
  }
  const runLength = shape.length - fixed
  let axis = 0
  for (const part of pattern) {
    const fault = isRun(part)
      ? bindVariable(part.slice(3), shape.slice(axis, axis + runLength), bindings)
      : bindPart(part, shape[axis]!, bindings)
    if (fault) return `[${shape.join(', ')}] does not fit ${describePattern(pattern)}: ${fault}`
    axis += isRun(part) ? runLength : 1
  }
  return undefined
}

function bindPart(part: number | string, extent: number, bindings: Bindings): string | undefined {
  if (typeof part === 'string') return bindVariable(part, extent, bindings)
  return part === extent ? undefined : `${extent} instead of ${part}`
}

/** Sets a variable; returns the contradiction if it already has another value. */
export function bindVariable(name: string, value: number | readonly number[], bindings: Bindings): string | undefined {
  const known = bindings.get(name)
  if (known !== undefined && String(known) !== String(value)) {
    return `${name} is ${show(known)} elsewhere in the case and ${show(value)} here`
  }
  bindings.set(name, value)
  return undefined
}

const show = (value: number | readonly number[]): string =>
  typeof value === 'number' ? String(value) : `[${value.join(', ')}]`

/** The shape a pattern has under `bindings`, or the name of the first variable without a value. */
export function resolveShape(pattern: Pattern, bindings: Bindings): number[] | { unbound: string } {
  const shape: number[] = []
  for (const part of pattern) {
    if (typeof part === 'number') {
      shape.push(part)
      continue
    }
    const name = part.replace(/^\.\.\./, '')
    const value = bindings.get(name)
    if (value === undefined) return { unbound: name }
    if (typeof value === 'number') shape.push(value)
    else shape.push(...value)
  }
  return shape
}
