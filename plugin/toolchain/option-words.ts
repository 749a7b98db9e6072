/** One option of the vendor's compiler for devices, of those that are understood. */
export interface CompilerOption {
  /** `plain`: neither what a kernel computes nor its time here follow from it */
  kind: 'macro' | 'undefine' | 'folder' | 'sync' | 'plain'
  /** of a macro, `NAME` or `NAME=value`; of a folder, as written; of synchronisation, `on` or `off` */
  value: string
  /** all its words, as they are given to the compiler */
  words: string[]
}

/** An option that is not taken: which one, why, and what to do about it. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
  readonly option: string
  readonly problem: string

  constructor(option: string, problem: string) {
    super(`${option} ${problem}`)
    this.option = option.slice(0, 200)
    this.problem = problem
  }
}

const macro = /^[A-Za-z_]\w*(?:\([^()]*\))?(?:=|$)/

/**
 * Macros that the vendor's build defines itself, of the types and the device it compiles for and of what it compiles: an option of the same
 * name would take their place there.
 */
const ownMacro =
  /^(?:(?:ORIG_)?DTYPE|FORMAT|auto_gen)_|^(?:TILING_KEY_(?:VAR|IS|LIST)|DETERMINISTIC_MODE|ASCENDC_API_VERSION|ONE_CORE_DUMP_SIZE|WORKSPACE_PARAM_OFFSET|L2_CACHE_HINT|CONST_TILING|__(?:NPU_ARCH|CCE_\w+|CCE|DAV_\w+|MIX_CORE_\w+|CHECK_FEATURE_AT_PRECOMPILE|GET_CODE_CHANNEL|NO_KFC_SERVER|ASCENDC_ENABLE_VEC_TAIL_TILING_COPY)__|ASCENDC_TPL_\w+|ASCENDC_RECOGNIZE_SIMT_VF|RAW_AIC_ONLY_DUMP_TENSOR|NPU_EMU_\w*)\b/

/**
 * Options that are known to be without influence. What is optimised, and how: the clock charges work in plain C++ by the length of code that
 * is not. Warnings and what is written for debuggers: no code follows from them. The standard: the vendor's build gives its own behind
 * it. A sanitizer and saved temporary files: they are for who looks for a mistake, and make a kernel slower at most. A second binary,
 * to be linked again: the first one is as ever.
 */
const plain = [
  /^-O[0-3gsz]?$/,
  /^-g(?:[0-3]|gdb[0-3]?|dwarf(?:-[2-5])?|line-tables-only)?$/,
  /^-W(?:[a-z][\w+-]*(?:=[\w+-]+)?)?$/,
  /^-(?:w|v|pipe|pedantic|pedantic-errors)$/,
  /^-{1,2}std=(?:c|gnu)\+\+\w+$/,
  /^-f(?:no-)?(?:strict-aliasing|unroll-loops|inline(?:-functions)?|omit-frame-pointer|(?:slp-)?vectorize|(?:color-)?diagnostics(?:-[a-z-]+)?)(?:=\w+)?$/,
  /^-f(?:error-limit|template-backtrace-limit)=\d+$/,
  /^-{1,2}sanitizer$/,
  /^--save-temp-files$/,
  /^--op_relocatable_kernel_binary=(?:true|false)$/i,
  /^--cce-(?:res-usage|aicore-jump-expand=true|long-call=true|disable-kernel-global-attr-check)$/,
]

/** The same of the code generator: how far it jumps, how large its stack is, in which order it issues and what it merges. */
const plainOfGenerator =
  /^-{1,2}(?:cce-aicore-(?:jump-expand|long-call|hoist-movemask|addr-transform|record-overflow|or-combine|mask-opt)(?:=(?:true|false))?|cce-aicore-dcci-insert-for-scalar=false|cce-aicore-(?:function-)?stack-size=(?:\d+|0x[\da-f]+)|(?:inline|unroll)-threshold=\d+|api-deps-filter)$/i

/** What to do about options that people are known to give. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/^-(?![DUI] |mllvm )\S+ +-/, 'write each option as a word of its own'],
  [/^-{1,2}(?:include|imacros)/, 'write #include in the kernel'],
  [/^-(?:isystem|iquote|idirafter)|^--include-directory/, 'write -I'],
  [/^--(?:un)?define-macro/, 'write -D or -U'],
  [/--impl-mode/, 'write -DHIGH_PERFORMANCE=1 or -DHIGH_PRECISION=1'],
  [/--tiling_key|--kernel-template-input/, 'leave it out, as every kernel has to be built'],
  [/^-D/, 'define it in the kernel'],
  [/cce-auto-sync/, 'write --cce-auto-sync=on or --cce-auto-sync=off'],
]

/** The vendor's script looks for these within options, takes those for its own, and does not give them to the compiler. */
const searched =
  /oom|--save-temp-files|--input-param-file|^--op_|^--kernel-json-file|--tiling_key|--kernel-template-input|--impl-mode/

/** Does nothing that is computed follow from an option, whatever is compiled? */
export const isWithoutInfluence = (word: string): boolean => plain.some((each) => each.test(word))

/** Why the vendor's build would not give a word to the compiler as it is written, if so. */
function lostWord(word: string): string | undefined {
  if (searched.test(word) && !isWithoutInfluence(word)) return "the vendor's build takes it for an option of its own"
  // a line of its file of options is taken apart at each, and the environment is put in place of names
  if (word.includes(',')) return "the vendor's build takes options apart at commas"
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001F\u007F\u2028\u2029]/.test(word)) return 'it holds a line end or the like'
  if (word.includes('$')) return "the vendor's build puts the environment in the place of names"
  if (hasOpenQuote(word)) return "the vendor's build takes all behind an open quote for one option"
  return undefined
}

/** The vendor's script knows quotes of both kinds, and no escapes. */
function hasOpenQuote(word: string): boolean {
  let quote = ''
  for (const char of word) {
    if (char !== '"' && char !== "'") continue
    if (quote === '') quote = char
    else if (quote === char) quote = ''
  }
  return quote !== ''
}

function unknown(text: string, why?: string): OptionError {
  const remedy = remedies.find(([pattern]) => pattern.test(text))?.[1] ?? 'leave it out'
  return new OptionError(text, `is ${why === undefined ? 'not known here' : `not taken, as ${why}`}: ${remedy}`)
}

/**
 * Takes options apart: each is understood, or without influence, or refused by an `OptionError`. `isUntold`: whether a text holds
 * the value of a variable that is not known; `isToolkit`: whether such a folder is one of the vendor's toolkit.
 */
export function compilerOptions(
  words: readonly string[],
  { isUntold, isToolkit }: { isUntold: (text: string) => boolean; isToolkit: (text: string) => boolean },
): CompilerOption[] {
  const options: CompilerOption[] = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    const takesNext = /^-[DUI]$|^-mllvm$/.test(word) && index + 1 < words.length
    const own = takesNext ? [word, words[++index] ?? ''] : [word]
    options.push(oneOption(own, { isUntold, isToolkit }))
  }
  return options
}

function oneOption(
  words: string[],
  { isUntold, isToolkit }: { isUntold: (text: string) => boolean; isToolkit: (text: string) => boolean },
): CompilerOption {
  const text = words.join(' ')
  const [first = '', second] = words
  const flag = /^-[DUI]/.exec(first)?.[0]
  const value = flag === undefined ? (second ?? '') : (second ?? first.slice(flag.length))
  if (isUntold(text)) {
    // a value that comes to nothing as a word of its own makes the next word one
    const mayVanish = second !== undefined && /^\$(?:ENV|CACHE)?\{[^{}]*\}$/.test(second)
    if (flag === '-I' && !mayVanish && isToolkit(value)) return { kind: 'folder', value, words }
    const remedy =
      flag === '-I'
        ? 'write the folder itself from ${CMAKE_CURRENT_SOURCE_DIR}, behind -I in one word'
        : 'write the option itself'
    throw new OptionError(text, `cannot be told: ${remedy}`)
  }
  if (text.includes(';')) throw new OptionError(text, 'cannot be told: write the option itself')
  const lost = words.map(lostWord).find((each) => each !== undefined)
  if (lost !== undefined) throw unknown(text, lost)
  return readOption({ flag, first, value, words }) ?? fail(text)
}

function fail(text: string): never {
  throw unknown(text)
}

function readOption({
  flag,
  first,
  value,
  words,
}: {
  flag: string | undefined
  first: string
  value: string
  words: string[]
}): CompilerOption | undefined {
  if (flag === '-D') {
    if (ownMacro.test(value))
      throw new OptionError(words.join(' '), "takes the place of a macro of the vendor's build: call it otherwise")
    return macro.test(value) ? { kind: 'macro', value, words } : undefined
  }
  if (flag === '-U') return /^[A-Za-z_]\w*$/.test(value) ? { kind: 'undefine', value, words } : undefined
  // the vendor's build compiles in a folder of its own
  if (flag === '-I') return readFolder(value, words)
  // the vendor's script looks for this spelling of `off`, and gives the option itself where it does not find it
  const sync = /^--cce-auto-sync(?:=(on|off))?$/.exec(first)
  if (sync) return { kind: 'sync', value: sync[1] ?? 'on', words }
  const isKnown = first === '-mllvm' ? plainOfGenerator.test(value) : isWithoutInfluence(first)
  return isKnown ? { kind: 'plain', value, words } : undefined
}

function readFolder(value: string, words: string[]): CompilerOption {
  if (value.startsWith('/')) return { kind: 'folder', value, words }
  throw new OptionError(
    words.join(' '),
    "is looked for where the vendor's build runs: write ${CMAKE_CURRENT_SOURCE_DIR} before the folder",
  )
}
