/** What a terminal shows of a character. */
interface Style {
  color: string | undefined
  background: string | undefined
  bold: boolean
  dim: boolean
}

const plain: Style = { color: undefined, background: undefined, bold: false, dim: false }
const colors: Record<number, string> = {
  30: '#0d1117',
  31: '#ff7b72',
  32: '#3fb950',
  33: '#d29922',
  34: '#58a6ff',
  35: '#bc8cff',
  36: '#39c5cf',
  37: '#e6edf3',
  90: '#8b949e',
}

const [columnWidth, lineHeight, padding] = [7.8, 18, 16]

/** A text with the escapes that terminals know for colours, as an SVG. */
export function terminalPicture(text: string, columns = 138): string {
  let style = plain
  const rows = text.split('\n').flatMap((line) => {
    const cells: { char: string; style: Style }[] = []
    for (const [i, part] of line.split('\u001B[').entries()) {
      const end = i === 0 ? 0 : part.indexOf('m') + 1
      if (end > 0) for (const code of part.slice(0, end - 1).split(';')) style = styled(style, Number(code))
      // few fonts have the line that Vitest draws
      for (const char of part.slice(end).replaceAll('\u23AF', '─')) cells.push({ char, style })
    }
    const count = Math.max(1, Math.ceil(cells.length / columns))
    return Array.from({ length: count }, (_, i) => cells.slice(i * columns, (i + 1) * columns))
  })
  const width = Math.round(columns * columnWidth + 2 * padding)
  const height = rows.length * lineHeight + 2 * padding
  const body = rows.flatMap((cells, row) => rowOf(cells, padding + row * lineHeight)).join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${body}
</svg>
`
}

function styled(style: Style, code: number): Style {
  if (code === 0) return plain
  if (code === 1) return { ...style, bold: true }
  if (code === 2) return { ...style, dim: true }
  if (code === 22) return { ...style, bold: false, dim: false }
  if (code === 39) return { ...style, color: undefined }
  if (code === 49) return { ...style, background: undefined }
  if (code in colors) return { ...style, color: colors[code] }
  return code - 10 in colors ? { ...style, background: colors[code - 10] } : style
}

/** One element for each run of characters of one style. */
function rowOf(cells: readonly { char: string; style: Style }[], top: number): string[] {
  const parts: { text: string; at: number; count: number; style: Style }[] = []
  for (const [at, { char, style }] of cells.entries()) {
    const last = parts.at(-1)
    if (last?.style === style) {
      last.text += char
      last.count++
    } else parts.push({ text: char, at, count: 1, style })
  }
  return parts
    .filter(({ text, style }) => text.trim() !== '' || style.background !== undefined)
    .flatMap(({ text, at, count, style }) => {
      const [x, length] = [(padding + at * columnWidth).toFixed(1), (count * columnWidth).toFixed(1)]
      const fill = style.color ?? '#e6edf3'
      const weight = style.bold ? ' font-weight="bold"' : ''
      const faint = style.dim ? ' opacity="0.65"' : ''
      const back =
        style.background === undefined
          ? []
          : [`<rect x="${x}" y="${top}" width="${length}" height="${lineHeight}" fill="${style.background}"/>`]
      const shown = `<text x="${x}" y="${top + 13}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" fill="${fill}"${weight}${faint}>${escaped(text)}</text>`
      return text.trim() === '' ? back : [...back, shown]
    })
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
