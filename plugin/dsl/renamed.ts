import type { Program } from './syntax.ts'
import { isRenamed, isReserved } from './names.ts'

// Authors need not know what C++ and the project call by name: their own variables of such a name get another one, in the whole file.

interface TreeNode {
  type: string
  [key: string]: unknown
}

const isNode = (value: unknown): value is TreeNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const childrenOf = (node: TreeNode): TreeNode[] => Object.values(node).flat().filter(isNode)

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
  const stem = [name.replace(/_+$/, ''), `v${letters}`].find((each) => !isReserved(`${each}1`)) ?? 'v'
  for (let count = 1; ; count++) {
    const alias = `${stem}${count}`
    if (used.has(alias) || isReserved(alias)) continue
    used.add(alias)
    return alias
  }
}

/** What stands for a variable: neither members, nor keys but for those of what is returned and taken apart. */
function rename(node: TreeNode, aliases: ReadonlyMap<string, string>): void {
  for (const [key, value] of Object.entries(node))
    for (const child of [value].flat())
      if (isName(child) && !isKey(node, key)) child.name = aliases.get(child.name) ?? child.name
  for (const key of returnedKeys(node)) key.name = aliases.get(key.name) ?? key.name
}

const isKey = (node: TreeNode, key: string): boolean =>
  (node.type === 'MemberExpression' && key === 'property' && node['computed'] !== true) ||
  (node.type === 'Property' && key === 'key' && node['shorthand'] !== true)
