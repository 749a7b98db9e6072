import { blankOffDevice } from './entry.ts'
import { blankComments } from './text.ts'

/** A text of a source that asks for a tiling key, and the keys that are written in it as numbers or as names of numbers. */
export interface AskedKey {
  /** decimal: numbers hold no 64 bits */
  key: string
  line: number
}

const asked = /\bTILING_KEY_IS\s*\(\s*(\w+)\s*\)/g

const number = /^(\d+)(?:u|U|l|L)*$/

/** The key that a number is in C++, decimal: one that begins with 0 is octal. */
const keyOf = (digits: string): string => String(BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits}` : digits))

/** Constants of a kernel: macros and variables. */
const constants = [
  /^[ \t]*#[ \t]*define[ \t]+(\w+)\b(?:[ \t]+\(?(\d+(?:u|U|l|L)*)\)?[ \t]*$)?/gm,
  /\bconstexpr\b(?:(?!\bconstexpr\b)[\w\s:]){0,999}?\b(\w+)\s*=(?:\s*(\d+(?:u|U|l|L)*)\s*;)?/g,
]

/** Names of numbers in the texts of a candidate. A name that stands for several, or for anything else as well, is left out. */
export function namedNumbers(texts: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, Set<string>>()
  for (const text of texts)
    for (const pattern of constants)
      for (const [, name = '', value = ''] of blankComments(text).matchAll(pattern))
        found.set(name, (found.get(name) ?? new Set()).add(value))
  return new Map(
    [...found].flatMap(([name, values]) =>
      values.size === 1 && !values.has('') ? [...values].map((value) => [name, value] as const) : [],
    ),
  )
}

/** The tiling keys that a source asks for by `TILING_KEY_IS`, with their lines. */
export function askedKeys(text: string, named: ReadonlyMap<string, string>): AskedKey[] {
  return blankComments(text)
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(asked)].flatMap(([, given = '']) => {
        const key = number.exec(named.get(given) ?? given)?.[1]
        return key === undefined ? [] : [{ key: keyOf(key), line: index + 1 }]
      }),
    )
}

const asksForKey = /\bTILING_KEY_(?:IS|LIST|VAR)\b|\bASCENDC_TPL_\w+/

/**
 * The tiling keys that the vendor's build compiles a kernel for: those that sources ask for, and 0 where they ask for none
 * (kernel_info_infer.py of asc-devkit). undefined where only the preprocessor knows them, or a template.
 */
export function builtKeys(texts: readonly string[]): ReadonlySet<string> | undefined {
  const asking = texts.filter((text) => asksForKey.test(text)).map((text) => blankOffDevice(blankComments(text, true)))
  const mentions = asking.flatMap((text) => text.match(new RegExp(asksForKey, 'g')) ?? [])
  if (mentions.length === 0) return new Set(['0'])
  const named = namedNumbers(texts)
  const keys = asking.flatMap((text) => askedKeys(text, named).map(({ key }) => key))
  return keys.length === mentions.length ? new Set(keys) : undefined
}

/** One choice of a template over its tiling key: the key, and the values of its fields in the order of the declaration. */
export interface SelectedKey {
  key: string
  values: string[]
}

/** What `npu_emu_tpl_said` in `ascendc/template_entry.h` makes of the name of a function. */
const said = /^_ZN18npu_emu_tpl_choiceI.*16npu_emu_tpl_saidI(?:J?)((?:L[my]\d+E)+)E/

/** The choices that a kernel was compiled for, from the names of its functions. */
export const selectedKeys = (names: readonly string[]): SelectedKey[] =>
  names.flatMap((name) => {
    const [key, ...values] = [...(said.exec(name)?.[1] ?? '').matchAll(/\d+/g)].map(([digits]) => digits)
    return key === undefined ? [] : [{ key, values }]
  })

const declaration = /\bASCENDC_TPL_ARGS_DECL\s*\(/g
const field = /\bASCENDC_TPL_(?!ARGS_)(\w+)_DECL\s*\(\s*(\w+)/g

/** Types as `ge::DataType` counts them, by what an array of them says: `C_DT_FLOAT` and its like. */
const typeNames = new Map(
  Object.entries({
    FLOAT: 0,
    FLOAT16: 1,
    INT8: 2,
    INT32: 3,
    UINT8: 4,
    INT16: 6,
    UINT16: 7,
    UINT32: 8,
    INT64: 9,
    UINT64: 10,
    DOUBLE: 11,
    BOOL: 12,
    BF16: 27,
    INT4: 29,
  }).map(([name, number]) => [String(number), `C_DT_${name}`]),
)

interface Field {
  name: string
  holdsTypes: boolean
}

/** The fields of each ASCENDC_TPL_ARGS_DECL of a text, in order. */
function declaredFields(text: string): Field[][] {
  const blanked = blankComments(text)
  return [...blanked.matchAll(declaration)].map(({ index }, turn, all) =>
    [...blanked.slice(index, all[turn + 1]?.index).matchAll(field)].map(([, kind, name = '']) => ({
      name,
      holdsTypes: kind === 'DATATYPE' || kind === 'DTYPE',
    })),
  )
}

/**
 * What the fields of template tiling keys are called and hold, as `MODE=2, TWICE=1`: for one choice, or undefined where the
 * texts do not have one declaration of so many fields.
 */
export function decodedBy(texts: readonly string[]): (choice: SelectedKey) => string | undefined {
  const declarations = texts.flatMap(declaredFields)
  return ({ values }) => {
    const fitting = declarations.filter((fields) => fields.length === values.length)
    const [fields] = fitting
    const isOnly = new Set(fitting.map((each) => JSON.stringify(each))).size === 1
    if (!fields || !isOnly) return undefined
    return fields
      .map(({ name, holdsTypes }, index) => {
        const value = values[index] ?? ''
        return `${name}=${holdsTypes ? (typeNames.get(value) ?? value) : value}`
      })
      .join(', ')
  }
}
