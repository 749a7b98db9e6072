import { noAssembly, noHostInstruction, noVectors } from './host-words.ts'

/** Something in the assembly of g++ that no statement of C++ makes. */
export interface AssemblyFinding {
  message: string
  file?: string
  line?: number
}

/** One of several words, as a pattern. */
const anyOf = (words: string): string => `(?:${words.trim().split(/\s+/).join('|')})`

/** Directives that g++ writes for C++. Others reach the assembler from the text of a candidate: `.incbin` would read a file. */
const directives = anyOf(
  `text data bss globl global weak hidden internal protected local comm type size align balign p2align byte value short word
   hword long quad octa 2byte 4byte 8byte xword zero skip uleb128 sleb128 loc set arch cpu tune variant_pcs cfi_\\w+`,
)

/** Instructions that ask the processor, its clock or the system, which no operator of C++ comes to. */
const hostInstructions = anyOf(
  `rdtscp? rdpmc rd(?:rand|seed)[lq]? rdpid rdpkru wrpkru cpuid xgetbv xsetbv syscall sysenter int3? hlt in out
   (?:rd|wr)[fg]sbase[lq]? xbegin xend xabort u?monitorx? u?mwaitx? tpause clflush(?:opt)? enqcmd`,
)

/**
 * What adds or multiplies several numbers at once; g++ does it for vectors alone. Moves and logic are in other code
 * as well: `pblendw` where a half becomes a float.
 */
const vectorInstructions = String.raw`v?(?:(?:add|sub|addsub|mul|div|max|min|sqrt|rcp|rsqrt|hadd|hsub|cmp\w*|dp|round|blendv?|perm\w*|fn?m(?:add|sub)\w*)p[sd]|p(?:add|sub|h(?:add|sub)|mul|madd|max|min|abs|sign|avg|sad|cmp|shuf|perm|blend(?!w)|gather|s(?:ll|rl|ra)v?[wdq])\w*)`

const text = String.raw`"(?:[^"\\\n]|\\.)*"`
const plain = String.raw`(?:[\t ][^;#"\\\n]*)?`

const lineOf = (instruction: string): RegExp =>
  new RegExp(
    String.raw`(?:` +
      [
        String.raw`\t${instruction}`,
        String.raw`\t\.${directives}${plain}`,
        String.raw`[\w.$]+:`,
        String.raw`\t\.(?:string|asciz?|ascii|ident|file)[\t ](?:\d+ )?${text}(?: ${text})?(?: md5 0x[0-9a-f]+)?`,
        String.raw`\t\.section\t[\w.$-]+(?:,"[a-zA-Z?]*"(?:,[@%]\w+(?:,\d+)?(?:,[\w.$]+)?(?:,comdat)?)?)?`,
        '',
      ].join('|') +
      String.raw`)\n`,
    'y',
  )

const lines = {
  kernel: lineOf(String.raw`(?!(?:${hostInstructions}|${vectorInstructions})\b)[a-z][\w.]*${plain}`),
  host: lineOf(String.raw`[a-z][\w.]*${plain}`),
}
const hostInstruction = new RegExp(String.raw`^\t(${hostInstructions})\b`)
const vectorInstruction = new RegExp(String.raw`^\t${vectorInstructions}\b`)

/** As many as the compilers tell. */
const mostFindings = 20

/** The line of the source that the assembly at an offset belongs to. */
function placeAt(assembly: string, at: number): Pick<AssemblyFinding, 'file' | 'line'> {
  const [, row, name] = /^#APP\n# (\d+) "((?:[^"\\\n]|\\.)*)" 1\n/.exec(assembly.slice(at, at + 5000)) ?? []
  if (Number(row) > 0 && name !== undefined) return { file: name, line: Number(row) }
  const begin = assembly.lastIndexOf('\n\t.cfi_startproc', at)
  const end = assembly.lastIndexOf('\n\t.cfi_endproc', at)
  if (begin < end || begin < 0) return {}
  const [, number = '', line] =
    /^\n\t\.loc (\d+) (\d+)/.exec(assembly.slice(assembly.lastIndexOf('\n\t.loc ', at))) ?? []
  const [, file] = new RegExp(String.raw`^\t\.file ${number} "((?:[^"\\\n]|\\.)*)"`, 'm').exec(assembly) ?? []
  return file === undefined ? {} : { file, line: Number(line) }
}

function whyForeign(line: string): string {
  if (vectorInstruction.test(line)) return noVectors
  const [, instruction] = hostInstruction.exec(line) ?? []
  return instruction === undefined ? noAssembly : noHostInstruction(instruction)
}

/**
 * What of the assembly that g++ has written comes from assembly in the candidate: in statements, at file scope, or in names of
 * sections and symbols, which g++ copies as they are. The assembler is given nothing else than what was read here.
 */
export function foreignAssembly(assembly: string, kind: 'kernel' | 'host'): AssemblyFinding[] {
  const found: AssemblyFinding[] = []
  const line = lines[kind]
  for (let at = 0; at < assembly.length && found.length < mostFindings;) {
    line.lastIndex = at
    if (line.test(assembly)) {
      at = line.lastIndex
      continue
    }
    const isBlock = assembly.startsWith('#APP\n', at)
    const end = assembly.indexOf(isBlock ? '\n#NO_APP\n' : '\n', at)
    const next = end < 0 ? assembly.length : end + (isBlock ? '\n#NO_APP\n'.length : 1)
    found.push({ message: whyForeign(assembly.slice(at, next)), ...placeAt(assembly, at) })
    at = next
  }
  return found
}
