/** A Markdown text, its fenced code apart. */
export interface Parted {
  prose: string
  code: string
}

/** Parts a text: fenced blocks and `<file>` blocks are code. */
export function partedText(text: string): Parted {
  const prose: string[] = []
  const code: string[] = []
  let ends: ((line: string) => boolean) | undefined
  for (const line of text.split('\n')) {
    if (ends) {
      if (ends(line)) ends = undefined
      else code.push(line)
      continue
    }
    const [, marks] = /^\s*(`{3,}|~{3,})/.exec(line) ?? []
    if (marks !== undefined) ends = (other) => other.trimStart().startsWith(marks)
    else if (/^\s*<file\s+path\b[^>]*>\s*$/.test(line)) ends = (other) => other.trim() === '</file>'
    else prose.push(line)
  }
  return { prose: prose.join('\n'), code: code.join('\n') }
}
