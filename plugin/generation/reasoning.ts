import { closeTag, openTag } from './answer.ts'

/**
 * Takes reasoning out of an answer that marks it by `<think>`: what stands between the marks at its beginning, or before a
 * closing mark whose opening one was part of the prompt. An opening mark without its end leaves no answer.
 */
export function withoutReasoning(text: string): { text: string; reasoning: string } {
  const open = /^\s*<think(?:ing)?>/.exec(text)
  if (!open) return behindLastMark(text)
  const close = /<\/think(?:ing)?>\s*/.exec(text)
  if (!close) return { text: '', reasoning: text.slice(open[0].length) }
  return {
    text: text.slice(close.index + close[0].length),
    reasoning: text.slice(open[0].length, close.index).trim(),
  }
}

/** Where nothing opens it, a mark counts that has a line of its own, and is not part of a file: a source may spell one. */
function behindLastMark(text: string): { text: string; reasoning: string } {
  const lines = text.split('\n')
  let last = -1
  let isInFile = false
  for (const [i, line] of lines.entries())
    if (openTag.test(line)) isInFile = true
    else if (closeTag.test(line)) isInFile = false
    else if (!isInFile && /^\s*<\/think(?:ing)?>\s*$/.test(line)) last = i
  if (last < 0) return { text, reasoning: '' }
  return {
    text: lines
      .slice(last + 1)
      .join('\n')
      .trimStart(),
    reasoning: lines.slice(0, last).join('\n').trim(),
  }
}
