import { visitorKeys } from 'oxc-parser'
import type { Program } from './syntax.ts'
import { isRenamed, isReserved } from './names.ts'

// Authors need not know what C++ and the project call by name: their own variables of such a name get another one, in the whole file.
// So does a buffer that is called like one of another block: both are members of the kernel's class.

interface TreeNode {
  type: string
  [key: string]: unknown
}

const isNode = (value: unknown): value is TreeNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

function childrenOf(node: TreeNode): TreeNode[] {
  const found: TreeNode[] = []
  for (const key of visitorKeys[node.type] ?? []) {
    const value = node[key]
    if (Array.isArray(value)) found.push(...value.filter(isNode))
    else if (isNode(value)) found.push(value)
  }
  return found
}

/** Gives variables, loop variables and what the host part returns names that C++ allows. Changes the tree. */
export function renameVariables(program: Program): void {
  if (!isNode(program)) return
  const declared = new Set<string>()
  const used = new Set<string>()
  const imported = new Set<string>()
  visit(program, (node) => {
    if (isName(node)) used.add(node.name)
    if (node.type === 'ImportSpecifier' && isName(node['local'])) imported.add(node['local'].name)
    for (const name of declaredBy(node)) if (isRenamed(name)) declared.add(name)
  })
  for (const name of imported) declared.delete(name)
  const aliases = new Map<string, string>()
  for (const name of declared) aliases.set(name, aliasOf(name, used))
  if (aliases.size > 0) visit(program, (node) => rename(node, aliases))
  separateBuffers(program, { used, known: new Map(), around: [] })
}

interface Buffers {
  readonly used: Set<string>
  /** the block that has the first buffer of a name */
  readonly known: Map<string, TreeNode>
  /** the blocks around this place */
  readonly around: readonly TreeNode[]
}

/** Gives a buffer that is called like one of a block beside its own another name, in its own. */
function separateBuffers(node: TreeNode, { used, known, around }: Buffers): void {
  const within = node.type === 'BlockStatement' ? [...around, node] : around
  if (node.type === 'BlockStatement')
    for (const name of childrenOf(node).flatMap(buffersOf)) {
      const first = known.get(name)
      if (first && !within.includes(first)) {
        const aliases = new Map([[name, aliasOf(name, used)]])
        visit(node, (each) => rename(each, aliases))
      } else known.set(name, node)
    }
  for (const child of childrenOf(node)) separateBuffers(child, { used, known, around: within })
}

/** Names of the buffers that a statement declares. */
function buffersOf(statement: TreeNode): string[] {
  if (statement.type !== 'VariableDeclaration') return []
  return childrenOf(statement).flatMap(({ id, init }) => {
    if (!isName(id) || !isNode(init) || init.type !== 'CallExpression') return []
    const { callee } = init
    return isName(callee) && (callee.name === 'buffer' || callee.name === 'mask') ? [id.name] : []
  })
}

function visit(node: TreeNode, see: (node: TreeNode) => void): void {
  see(node)
  for (const child of childrenOf(node)) visit(child, see)
}

type Name = TreeNode & { name: string }

const isName = (node: unknown): node is Name =>
  isNode(node) && node.type === 'Identifier' && typeof node['name'] === 'string'

/** Names of variables, and of what the host part returns. */
function declaredBy(node: TreeNode): string[] {
  if (node.type === 'VariableDeclarator' && isName(node['id'])) return [node['id'].name]
  return returnedKeys(node).map(({ name }) => name)
}

function returnedKeys(node: TreeNode): Name[] {
  if (node.type !== 'ReturnStatement' || !isNode(node['argument']) || node['argument'].type !== 'ObjectExpression')
    return []
  return childrenOf(node['argument'])
    .map((property) => property['key'])
    .filter(isName)
}

const aliasOf = (name: string, used: Set<string>): string => {
  // what a number alone does not help becomes another word
  const letters = name.replace(/[^A-Za-z\d]/g, '')
  const stem = [name.replace(/(?<!_)_+$/, ''), `v${letters}`].find((each) => !isReserved(`${each}1`)) ?? 'v'
  for (let count = 1; ; count++) {
    const alias = `${stem}${count}`
    if (used.has(alias) || isReserved(alias)) continue
    used.add(alias)
    return alias
  }
}

/** What stands for a variable: neither members, nor keys but for those of what is returned and taken apart. */
function rename(node: TreeNode, aliases: ReadonlyMap<string, string>): void {
  for (const key of visitorKeys[node.type] ?? [])
    for (const child of [node[key]].flat())
      if (isName(child) && !isKey(node, key)) child.name = aliases.get(child.name) ?? child.name
  for (const key of returnedKeys(node)) key.name = aliases.get(key.name) ?? key.name
}

const isKey = (node: TreeNode, key: string): boolean =>
  (node.type === 'MemberExpression' && key === 'property' && node['computed'] !== true) ||
  (node.type === 'Property' && key === 'key' && node['shorthand'] !== true)
