import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expandedInPlace } from '../toolchain/instruction-macros.ts'

/** A function, type or alias that a header declares outside of the emulator's inner namespaces. */
export interface Declaration {
  kind: 'function' | 'class' | 'enum' | 'alias'
  name: string
  namespace: string
  line: number
  parameters: readonly string[]
  body: string
  /** public methods of a class */
  methods: readonly string[]
  /** base classes */
  bases: readonly string[]
}

/** One `// api:` line and what it speaks of. */
export interface ApiLine {
  /** as written: `Cast (scalar)` */
  names: readonly string[]
  pipe: string
  types: string
  evidence: string
  line: number
  declarations: Declaration[]
}

export interface Header {
  /** below the include folder */
  path: string
  /** what its first comment says it is */
  title: string
  text: string
  apis: ApiLine[]
  declarations: readonly Declaration[]
  macros: readonly { name: string; line: number }[]
  /** inner functions and types by name, for their checks */
  inner: ReadonlyMap<string, string>
}

const inner = /^(?:npu_emu|std|AscendC::npu_emu_detail)(?:::|$)|::npu_emu_detail(?:::|$)/

const blank = (text: string): string => text.replace(/[^\n]/g, ' ')

/** The text with comments and preprocessor lines blanked, so that every position stays where it was. */
const codeOf = (text: string): string =>
  text.replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, blank).replace(/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*/gm, blank)

/** The position behind the bracket that closes the one at `from`. */
function behind(text: string, from: number, open: string, close: string): number {
  let depth = 0
  for (let i = from; i < text.length; ++i) {
    if (text[i] === open) ++depth
    else if (text[i] === close && --depth === 0) return i + 1
  }
  return text.length
}

interface Statement {
  head: string
  body: string
  /** position of the head and of the body in the file */
  at: number
  bodyAt: number
}

/** Types and initialised variables go on behind their block, up to a `;`. */
const goesOn = (head: string): boolean =>
  /^(?:typedef\s+)?(?:class|struct|union|enum)\b/.test(head) || /[^=!<>]=\s*$/.test(head)

/** Splits code into what ends with `;` or with a block in braces. */
function statementsOf(code: string, start: number): Statement[] {
  const found: Statement[] = []
  let from = 0
  let body = ''
  let bodyAt = 0
  let head = ''
  const push = (to: number): void => {
    const text = head === '' ? code.slice(from, to) : head
    const skipped = /^\s*(?:(?:public|private|protected):\s*)*/.exec(text)?.[0].length ?? 0
    if (text.trim() !== '') found.push({ head: text, body, at: start + from + skipped, bodyAt: start + bodyAt })
    from = to + 1
    body = ''
    head = ''
  }
  for (let i = 0; i < code.length; ++i) {
    const char = code[i]
    if (char === '"') {
      while (code[++i] !== '"' && i < code.length) if (code[i] === '\\') ++i
    } else if (char === '(') i = behind(code, i, '(', ')') - 1
    else if (char === ';') push(i)
    else if (char === '{') {
      const end = behind(code, i, '{', '}')
      const text = code.slice(from, i)
      if (head === '') {
        head = text
        body = code.slice(i + 1, end - 1)
        bodyAt = i + 1
      }
      i = end - 1
      if (!goesOn(plainHead(text))) push(i)
    }
  }
  return found
}

/** Without `template <...>`, access labels and attributes. */
function plainHead(head: string): string {
  let text = head.trim()
  for (;;) {
    const label =
      /^(?:(?:public|private|protected):|\[\[[^\]]*\]\]|(?:inline|static|constexpr|explicit|virtual)\b)\s*/.exec(text)
    if (label) text = text.slice(label[0].length)
    else if (/^template\s*</.test(text)) text = text.slice(behind(text, text.indexOf('<'), '<', '>')).trim()
    else return text
  }
}

const functionName = /(operator\s*(?:\(\)|\[\]|[^\s\w(]+)|~?\b\w+)\s*\(/

/** Splits at commas outside of brackets. */
export function splitList(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const char of text) {
    if ('(<[{'.includes(char)) ++depth
    if (')>]}'.includes(char)) --depth
    if (char === ',' && depth === 0) {
      parts.push(part.trim())
      part = ''
    } else part += char
  }
  return part.trim() === '' ? parts : [...parts, part.trim()]
}

interface Reading {
  lineAt: (position: number) => number
  declarations: Declaration[]
  inner: Map<string, string>
}

function readScope(code: string, start: number, namespace: string, reading: Reading): void {
  for (const statement of statementsOf(code, start)) {
    const head = plainHead(statement.head)
    const scope = /^(?:inline\s+)?namespace\s+([\w:]+)?|^extern "C"/.exec(head)
    if (scope && statement.body !== '') {
      readScope(statement.body, statement.bodyAt, [namespace, scope[1]].filter(Boolean).join('::'), reading)
      continue
    }
    const declaration = declarationOf(statement, head, namespace, reading.lineAt(statement.at))
    if (!declaration) continue
    if (inner.test(namespace))
      reading.inner.set(
        declaration.name,
        `${reading.inner.get(declaration.name) ?? ''}${statement.head}${statement.body}`,
      )
    else reading.declarations.push(declaration)
  }
}

function declarationOf(
  { head: fullHead, body }: Statement,
  head: string,
  namespace: string,
  line: number,
): Declaration | null {
  const common = { namespace, line, body, parameters: [], methods: [], bases: [] }
  const type = /^(class|struct|union|enum(?:\s+class)?)\s+(\w+)\s*(<)?/.exec(head)
  if (type) {
    const [, word = '', name = '', special] = type
    if (!/[{]/.test(fullHead) && body === '' && !head.includes(':')) return null
    if (special === '<') return null
    if (word.startsWith('enum')) return { ...common, kind: 'enum', name }
    const bases = [...head.matchAll(/\bpublic\s+([\w:]+)/g)].map(([, base = '']) => base.split('::').at(-1) ?? '')
    const methods = methodsOf(body, word === 'class').filter((method) => method !== name)
    return { ...common, kind: 'class', name, methods, bases }
  }
  if (/=\s*delete$/.test(head.trimEnd())) return null
  const alias = /^using\s+(\w+)\s*=/.exec(head)
  if (alias?.[1]) return { ...common, kind: 'alias', name: alias[1], body: head }
  const found = functionName.exec(head.replace(/__attribute__\s*\(\([^)]*\)\)/g, blank))
  if (!found?.[1] || /^(?:using|typedef|static_assert|friend|extern template)\b/.test(head)) return null
  if (/[^=!<>]=(?!=)/.test(head.slice(0, found.index))) return null
  const open = found.index + found[0].length - 1
  const parameters = splitList(head.slice(open + 1, behind(head, open, '(', ')') - 1))
  return { ...common, kind: 'function', name: found[1].replace(/\s+/g, ''), parameters }
}

function methodsOf(body: string, startsPrivate: boolean): string[] {
  const names = new Set<string>()
  let hidden = startsPrivate
  for (const statement of statementsOf(body, 0)) {
    const label = [...statement.head.matchAll(/^[ \t]*(public|private|protected):/gm)].at(-1)?.[1]
    if (label !== undefined) hidden = label !== 'public'
    const head = plainHead(statement.head)
    const found = hidden ? null : declarationOf(statement, head, '', 0)
    if (found?.kind === 'function' && /^(?!npu_emu)\w/.test(found.name)) names.add(found.name)
  }
  return [...names]
}

/** Lines that go on are indented: `//   ` */
const apiPattern = /^[ \t]*\/\/ api: (.*(?:\n[ \t]*\/\/ {3}.*)*)$/gm

/** `Cast (scalar)` speaks of `Cast`, `AscendCUtils::SetMask` of `AscendCUtils`. */
const declaredName = (name: string): string => (name.replace(/ \(.*\)$/, '').split('::')[0] ?? '').trim()

/** `DT_*` speaks of all names that begin with `DT_`. */
const speaksOf = (given: string, name: string): boolean =>
  given.endsWith('*') && !given.startsWith('operator')
    ? name.startsWith(given.slice(0, -1))
    : declaredName(given) === name

/** Reads one header. Throws when an `// api:` line does not have its four fields. */
export function readHeader(path: string, written: string): Header {
  const text = expandedInPlace(written)
  const lineAt = (position: number): number => text.slice(0, position).split('\n').length
  const reading: Reading = { lineAt, declarations: [], inner: new Map() }
  const code = codeOf(text)
  readScope(code, 0, '', reading)
  const apis = [...text.matchAll(apiPattern)].map((match): ApiLine => {
    const fields = (match[1] ?? '').replace(/\n[ \t]*\/\/ {3}/g, ' ').split(' | ')
    const [names = '', pipe = '', types = '', evidence = ''] = fields
    if (fields.length !== 4 || !/^(?:documented|inferred|guessed)\b/.test(evidence))
      throw new Error(`${path}:${lineAt(match.index)}: an api line is \`names | pipe | types | evidence\``)
    return { names: names.split(/, (?![^()]*\))/), pipe, types, evidence, line: lineAt(match.index), declarations: [] }
  })
  for (const declaration of reading.declarations)
    apis
      .findLast(
        ({ names, line }) => line < declaration.line && names.some((given) => speaksOf(given, declaration.name)),
      )
      ?.declarations.push(declaration)
  const macros = [...text.matchAll(/^[ \t]*#[ \t]*define (\w+)/gm)].map((match) => ({
    name: match[1] ?? '',
    line: lineAt(match.index),
  }))
  const title = /^\/\/ (.*(?:\n\/\/ .*)*)/.exec(text)?.[1]?.replace(/\n\/\/ /g, ' ') ?? ''
  return { path, title, text, apis, declarations: reading.declarations, macros, inner: reading.inner }
}

/** Every header below a folder, sorted by path. */
export function readHeaders(folder: string): Header[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.h'))
  return files
    .map((name) => name.replaceAll('\\', '/'))
    .sort()
    .map((name) => readHeader(name, readFileSync(join(folder, name), 'utf8')))
}

const includeFolder = fileURLToPath(new URL('../../plugin/emulator/include', import.meta.url))
let read: Header[] | undefined

/** The headers that candidates see, read once. */
export const emulatorHeaders = (): readonly Header[] => (read ??= readHeaders(includeFolder))

/** What an api line names that its header does not declare. */
export function undeclaredNames({ apis, declarations, macros }: Header): string[] {
  const methods = declarations.flatMap((declaration) => declaration.methods)
  const known = [...[...declarations, ...macros].map(({ name }) => name), ...methods]
  return apis.flatMap(({ names }) => names.filter((given) => !known.some((name) => speaksOf(given, name))))
}

/** Macros that are no part of Ascend C: those of the emulator, and words of the compiler. */
const innerMacro = /^(?:NPU_EMU_|__|aicore$|always_inline$)/

/** Uses of the emulator's own macros, which read like functions. */
const innerUse = /^NPU_EMU_/

/** Public functions, classes with methods and macros of a header that no api line above them speaks of, as `name:line`. */
export function uncoveredNames({ apis, declarations, macros }: Header): string[] {
  const covered = ({ name, line }: { name: string; line: number }): boolean =>
    apis.some((api) => api.line < line && api.names.some((given) => speaksOf(given, name)))
  const named = [
    ...declarations.filter(
      ({ kind, name, methods }) => (kind === 'function' && !innerUse.test(name)) || methods.length > 0,
    ),
    ...macros.filter(({ name }) => !innerMacro.test(name)),
  ]
  return named.filter((item) => !covered(item)).map(({ name, line }) => `${name}:${line}`)
}
