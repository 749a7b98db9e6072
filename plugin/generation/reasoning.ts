/**
 * Takes reasoning out of an answer that marks it by `<think>`: what stands between the marks at its beginning, or before a
 * closing mark whose opening one was part of the prompt. An opening mark without its end leaves no answer.
 */
export function withoutReasoning(text: string): { text: string; reasoning: string } {
  const open = /^\s*<think(?:ing)?>/.exec(text)
  const close = /<\/think(?:ing)?>\s*/.exec(text)
  if (open && !close) return { text: '', reasoning: text.slice(open[0].length) }
  if (!close || (!open && text.slice(0, close.index).includes('```'))) return { text, reasoning: '' }
  const end = close.index
  return { text: text.slice(end + close[0].length), reasoning: text.slice(open?.[0].length ?? 0, end).trim() }
}
