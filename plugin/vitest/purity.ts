import { builtinModules } from 'node:module'
import { parseSync } from 'oxc-parser'

/** Modules of Node that compute and do nothing else. */
const pureModules = new Set(['assert', 'buffer', 'path', 'url', 'util'])
const impureModules = new Set(builtinModules.filter((name) => !pureModules.has(name.split('/')[0] ?? '')))

/** What everybody can name, and what leads to the environment, the time, chance, the network, or code that is no file. */
const impureNames = new Set(
  `AbortSignal Atomics BroadcastChannel Date Event EventSource File FinalizationRegistry Function Intl Math MessageChannel Temporal WeakRef
WebSocket Worker __dirname __filename crypto eval fetch global globalThis localStorage module navigator performance process
require sessionStorage setImmediate setInterval setTimeout vi vitest`.split(/\s/),
)

/** Members that lead to the same, of whatever they are. */
const impureMembers = new Set('getState lastModified stack timeStamp'.split(' '))

/** Functions of fast-check that draw by a seed of their own. */
const drawing = new Set('assert check sample statistics'.split(' '))

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
  const draws = program.body.some((statement) => isNode(statement) && isOf('fast-check', statement['source']))
  const impure = new Set([...impureNames].filter((name) => !own.has(name)))
  return asksNothing(program, { impure, members: draws ? new Set([...impureMembers, ...drawing]) : impureMembers })
}

/** Does a statement import this package, or a part of it? */
function isOf(name: string, source: unknown): boolean {
  const from = isNode(source) ? source['value'] : undefined
  return typeof from === 'string' && (from === name || from.startsWith(`${name}/`))
}

interface Names {
  impure: ReadonlySet<string>
  members: ReadonlySet<string>
}

function asksNothing(node: TreeNode, names: Names): boolean {
  if (node.type === 'Identifier') return !names.impure.has(String(node['name']))
  // `import.meta`
  if (node.type === 'MetaProperty' || node.type === 'TSExternalModuleReference') return false
  if (isNode(node['source']) && !isPureModule(node['source'])) return false
  if (isOf('vitest', node['source']) && !isPureOfVitest(node)) return false
  if (hasImpureMember(node, names)) return false
  if (isOfMath(node)) return true
  return childrenOf(node).every((child) => asksNothing(child, names))
}

/** Members of `Math` compute, but for one. Handed on as a whole it may be asked for that one elsewhere. */
const isOfMath = ({ type, object, property, computed }: TreeNode): boolean =>
  type === 'MemberExpression' && computed === false && nameOf(object) === 'Math' && nameOf(property) !== 'random'

/** The name of a member, of a part of a pattern or of an import, where it is written out. */
function hasImpureMember({ type, property, key, imported, computed }: TreeNode, { members }: Names): boolean {
  if (!['MemberExpression', 'Property', 'ImportSpecifier'].includes(type)) return false
  const named = property ?? key ?? imported
  const name =
    isNode(named) && named.type === 'Literal' ? named['value'] : computed === true ? undefined : nameOf(named)
  return typeof name === 'string' && (members.has(name) || name.startsWith('toLocale'))
}

function isPureModule({ type, value }: TreeNode): boolean {
  // the name is computed
  if (type !== 'Literal' || typeof value !== 'string') return false
  // other parts of this package read files and runs
  if (value.startsWith('vitest-npu/') && value !== 'vitest-npu/dsl') return false
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
