/** One option of a compiler, with its value where that is a word of its own or follows in the same one. */
export interface CompilerOption {
  /** as written; of `-D`, `-U` and `-I` without the value */
  flag: string
  value?: string
  /** all its words */
  words: string[]
  /** might the next word be its value? */
  isOpen: boolean
}

/** Options whose values may be joined to them, and are looked at. */
const joined = /^-[DUI](?=.)/

/** Options whose value is the next word. */
const separate = new Set(
  `-D -U -I -mllvm -isystem -iquote -idirafter -include -include-pch -imacros -iprefix -iwithprefix -iwithprefixbefore -isysroot
  -iframework -ivfsoverlay -isystem-after -MF -MT -MQ -MJ -Xclang -Xlinker -Xassembler -Xpreprocessor -Xanalyzer -o -x -L -l -F -B -T -u -e
  -z -A -G -arch -target -mthread-model -framework -filelist -working-directory --param --sysroot --output --language --include
  --include-directory --define-macro --undefine-macro`.split(/\s+/),
)

/** Options of one word that are known to have no value in another one. */
const alone =
  /^(?:-O\w*|-{1,2}std=.*|-g\w*|-W.*|-[fm][\w-]+|-[xoLlBT]\w+|-MM?D?|-MP|-MMD|-{1,2}cce-.*|-{1,2}sanitizer|-{1,2}save-temp-files|-{1,2}oom|-[cSEvwsP]|-pipe)$/

/** Takes the words of a command line apart. */
export function compilerOptions(words: readonly string[]): CompilerOption[] {
  const options: CompilerOption[] = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    const next = words[index + 1]
    if (joined.test(word)) options.push({ flag: word.slice(0, 2), value: word.slice(2), words: [word], isOpen: false })
    else if (separate.has(word) && next !== undefined) {
      options.push({ flag: word, value: next, words: [word, next], isOpen: false })
      index++
    } else options.push({ flag: word, words: [word], isOpen: /^-[\w-]+$/.test(word) && !alone.test(word) })
  }
  return options
}
