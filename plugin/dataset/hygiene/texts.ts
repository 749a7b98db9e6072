/** A Markdown text, its fenced code apart. */
export interface Parted {
  prose: string
  code: string
}

/** Parts a text: fenced blocks and `<file>` blocks are code. */
export function partedText(text: string): Parted {
  const prose: string[] = []
  const code: string[] = []
  let end: RegExp | undefined
  for (const line of text.split('\n')) {
    if (end) {
      if (end.test(line)) end = undefined
      else code.push(line)
      continue
    }
    const [, marks] = /^\s*(`{3,}|~{3,})/.exec(line) ?? []
    if (marks !== undefined) end = new RegExp(String.raw`^\s*${marks}`)
    else if (/^\s*<file\s+path\b[^>]*>\s*$/.test(line)) end = /^\s*<\/file>\s*$/
    else prose.push(line)
  }
  return { prose: prose.join('\n'), code: code.join('\n') }
}
