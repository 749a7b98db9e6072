import { groupedBy } from '../model/index.ts'
import { blankComments } from './text.ts'

/** The tiling keys that there is a kernel for: those of a template, or that are asked for; 0 where there is neither. */
export const builtKeys = (asked: readonly string[], ofTemplate: readonly string[]): readonly string[] =>
  [ofTemplate, asked].find((keys) => keys.length > 0) ?? ['0']

/** One choice of a template over its tiling key: the key, and the values of its fields in the order of the declaration. */
export interface SelectedKey {
  key: string
  values: string[]
}

/** The choices that a kernel was compiled for, from the names of its functions: those of the class `choice`. */
export function selectedKeys(names: readonly string[], choice: string): SelectedKey[] {
  // what `npu_emu_tpl_said` in `ascendc/template_entry.h` makes of the name of a function
  const said = new RegExp(`^_ZN${choice.length}${choice}I.*16npu_emu_tpl_saidI(?:J?)((?:L[my]\\d+E)+)E`)
  return names.flatMap((name) => {
    const [key, ...values] = [...(said.exec(name)?.[1] ?? '').matchAll(/\d+/g)].map(([digits]) => digits)
    return key === undefined ? [] : [{ key, values }]
  })
}

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
  /** by the number of fields */
  const only = new Map<number, Field[] | undefined>()
  for (const [count, [first, ...others]] of groupedBy(declarations, (fields) => fields.length)) {
    const text = JSON.stringify(first)
    only.set(count, others.every((each) => JSON.stringify(each) === text) ? first : undefined)
  }
  return ({ values }) => {
    return only
      .get(values.length)
      ?.map(({ name, holdsTypes }, index) => {
        const value = values[index] ?? ''
        return `${name}=${holdsTypes ? (typeNames.get(value) ?? value) : value}`
      })
      .join(', ')
  }
}
