import { builtinModules } from 'node:module'
import { parseSync } from 'oxc-parser'

/** Modules of Node that compute and do nothing else. */
const pureModules = new Set(['assert', 'buffer', 'path', 'url', 'util'])
const impureModules = new Set(builtinModules.filter((name) => !pureModules.has(name.split('/')[0] ?? '')))

/** What everybody can name, and what leads to the environment, the time, chance, the network, or code that is no file. */
const impureNames = new Set(
  `Date EventSource Function Intl Math Temporal WebSocket __dirname __filename crypto eval fetch global globalThis localStorage navigator
performance process require sessionStorage vi vitest`.split(/\s/),
)

/** What of Vitest reads nothing: `vi.importActual` reads any module, in no graph of modules, and `inject` what a configuration gives. */
const pureOfVitest = new Set(
  'afterAll afterEach assert beforeAll beforeEach describe expect expectTypeOf it onTestFailed onTestFinished suite test'.split(
    ' ',
  ),
)

interface TreeNode {
  type: string
  [key: string]: unknown
}

/**
 * Whether a file can ask for nothing that no digest of files holds. Code that nobody could parse, and what is neither code nor data,
 * may ask for anything.
 */
export function isPure(file: string, text: string): boolean {
  if (file.endsWith('.json')) return true
  if (!/\.[cm]?[jt]sx?$/.test(file)) return false
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0 || !isNode(program)) return false
  const own = new Set(program.body.flatMap((statement) => (isNode(statement) ? declaredBy(statement) : [])))
  return asksNothing(program, new Set([...impureNames].filter((name) => !own.has(name))))
}

function asksNothing(node: TreeNode, impure: ReadonlySet<string>): boolean {
  if (node.type === 'Identifier') return !impure.has(String(node['name']))
  // `import.meta`
  if (node.type === 'MetaProperty' || node.type === 'TSExternalModuleReference') return false
  if (isNode(node['source']) && !isPureModule(node['source'])) return false
  if (isNode(node['source']) && /^vitest(?:\/|$)/.test(String(node['source']['value'])) && !isPureOfVitest(node))
    return false
  if (isOfMath(node)) return true
  return childrenOf(node).every((child) => asksNothing(child, impure))
}

/** Members of `Math` compute, but for one. Handed on as a whole it may be asked for that one elsewhere. */
const isOfMath = ({ type, object, property, computed }: TreeNode): boolean =>
  type === 'MemberExpression' && computed === false && nameOf(object) === 'Math' && nameOf(property) !== 'random'

function isPureModule({ type, value }: TreeNode): boolean {
  // the name is computed
  if (type !== 'Literal' || typeof value !== 'string') return false
  return !impureModules.has(value) && !(value.startsWith('node:') && impureModules.has(value.slice(5)))
}

function isPureOfVitest({ type, importKind, specifiers }: TreeNode): boolean {
  if (importKind === 'type') return true
  if (type !== 'ImportDeclaration') return false
  const parts = [specifiers].flat().filter(isNode)
  return parts.every((part) => part['importKind'] === 'type' || pureOfVitest.has(nameOf(part['imported']) ?? ''))
}

/** What makes something at run time: a type of the same name leaves what everybody can name as it is. */
const makers = new Set(['ClassDeclaration', 'FunctionDeclaration', 'ImportDeclaration', 'VariableDeclaration'])

/** Names that a statement of a module gives to something of its own, as far as they are written out one by one. */
function declaredBy(statement: TreeNode): string[] {
  const { declaration } = statement
  const made = isNode(declaration) ? declaration : statement
  if (!makers.has(made.type) || made['declare'] === true || made['importKind'] === 'type') return []
  const parts = [made['declarations'], made['specifiers']].flat().filter((part) => isNode(part))
  const names = parts.filter((part) => part['importKind'] !== 'type').flatMap((part) => [part['id'], part['local']])
  return [made['id'], ...names].flatMap((name) => nameOf(name) ?? [])
}

const nameOf = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Identifier' ? String(node['name']) : undefined

/** All but the names of members and of fields, which stand for nothing themselves. */
function childrenOf(node: TreeNode): TreeNode[] {
  const found: TreeNode[] = []
  for (const [key, value] of Object.entries(node)) {
    if ((key === 'property' || key === 'key') && node['computed'] !== true) continue
    if (Array.isArray(value)) found.push(...value.filter(isNode))
    else if (isNode(value)) found.push(value)
  }
  return found
}

const isNode = (value: unknown): value is TreeNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
