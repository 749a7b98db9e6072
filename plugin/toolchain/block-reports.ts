import { readLibrary, readObjectFile, type Library, type Relocation } from './object-file.ts'

/** What compilers call at the start of each basic block (`reportingFlags`). */
const report = '__sanitizer_cov_trace_pc'

const machineOffset = 18
const x86 = 62

const call = 0xe8
const callBytes = 5
/** A jump through a pointer, by which a library calls what is looked up when it is loaded; some begin with a mark for jumps. */
const marks = ['f30f1efa', 'f2'].map((hex) => Buffer.from(hex, 'hex'))
const jump = Buffer.from('ff25', 'hex')

/** The name behind a jump to what another library offers; undefined where there is none. */
function importAt({ sections, imports }: Library, address: number): string | undefined {
  const section = sections.find(
    (each) => each.isCode && address >= each.address && address < each.address + each.bytes.length,
  )
  if (!section) return undefined
  let at = address - section.address
  for (const mark of marks) if (section.bytes.subarray(at).indexOf(mark) === 0) at += mark.length
  const end = at + jump.length + 4
  if (end > section.bytes.length || section.bytes.compare(jump, 0, jump.length, at, at + jump.length) !== 0)
    return undefined
  return imports.get(section.address + end + section.bytes.readInt32LE(end - 4))
}

/** Whether a place in code is filled in with the function that reports a block: it is part of a call. */
export const isReport = ({ symbol }: Relocation): boolean => symbol.name === report

/** Bytes in the code of a library that call the report of a block, or read like such a call. */
function countCalls(library: Library): number {
  const known = new Map<number, boolean>()
  let found = 0
  for (const { isCode, bytes, address } of library.sections) {
    if (!isCode) continue
    for (let at = bytes.indexOf(call); at >= 0 && at + callBytes <= bytes.length; at = bytes.indexOf(call, at + 1)) {
      const target = address + at + callBytes + bytes.readInt32LE(at + 1)
      const isReport = known.get(target) ?? importAt(library, target) === report
      known.set(target, isReport)
      if (isReport) found++
    }
  }
  return found
}

/**
 * Whether each call of the report of a block in a library is one that the compiler has put into the object: the length of a
 * block ends at the next one (`kernel/code_blocks.cpp`), and a number in the code can be made to look like it. Elsewhere than
 * on x86-64 numbers are no part of instructions that could.
 */
export function areReportsOfCompiler(object: Buffer, library: Buffer): boolean {
  if (library.length > machineOffset + 1 && library.readUInt16LE(machineOffset) !== x86) return true
  const [unit, linked] = [readObjectFile(object), readLibrary(library)]
  if (!unit || !linked) return false
  let calls = 0
  for (const { isCode, index } of unit.sections)
    if (isCode) calls += (unit.relocations.get(index) ?? []).filter(isReport).length
  return countCalls(linked) === calls
}
