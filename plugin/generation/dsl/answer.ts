import { closeTag, maxAnswer, openTag, unfenced } from '../answer.ts'
import type { Answer } from '../types.ts'

/** What the program of an answer is called, in prompts and in what is found of it. */
export const programName = 'program.npu.ts'

const unusable = (reason: string): Answer => ({ kind: 'unusable-answer', reason })

/** The program of an answer: the one block `<file path="….npu.ts">`, else the one fenced block that holds an operator. */
export function readProgramAnswer(answer: string): Answer {
  if (answer.length > maxAnswer)
    return unusable(`the answer has ${answer.length} characters: at most ${maxAnswer} are read`)
  if (answer.trim() === '') return { kind: 'no-answer', reason: 'the answer is empty' }
  const lines = answer.split('\n')
  const found = taggedIn(lines)
  if (found === 'cut off') return unusable('the program is cut off: its block has no </file>')
  const programs = found.length > 0 ? found : fencedIn(lines)
  if (programs.length > 1) return unusable(`there are ${programs.length} files in it: the answer is one program`)
  const [content] = programs
  if (content === undefined) {
    const shown = answer.trim().split(/\s+/).join(' ').slice(0, 80)
    return { kind: 'no-answer', reason: `there is no program in it; it begins "${shown}"` }
  }
  return content.trim() === ''
    ? unusable('the program is empty')
    : { kind: 'files', files: [{ path: programName, content }] }
}

function taggedIn(lines: readonly string[]): string[] | 'cut off' {
  const starts = lines.flatMap((line, i) => (openTag.test(line) ? [i] : []))
  const found: string[] = []
  for (const [index, start] of starts.entries()) {
    const next = starts[index + 1] ?? lines.length
    const inside = lines.slice(start + 1, next)
    const end = inside.findLastIndex((line) => closeTag.test(line))
    if (end < 0) return 'cut off'
    found.push(unfenced(inside.slice(0, end)))
  }
  return found
}

/** Whoever shows a piece of a program before the whole means the whole. */
function fencedIn(lines: readonly string[]): string[] {
  const found: string[] = []
  let start: number | undefined
  for (const [i, line] of lines.entries()) {
    if (start === undefined) start = /^[ \t]*```[^`]*$/.test(line) ? i + 1 : undefined
    else if (/^[ \t]*```[ \t]*\r?$/.test(line)) {
      found.push(lines.slice(start, i).join('\n') + '\n')
      start = undefined
    }
  }
  return found.filter((content) => /^export default /m.test(content))
}
