import { relative } from 'node:path'
import { closureOf, withMethod } from './closure.ts'
import type { Unit } from './include-graph.ts'
import { classPartsOf, type Piece } from './pieces.ts'

/** A piece of code that compiles by itself and is worth a row. */
export interface KernelSnippet {
  what: 'kernel' | 'function' | 'class' | 'method'
  /** e.g. `rms_norm`, `KernelRmsNorm::Init` */
  name: string
  /** path of its file below the folder that was searched */
  file: string
  code: string
}

/** A code whatever its lines are. */
export const plainCode = (code: string): string => code.replace(/\s+/g, ' ')

/** Lines of a declaration that says something. */
const leastLines = 8

const linesOf = ({ text }: Piece): number => text.split('\n').length
const isEntry = ({ text }: Piece): boolean => /__global__/.test(text)

/** Kernels of a unit, their functions, classes and methods, each with what it needs and nothing else, in the order of the sources. */
export function snippetsOf(unit: Unit, folder: string): KernelSnippet[] {
  const found: KernelSnippet[] = []
  const codes = new Set<string>()
  const add = (what: KernelSnippet['what'], name: string, file: string, code: string): void => {
    const plain = plainCode(code)
    if (codes.has(plain)) return
    codes.add(plain)
    found.push({ what, name, file: relative(folder, file), code })
  }
  for (const { path, pieces } of unit.files) {
    for (const piece of pieces.filter(({ kind }) => kind === 'declaration')) {
      const [name] = piece.names
      if (name === undefined) continue
      if (isEntry(piece)) add('kernel', entryName(piece.text), path, closureOf(unit, piece).code)
      else if (linesOf(piece) >= leastLines) {
        const parts = classPartsOf(piece)
        add(parts ? 'class' : 'function', parts?.name ?? name, path, closureOf(unit, piece).code)
        for (const method of parts?.members.filter((member) => isMethod(member)) ?? [])
          add(
            'method',
            `${parts!.name}::${method.names[0]}`,
            path,
            closureOf(unit, piece, withMethod(parts!, method)).code,
          )
      }
    }
  }
  return found
}

const isMethod = (member: Piece): boolean =>
  member.kind === 'declaration' &&
  member.names.length > 0 &&
  linesOf(member) >= leastLines &&
  classPartsOf(member) === null

/** The symbol of an entry point. */
export const entryName = (text: string): string => /__global__[^;{]{0,1000}?\bvoid\s+(\w+)\s*\(/.exec(text)?.[1] ?? ''
