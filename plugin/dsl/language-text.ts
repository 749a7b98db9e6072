import { formOf } from './kernel.ts'
import { dtypeNames } from '../model/index.ts'
import { castsOf, legalTypes, primitives, type Operand, type Primitive, type ScalarOperand } from './primitives.ts'

// The declarations of the primitives, made of their table: `vector.ts` is this text, formatted.

const buffers = (kind: Operand['kind']): string => (kind === 'mask' ? 'Mask' : 'Buffer')

const scalarType = ({ kind, words }: ScalarOperand): string =>
  kind === 'word' ? words!.map((word) => `'${word}'`).join(' | ') : 'number'

function declarationOf({ name, operands, scalars, meaning }: Primitive): string {
  const required = scalars.filter(({ initial }) => initial === undefined)
  const optional = scalars.filter(({ initial }) => initial !== undefined)
  const parameters = [
    ...operands.map((each) => `${each.name}: ${buffers(each.kind)}`),
    ...required.map((each) => `${each.name}: ${scalarType(each)}`),
    'extent: Extent',
    ...optional.map((each) => `${each.name}?: ${scalarType(each)}`),
  ]
  const names = [...operands, ...required, { name: 'extent' }, ...optional].map((each) => each.name)
  return [
    `/** ${meaning[0]!.toUpperCase()}${meaning.slice(1)}. */`,
    `export function ${name}(${parameters.join(', ')}): void {`,
    `  void [${names.join(', ')}]`,
    '  return neverRun()',
    '}',
    '',
  ].join('\n')
}

/** The module of the vector primitives, to be formatted. */
export const vectorModule = (): string =>
  [
    "import { neverRun, type Buffer, type Extent, type Mask } from './operand.ts'",
    '',
    '// The vector primitives, as editors know them: made of the table in `primitives.ts` by `npm run docs`.',
    '',
    // of these there are scalar functions too, which the language declares with them
    ...[...primitives.values()].filter(({ name }) => name !== 'min' && name !== 'max').map(declarationOf),
  ].join('\n')

/** The primitives in `docs/dsl-reference.md`: a table of calls, the words that they take, a table of casts. */
export const primitiveTable = (): string =>
  [
    '| call | what | element types |',
    '|---|---|---|',
    ...[...primitives.values()].map((each) => `| \`${formOf(each)}\` | ${cell(meaningOf(each))} | ${typesOf(each)} |`),
    '',
    ...[...wordsOf()].map(([name, words]) => `- \`${name}\` is ${words.map((word) => `\`'${word}'\``).join(', ')}.`),
    '',
    '| cast of | to |',
    '|---|---|',
    ...dtypeNames.flatMap((from) => {
      const legal = castsOf(from)
      return legal.length === 0 ? [] : [`| ${from} | ${legal.join(' ')} |`]
    }),
  ].join('\n')

/** The words that scalars of a name are written as. */
function wordsOf(): ReadonlyMap<string, readonly string[]> {
  const scalars = [...primitives.values()].flatMap((each) => each.scalars)
  return new Map(scalars.flatMap(({ name, words }) => (words ? [[name, words]] : [])))
}

const meaningOf = ({ meaning, inPlace }: Primitive): string => (inPlace ? meaning : `${meaning}; not in place`)

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`)

const typesOf = ({ types, dtypes, lowering }: Primitive): string => {
  if (dtypes) return dtypes.join(' ')
  if (types !== null) return legalTypes(types).join(' ')
  return lowering === 'cast' ? 'the pairs below' : lowering === 'mask-logic' ? '-' : 'int8 uint8 bool'
}
