import type { Unit } from './include-graph.ts'
import { classOf, isApart, rewritten, type ClassParts, type Piece } from './pieces.ts'

/** A part of a unit that stands alone: what was asked for, and everything that it needs, in the order of the sources. */
export interface Closure {
  code: string
  /** number of declarations besides the target */
  needed: number
}

const isAlwaysThere = ({ text, kind, names }: Piece): boolean =>
  kind === 'declaration' && names.length === 0 && /^(?:[^]*\n)?using namespace\b/.test(text)

/** What a declaration needs of those before it, itself among them, by names. */
function needs(before: readonly Piece[], target: Piece): Set<Piece> {
  const byName = new Map<string, Piece[]>()
  for (const piece of before) for (const name of piece.names) byName.set(name, [...(byName.get(name) ?? []), piece])
  const kept = new Set<Piece>()
  const open = [target]
  while (open.length > 0) {
    const piece = open.pop()!
    if (kept.has(piece)) continue
    kept.add(piece)
    for (const word of piece.words) open.push(...(byName.get(word) ?? []))
  }
  return kept
}

/** Cuts a unit down to what a declaration of it needs. `text` stands in the place of its own where it is given. */
export function closureOf({ includes, files }: Unit, target: Piece, text = target.text): Closure {
  const all = files.flatMap(({ pieces }) => pieces)
  const last = text === target.text ? target : rewritten(target, text)
  const before = [...all.slice(0, all.indexOf(target)), last]
  const kept = needs(before, last)
  const chosen = before.filter((piece) => kept.has(piece) || isAlwaysThere(piece))
  return { code: printed(includes, chosen), needed: kept.size - 1 }
}

/** A class that has one of its methods, and of its other members what that needs. */
export function withMethod(parts: ClassParts, method: Piece): string {
  const others = parts.members.filter((piece) => !piece.names.includes(parts.name))
  const kept = needs(others, method)
  return classOf(
    parts,
    others.filter((piece) => kept.has(piece)),
  )
}

function printed(includes: readonly string[], pieces: readonly Piece[]): string {
  const lines: string[] = [...(includes.length === 0 ? ['#include "kernel_operator.h"'] : includes), '']
  let around: readonly string[] = []
  let last: Piece | undefined
  for (const piece of pieces) {
    const same = around.findIndex((name, i) => piece.namespaces[i] !== name)
    const shared = same < 0 ? around.length : same
    for (const name of around.slice(shared).toReversed())
      lines.push(`}  // namespace${name === '' ? '' : ` ${name}`}`, '')
    for (const name of piece.namespaces.slice(shared)) lines.push(`namespace${name === '' ? '' : ` ${name}`} {`, '')
    around = piece.namespaces
    const isBeside = last && String(last.namespaces) === String(piece.namespaces)
    if (isBeside && !isApart(last, piece)) lines.pop()
    lines.push(piece.text, '')
    last = piece
  }
  for (const name of around.toReversed()) lines.push(`}  // namespace${name === '' ? '' : ` ${name}`}`, '')
  return `${lines.join('\n').trim()}\n`
}
