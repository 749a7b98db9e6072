import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readHeaders, type ApiLine, type Declaration, type Header } from '../toolchain/declarations.ts'
import { census } from './census.ts'
import { absentHostHeaders, pathsOf } from './host-headers.ts'
import { absentHostNames } from './host-names.ts'
import { assertedTypes, documentedTypes, typeListsOf, type TypeLists } from '../toolchain/element-types.ts'

export const includeFolder = fileURLToPath(new URL('../../plugin/emulator/include', import.meta.url))
export const coverageFile = fileURLToPath(new URL('../../docs/emulator-coverage.md', import.meta.url))

const lastWord = (parameter: string): string => /\b(\w+(?:\[\w*\])?)(?:\s*=.*)?$/.exec(parameter)?.[1] ?? ''
const parameterStruct = /\b(\w+(?:Params\w*|Info|Config))\b/

/** How an overload says which elements it works on. */
function formOf({ parameters, kind, methods }: Declaration): string {
  if (kind !== 'function') return methods.length > 0 ? methods.map((name) => `\`${name}\``).join(' ') : kind
  const names = parameters.map(lastWord)
  const temporary = names.some((name) => /tmp/i.test(name)) ? ' + temporary' : ''
  if (names.some((name) => name.startsWith('mask['))) return `mask array${temporary}`
  if (names.includes('mask')) return `mask${temporary}`
  if (names.some((name) => /^(?:count|calCount|elemCount|calCnt)$/.test(name))) return `count${temporary}`
  const struct = parameters.flatMap((parameter) => parameterStruct.exec(parameter)?.[1] ?? []).join(' + ')
  return struct === '' ? `plain${temporary}` : `\`${struct}\`${temporary}`
}

/** The forms of a group with their number, in the order of the declarations. */
function formsOf({ names, declarations }: ApiLine, header: Header): string {
  const counts = new Map<string, number>()
  for (const declaration of declarations) {
    const form = formOf(declaration)
    counts.set(form, (counts.get(form) ?? 0) + 1)
  }
  if (counts.size === 0) {
    const methods = header.declarations.flatMap((declaration) => declaration.methods)
    return names.every((name) => methods.includes(name)) ? 'method' : 'macro'
  }
  return [...counts].map(([form, count]) => (count === 1 ? form : `${form} (${count})`)).join(', ')
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

function rowOf(header: Header, api: ApiLine, lists: TypeLists): string {
  const names = api.names.map((name) => `\`${name}\``).join(', ')
  const types = api.types === 'isa' ? [...(assertedTypes(header, api, lists) ?? [])].join(' ') : api.types
  return `| ${[names, formsOf(api, header), types, api.pipe, api.evidence].map(cell).join(' | ')} |`
}

const sectionOf = (header: Header, lists: TypeLists): string =>
  [
    `## ${header.path}`,
    '',
    header.title.split('. ')[0]?.replace(/[.:]$/, '').concat('.') ?? '',
    '',
    '| API | forms | types | pipe | evidence |',
    '|---|---|---|---|---|',
    ...header.apis.map((api) => rowOf(header, api, lists)),
    '',
  ].join('\n')

/** Everything that the headers offer: names, and methods as `Class::method`. */
export function providedNames(headers: readonly Header[]): Set<string> {
  const declarations = headers.flatMap((header) => header.declarations)
  const classes = new Map(declarations.filter(({ kind }) => kind === 'class').map((item) => [item.name, item]))
  const methodsOf = (item: Declaration, seen: readonly string[] = []): string[] => [
    ...item.methods,
    ...item.bases.flatMap((base) => {
      const found = seen.includes(base) ? undefined : classes.get(base)
      return found ? methodsOf(found, [...seen, base]) : []
    }),
  ]
  const names = [...declarations, ...headers.flatMap(({ macros }) => macros)].map(({ name }) => name)
  // the name of a class under another one: `using Matmul = MatmulImpl<...>`
  const aliases = declarations.flatMap((item) => {
    const base = item.kind === 'alias' ? /=\s*(\w+)\s*</.exec(item.body)?.[1] : undefined
    return base === undefined ? [] : [{ ...item, bases: [base] }]
  })
  const methods = [...declarations.filter(({ kind }) => kind === 'class'), ...aliases].flatMap((item) =>
    methodsOf(item).flatMap((method) => [`${item.name}::${method}`, `*::${method}`]),
  )
  // named by `using` alone: the scalar functions of the standard library
  const used = headers.flatMap(({ text }) => [...text.matchAll(/^using std::(\w+);/gm)].map(([, name = '']) => name))
  const structs = headers.flatMap(({ text }) =>
    [...text.matchAll(/^NPU_EMU_TILING_DATA\((\w+)\)/gm)].map(([, name = '']) => name),
  )
  return new Set([...names, ...methods, ...used, ...structs])
}

/** What operators use and the headers do not offer, by area. */
export function missingNames(headers: readonly Header[]): [area: string, names: string[]][] {
  const provided = providedNames(headers)
  return Object.entries(census)
    .map(([area, names]): [string, string[]] => [area, names.split(/\s+/).filter((name) => !provided.has(name))])
    .filter(([, names]) => names.length > 0)
}

/** A row for each reason, with what it is the reason of. */
const reasonRows = (lists: Record<string, string>): string[] =>
  Object.entries(lists).map(
    ([reason, list]) =>
      `| ${reason} | ${pathsOf(list)
        .map((each) => `\`${each}\``)
        .join(' ')} |`,
  )

/** The document, made of nothing but the headers and the census. */
export function coverageDocument(headers: readonly Header[]): string {
  const lists = typeListsOf(headers)
  const missing = missingNames(headers).map(
    ([area, names]) => `| ${area} | ${names.map((name) => `\`${name}\``).join(' ')} |`,
  )
  return [
    '# What the emulator covers',
    '',
    'Made of the headers by `npm run docs`. **Forms** are the overloads by how they say which elements they work on: `count`,',
    '`mask` (a number of lanes), `mask array` (bits), the struct of parameters; for a class its methods. **Evidence** says',
    'whether the behaviour is documented for Atlas A2, inferred from published operators and sources, or guessed.',
    'A name that is in no table does not compile; the message then says whether Ascend C has it.',
    '',
    ...headers.filter(({ apis }) => apis.length > 0).map((header) => sectionOf(header, lists)),
    '## Not emulated yet',
    '',
    'Names that published operators for Atlas A2 use:',
    '',
    '| area | names |',
    '|---|---|',
    ...missing,
    '',
    'Headers of the public include trees for host parts that are not provided:',
    '',
    '| reason | headers |',
    '|---|---|',
    ...reasonRows(absentHostHeaders),
    '',
    'Names that public headers of the same paths have, and those of the emulator do not:',
    '',
    '| reason | names |',
    '|---|---|',
    ...reasonRows(absentHostNames),
    '',
    'Beyond single names: the C interface (`c_api/asc_simd.h`, functions on `__ubuf__` pointers), communication between devices',
    "(`lib/hccl`, `MC2` of an operator definition), modules of a kernel's own inside of Matmul (`MATMUL_USE_MODULE`),",
    'and builtins of the vendor that have an API. Headers',
    'of third parties that a repository downloads for its build (`nlohmann/json.hpp`) are found where it has put them.',
    '',
  ].join('\n')
}

/** Where the types an api line states are others than those its overloads assert, as a sentence each. */
export function typeContradictions(headers: readonly Header[]): string[] {
  const lists = typeListsOf(headers)
  return headers.flatMap((header) =>
    header.apis.flatMap((api) => {
      const asserted = assertedTypes(header, api, lists)
      const place = `${header.path}:${api.line} ${api.names.join(', ')}`
      if (api.types === 'isa') return asserted ? [] : [`${place}: nothing asserts types`]
      const documented = documentedTypes(api.types)
      if (!asserted) return []
      const same =
        documented && documented.size === asserted.size && [...asserted].every((type) => documented.has(type))
      return same ? [] : [`${place}: says ${api.types}, asserts ${[...asserted].join(' ')}`]
    }),
  )
}

export const writeCoverage = (): void => writeFileSync(coverageFile, coverageDocument(readHeaders(includeFolder)))
