import { realPath } from '../candidates/index.ts'
import { readRegular } from '../files/index.ts'
import { neutralText } from '../model/index.ts'

/** Larger sources are shown without their lines. */
const maxBytes = 1 << 20
/** Lines before and after the one that is shown. */
const around = 2
const maxColumns = 120

/**
 * The lines around a place in a candidate's source, as Vitest shows those of modules; undefined for what is no source of
 * the candidate. Vitest itself knows no candidate, and would print its text as it is.
 */
export function codeFrame(file: string, line: number, sampleRoot: string): string | undefined {
  const lines = linesOf(file, sampleRoot)
  if (!lines || line < 1 || line > lines.length) return undefined
  const first = Math.max(1, line - around)
  const shown = lines.slice(first - 1, line + around).map((text, index) => {
    const number = String(first + index)
    return `${first + index === line ? '>' : ' '}${number.padStart(6)}| ${neutralText(text).slice(0, maxColumns)}`
  })
  return shown.join('\n')
}

function linesOf(file: string, sampleRoot: string): string[] | undefined {
  const path = realPath(file)
  if (!path.startsWith(`${realPath(sampleRoot)}/`)) return undefined
  try {
    return readRegular(path, maxBytes).toString('utf8').split(/\r?\n/)
  } catch {
    return undefined
  }
}
