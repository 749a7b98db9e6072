import type { ApiLine, Header } from './declarations.ts'

/** Lists of element types by the name that `static_assert` gives them: `Add::types`, `Arithmetic`; pairs as `half->float`. */
export type TypeLists = ReadonlyMap<string, readonly string[]>

const isaFile = 'ascendc/isa.h'

const namesIn = (list: string): string[] => list.split(',').map((name) => name.trim())

/** `is_same_v<S, X>` and `Types<X, Y>::has<S>` name types of the parameter `S`. */
function typesOf(parameter: string, clause: string): string[] {
  const same = new RegExp(`is_same_v<${parameter}, (\\w+)>`, 'g')
  const listed = new RegExp(`Types<([^<>]*)>::(?:template )?has<${parameter}>`, 'g')
  return [
    ...[...clause.matchAll(same)].map(([, name = '']) => name),
    ...[...clause.matchAll(listed)].flatMap(([, list = '']) => namesIn(list)),
  ]
}

/** `(sources && destinations) || …` as pairs. */
const pairsOf = (condition: string): string[] =>
  condition
    .split('||')
    .flatMap((clause) => typesOf('S', clause).flatMap((from) => typesOf('D', clause).map((to) => `${from}->${to}`)))

/** The lists that isa.h declares. */
export function typeListsOf(headers: readonly Header[]): TypeLists {
  const text = headers.find(({ path }) => path === isaFile)?.text ?? ''
  const lists = new Map<string, readonly string[]>()
  for (const [, name = '', list = ''] of text.matchAll(/^using (\w+) = Types<([^<>]*)>;/gm))
    lists.set(name, namesIn(list))
  const resolve = (list: string): readonly string[] =>
    lists.get(list) ?? namesIn(/^Types<([^<>]*)>$/.exec(list)?.[1] ?? '')
  for (const [, name = '', body = ''] of text.matchAll(/^struct (\w+) \{\n([^]*?)^\};/gm)) {
    const types = /using types = ([^;]+);/.exec(body)?.[1]
    if (types !== undefined) lists.set(`${name}::types`, resolve(types))
    const pairs = /constexpr bool supports = ([^;]+);/.exec(body)?.[1]
    const other = /^(\w+)::supports</.exec(pairs ?? '')?.[1]
    if (pairs !== undefined) lists.set(`${name}::supports`, lists.get(`${other}::supports`) ?? pairsOf(pairs))
  }
  lists.set('castIsLegal', pairsOf(/constexpr bool castIsLegal =([^;]+);/.exec(text)?.[1] ?? ''))
  return lists
}

/** Types that the assertions of one piece of code allow for `T`; checks in inner functions are followed. */
function typesAssertedIn(code: string, header: Header, lists: TypeLists, depth = 0): string[] {
  const found: string[] = []
  for (const [, condition = ''] of code.matchAll(/static_assert\(([^"]*),\s*"/g)) {
    for (const [, name = ''] of condition.matchAll(/isa::(\w+(?:::(?:types|supports))?)(?:::has<T>|<T, U>)/g))
      found.push(...(lists.get(name) ?? []))
    if (condition.includes('castIsLegal<T, U>')) found.push(...(lists.get('castIsLegal') ?? []))
    for (const [, name = ''] of condition.matchAll(/(?<![\w:])(?:npu_emu_detail::)?(\w+)::has<T>/g)) {
      const local = new RegExp(`using ${name} = npu_emu::Types<([^<>]*)>`).exec(header.text)?.[1]
      if (local !== undefined) found.push(...namesIn(local))
    }
    if (!/is_same_v|sizeof/.test(condition)) found.push(...typesOf('T', condition))
  }
  if (depth > 2) return found
  for (const [, name = ''] of code.matchAll(/npu_emu_detail::(\w+)\s*[<(]/g)) {
    const callee = header.inner.get(name)
    if (callee !== undefined) found.push(...typesAssertedIn(callee, header, lists, depth + 1))
  }
  return found
}

/** What the overloads of a group assert of `T`; null where they assert no list of types. */
export function assertedTypes(header: Header, { declarations }: ApiLine, lists: TypeLists): ReadonlySet<string> | null {
  const found = declarations.flatMap(({ body }) => typesAssertedIn(body, header, lists))
  return found.length === 0 ? null : new Set(found)
}

const elementType = /^(?:u?int(?:8|16|32|64)_t|half|bfloat16_t|float|double|bool|int4b_t)$/

/** `half float int32_t(EQ); …` as a set of types; null where the field is prose. */
export function documentedTypes(field: string): ReadonlySet<string> | null {
  const words = (field.split(';')[0] ?? '').split(/[ ,]+/).map((word) => word.replace(/\(.*/, ''))
  const legal = words.every((word) => word.split('->').every((type) => elementType.test(type)))
  return legal ? new Set(words) : null
}
