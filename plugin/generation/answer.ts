import type { ProjectFile } from '../model/index.ts'
import { PackError, readPack } from '../candidates/index.ts'
import { problemOf, type ImportedSample } from '../imports/index.ts'
import { shownName } from '../files/index.ts'
import type { Answer, Mode } from './types.ts'

/** Characters of an answer that is read at all: operators have some hundred thousand. */
export const maxAnswer = 4 << 20

type Unread = Exclude<Answer, { kind: 'files' }>
type Found = ProjectFile[] | Unread

const unusable = (reason: string): Unread => ({ kind: 'unusable-answer', reason })
const isUnread = (found: Found): found is Unread => !Array.isArray(found)

/**
 * The files of an answer: blocks `<file path="...">`, else fenced blocks that say a path, else a pack of MultiKernelBench. Whatever
 * else it is, has an outcome with its reason.
 */
export function readAnswer(answer: string, mode: Mode): Answer {
  if (answer.length > maxAnswer)
    return unusable(`the answer has ${answer.length} characters: at most ${maxAnswer} are read`)
  if (answer.trim() === '') return { kind: 'no-answer', reason: 'the answer is empty' }
  for (const read of [taggedFiles, fencedFiles, packedFiles]) {
    const found = read(answer)
    if (isUnread(found)) return found
    if (found.length > 0) return checked(found, mode)
  }
  const shown = answer.trim().split(/\s+/).join(' ').slice(0, 80)
  return { kind: 'no-answer', reason: `there is no file in it; it begins "${shown}"` }
}

/** Our own form, in which what is between the tags is the file. */
export const writeFiles = (files: readonly ProjectFile[]): string =>
  files
    .map(({ path, content }) => `<file path="${path}">\n${content}${content.endsWith('\n') ? '' : '\n'}</file>`)
    .join('\n')

/** The line that begins a file, with its path. */
export const openTag = /^[ \t]*<file\s+path\s*=\s*(?:"([^"\n]*)"|'([^'\n]*)')\s*>[ \t]*\r?$/
export const closeTag = /^[ \t]*<\/file>[ \t]*\r?$/

/** A file ends with the last closing tag before the next file: one that it holds itself is part of it. */
function taggedFiles(answer: string): Found {
  const lines = answer.split('\n')
  const starts = lines.flatMap((line, i) => (openTag.test(line) ? [i] : []))
  const files: ProjectFile[] = []
  for (const [index, start] of starts.entries()) {
    const [, double, single] = openTag.exec(lines[start]!) ?? []
    const path = double ?? single ?? ''
    const next = starts[index + 1] ?? lines.length
    const end = lines.slice(start + 1, next).findLastIndex((line) => closeTag.test(line))
    if (end < 0) return unusable(`${shownName(path).slice(0, 80)} is cut off: its block has no </file>`)
    files.push({ path, content: unfenced(lines.slice(start + 1, start + 1 + end)) })
  }
  return files
}

/** The marks of a line that opens or closes a fenced block, and what stands behind them. */
function fenceOf(line: string): { marks: string; info: string } | undefined {
  const [, marks, info = ''] = /^[ \t]*(`{3,}(?!`)|~{3,}(?!~))([^`]*)$/.exec(line) ?? []
  return marks === undefined ? undefined : { marks, info: info.trim() }
}

const textOf = (lines: readonly string[]): string => (lines.length === 0 ? '' : `${lines.join('\n')}\n`)

/** A block within the tags is what models add of themselves: it is no part of a source. */
export function unfenced(lines: readonly string[]): string {
  const [first, last] = [
    lines.findIndex((line) => line.trim() !== ''),
    lines.findLastIndex((line) => line.trim() !== ''),
  ]
  const [open, close] = [fenceOf(lines[first] ?? ''), fenceOf(lines[last] ?? '')]
  const isBlock = first < last && open !== undefined && open.marks === close?.marks && close.info === ''
  return textOf(isBlock ? lines.slice(first + 1, last) : lines)
}

const closes = (line: string, marks: string): boolean => {
  const fence = fenceOf(line)
  return fence !== undefined && fence.info === '' && fence.marks.startsWith(marks)
}

/** The first path of a line; a line longer than any path is code. */
const pathIn = (text: string): string | undefined =>
  text.length > 500
    ? undefined
    : /(?:^|[\s`"'*=:([])((?:[\w./\\-]*\/)?op_(?:host|kernel)\/[\w./\\+-]*\.\w+)/.exec(text)?.[1]

/** Fenced blocks whose info string, the line before, or first line of comment says a path below op_host or op_kernel. */
function fencedFiles(answer: string): Found {
  const lines = answer.split('\n')
  const files: ProjectFile[] = []
  let previous = ''
  for (let i = 0; i < lines.length; i++) {
    const open = fenceOf(lines[i]!)
    if (!open) {
      if (lines[i]!.trim() !== '') previous = lines[i]!
      continue
    }
    const start = i + 1
    const comment = /^\s*(?:\/\/|\/\*|#)(.*)/.exec(lines[start] ?? '')?.[1] ?? ''
    const path = pathIn(open.info) ?? pathIn(previous) ?? pathIn(comment)
    previous = ''
    for (i = start; i < lines.length && !closes(lines[i]!, open.marks); i++);
    if (i === lines.length) {
      if (path === undefined && files.length === 0) return []
      const shown = path === undefined ? 'the last block' : shownName(path).slice(0, 80)
      return unusable(`${shown} is cut off: it has no closing fence`)
    }
    if (path !== undefined) files.push({ path, content: textOf(lines.slice(start, i)) })
  }
  return files
}

/** The three sources that a pack of MultiKernelBench has as strings of a Python module, which may stand in a fenced block. */
function packedFiles(answer: string): Found {
  if (!/^[ \t]*kernel_src\s*(?::[^=\n\r\u2028\u2029]*)?=/m.test(answer)) return []
  try {
    const { files } = readPack(answer, 'operator')
    return [...files].map(([path, content]) => ({ path, content }))
  } catch (error) {
    if (error instanceof PackError) return unusable(error.message)
    throw error
  }
}

function checked(files: readonly ProjectFile[], mode: Mode): Answer {
  const seen = new Set<string>()
  for (const { path } of files) {
    const shown = shownName(path).slice(0, 80)
    if (seen.has(path)) return unusable(`${shown} is given twice`)
    seen.add(path)
    if (!/^op_(?:host|kernel)\/[^/]/.test(path)) return unusable(`${shown} does not lie below op_host/ or op_kernel/`)
    if (mode === 'kernel-only' && path.startsWith('op_host/'))
      return unusable(
        `${shown} belongs to the host part, which is given: the answer may have files below op_kernel/ only`,
      )
  }
  const sample: ImportedSample = {
    task: 'Task',
    sample: 's',
    model: null,
    files: new Map(files.map((each) => [each.path, each.content])),
  }
  const problem = problemOf(sample)
  if (problem !== undefined) return unusable(problem)
  const empty = files.find(({ content }) => content.trim() === '')
  if (empty) return unusable(`${shownName(empty.path)} is empty`)
  return { kind: 'files', files }
}
