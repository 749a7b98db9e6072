import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync, type Comment, type Directive, type Statement } from 'oxc-parser'

/** Beside `plugin/` (source) and beside `dist/` (built): the text is the same on every machine. */
const source = new URL('../../plugin/dsl/language.ts', import.meta.url)

/** What of the module only its own types need. */
const inner = new Set(['Argument', 'Tensor', 'AttributeOf', 'Operator', 'operator'])

/** The functions and types of `vitest-npu/dsl` but for the vector primitives, as they are declared, without bodies. */
export function declarationsText(): string {
  const text = readFileSync(fileURLToPath(source), 'utf8')
  const { program, comments } = parseSync('language.ts', text, { lang: 'ts', sourceType: 'module' })
  const overloaded = new Set<string>()
  return program.body
    .flatMap((node) => {
      const found = declarationOf(node, text)
      if (!found || inner.has(found.name)) return []
      // the implementation behind overloads says nothing that they do not
      if (found.isBody && overloaded.has(found.name)) return []
      if (!found.isBody) overloaded.add(found.name)
      return [[...commentBefore(node, comments, text), found.text].join('\n')]
    })
    .join('\n')
}

interface Declared {
  name: string
  text: string
  /** it is a function with its body */
  isBody: boolean
}

function declarationOf(node: Directive | Statement, text: string): Declared | undefined {
  if (node.type === 'ExpressionStatement' && node.expression.type === 'AssignmentExpression') {
    const written = text.slice(node.start, node.end)
    const [, name = '', signature = ''] = /^([\w.]+) = (\([^{]*?\): \w+) =>/.exec(written) ?? []
    return { name, text: `${name}${signature}`, isBody: true }
  }
  if (node.type !== 'ExportNamedDeclaration' || !node.declaration) return undefined
  const { declaration } = node
  const until = (end: number): string => text.slice(declaration.start, end).trim()
  switch (declaration.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return {
        name: declaration.id?.name ?? '',
        text: until(declaration.body?.start ?? node.end),
        isBody: !!declaration.body,
      }
    case 'TSInterfaceDeclaration':
      return { name: declaration.id.name, text: until(node.end).replaceAll('readonly ', ''), isBody: true }
    case 'VariableDeclaration':
      return {
        name: 'attr',
        text: until(node.end).replaceAll(/ => neverRun\(\)|(?<=\()_(?=initial)/g, ''),
        isBody: true,
      }
    default:
      return undefined
  }
}

/** The comment that ends where a declaration begins. */
function commentBefore({ start }: Directive | Statement, comments: readonly Comment[], text: string): string[] {
  const comment = comments.findLast(({ end }) => end <= start)
  return comment && text.slice(comment.end, start).trim() === '' ? [text.slice(comment.start, comment.end)] : []
}
