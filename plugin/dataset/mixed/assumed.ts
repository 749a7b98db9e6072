import { surroundings } from '../../generation/api-calls.ts'
import { codeOf } from '../kernels/pieces.ts'

/** Names of what is no whole number. */
const fraction = /factor|scale|scalar|value|alpha|beta|eps/i

/**
 * Whoever wrote rows elsewhere did not know the names that a skeleton has. What statements use is declared as it is spelled, by the ways
 * that programs of Ascend C spell such names; a call of what does not exist stays wrong whatever its arguments are.
 */
const spellings: readonly (readonly [pattern: RegExp, declaration: (name: string) => string])[] = [
  [/^(?:pipe|tpipe)_?$/i, (name) => `TPipe ${name};`],
  [/que/i, (name) => `TQue<QuePosition::${/out|dst/i.test(name) ? 'VECOUT' : 'VECIN'}, 1> ${name};`],
  [/buf(?:fer)?\d*_?$/i, (name) => `TBuf<QuePosition::VECCALC> ${name};`],
  [/(?:gm|global)(?:tensor)?\d*_?$/i, (name) => `GlobalTensor<${elementOf(name)}> ${name};`],
  [/mask/i, (name) => `LocalTensor<uint8_t> ${name};`],
  [/(?:local|tensor|ub)\d*_?$/i, (name) => `LocalTensor<${elementOf(name)}> ${name};`],
  [/^(?:src|dst|tmp|temp|work)\d*_?$/i, (name) => `LocalTensor<${elementOf(name)}> ${name};`],
  [fraction, (name) => `T ${name} = T();`],
  [/event/i, (name) => `int32_t ${name} = 0;`],
  [/^[a-z]\w*$/, (name) => `uint32_t ${name} = 32;`],
]

const elementOf = (name: string): string => (/dst|out|^[yz](?:$|[A-Z])/.test(name) ? 'U' : 'T')

const keywords = new Set(
  (
    'alignas auto bool break case char class const constexpr continue default do double else enum extern false float for if inline int ' +
    'long namespace new nullptr operator private public return short signed sizeof static static_cast reinterpret_cast struct switch ' +
    'template this true typedef typename unsigned using void volatile while half bfloat16_t pipe'
  ).split(' '),
)

/** Names of a text that stand for a value: no calls, no members, no types. */
function valuesIn(text: string): string[] {
  const code = codeOf(text).replace(/^[ \t]*#[^\n]*$/gm, '')
  const found = code.matchAll(/(?<![\w.]|->|::)([a-z]\w*)\b(?!\s*(?:\(|::|<[\w:, ]+>\s*[\w(]))/g)
  return [...new Set([...found].map(([, name]) => name!))].filter(
    (name) => !keywords.has(name) && !/^u?int\d+_t$|^__/.test(name),
  )
}

const given = new Set(surroundings.code.match(/\b[a-z]\w*/gi))

/** Declarations of the names that statements use; the statements may declare them again. */
export const assumedNames = (text: string): string[] =>
  valuesIn(text)
    .filter((name) => !given.has(name))
    .map((name) => `[[maybe_unused]] ${spellings.find(([pattern]) => pattern.test(name))![1](name)}`)

/** Statements out of a method: their members are names like others. */
export const withoutThis = (text: string): string => text.replaceAll(/\bthis\s*->\s*/g, '')

const fieldLine = /^[ \t]*TILING_DATA_FIELD_DEF\w*\s*\(.*\)[ \t]*;?/gm

/**
 * Fields of the tiling data that a kernel reads: those that the row defines, and, where it defines none, those that the kernel names, as
 * numbers of 32 bits.
 */
export function tilingFields(kernel: string, row: readonly string[]): string[] {
  const defined = row.flatMap((text) => codeOf(text).match(fieldLine) ?? []).map((line) => line.trim())
  if (defined.length > 0) return [...new Set(defined)]
  const code = codeOf(kernel)
  const [, name] = /\bGET_TILING_DATA\w*\s*\(\s*(\w+)\s*,/.exec(code) ?? []
  if (name === undefined) return []
  const fields = [...code.matchAll(new RegExp(String.raw`\b${name}\s*\.\s*(\w+)\b(?!\s*[.(])`, 'g'))]
  return [...new Set(fields.map(([, field]) => field!))].map(
    (field) => `TILING_DATA_FIELD_DEF(${fraction.test(field) ? 'float' : 'int32_t'}, ${field});`,
  )
}
