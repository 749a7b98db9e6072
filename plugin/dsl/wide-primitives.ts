// Rows of the table of primitives that look beyond one element: along rows, down columns, under windows, and at other cores.

type Rule = (a: number, b: number) => number

/** What a fold makes of two elements, and what it begins with. */
export interface Fold {
  /** as Ascend C calls it */
  readonly ascendc: 'Add' | 'Mul' | 'Max' | 'Min'
  readonly rule: Rule
  readonly identity: number
}

export const folds: Readonly<Record<'Sum' | 'Product' | 'Max' | 'Min', Fold>> = {
  Sum: { ascendc: 'Add', rule: (a, b) => a + b, identity: 0 },
  Product: { ascendc: 'Mul', rule: (a, b) => a * b, identity: 1 },
  Max: { ascendc: 'Max', rule: (a, b) => Math.max(a, b), identity: -Infinity },
  Min: { ascendc: 'Min', rule: (a, b) => Math.min(a, b), identity: Infinity },
}

type FoldName = keyof typeof folds

const names: readonly FoldName[] = ['Sum', 'Product', 'Max', 'Min']

/** The fold of a primitive, by the end of its name. */
export const foldOf = (primitive: string): Fold => folds[names.find((name) => primitive.endsWith(name))!]

const floats = ['float32'] as const

const operand = <K extends string>(name: string, kind: K, access: 'read' | 'write' = 'read') =>
  ({ name, kind, access }) as const

const whole = (name: string) => ({ name, kind: 'int' }) as const

const columns = (name: FoldName) =>
  ({
    name: `column${name}`,
    ascendc: folds[name].ascendc,
    operands: [operand('dst', 'per-column', 'write'), operand('src', 'data')],
    scalars: [],
    lowering: 'columns',
    types: 'Floating',
    meaning: `dst[column]: the ${name.toLowerCase()} of each column, row after row`,
    element: folds[name].rule,
    inPlace: false,
  }) as const

const running = (name: 'Sum' | 'Product') =>
  ({
    name: `running${name}`,
    ascendc: folds[name].ascendc,
    operands: [operand('dst', 'data', 'write'), operand('src', 'data')],
    scalars: [{ name: 'direction', kind: 'word', words: ['forward', 'backward'], initial: 'forward' }],
    lowering: 'running',
    types: null,
    dtypes: floats,
    meaning: `the ${name.toLowerCase()} of each row up to an element, itself included; backward: from it to the end`,
    element: folds[name].rule,
    inPlace: false,
  }) as const

const window = (name: 'Sum' | 'Max') =>
  ({
    name: `window${name}`,
    ascendc: folds[name].ascendc,
    operands: [operand('dst', 'data', 'write'), operand('src', 'rows')],
    scalars: [whole('size'), whole('step'), whole('first'), whole('width')],
    lowering: 'window',
    types: null,
    dtypes: floats,
    meaning: `dst[row][i]: the ${name.toLowerCase()} of src[row][first + i * step + k] for k < size, of those places that lie in [0, width)`,
    element: folds[name].rule,
    inPlace: false,
  }) as const

const windowRows = (name: 'Sum' | 'Max') =>
  ({
    name: `windowRows${name}`,
    ascendc: folds[name].ascendc,
    operands: [operand('dst', 'data', 'write'), operand('src', 'rows')],
    scalars: [whole('size'), whole('step'), whole('first'), whole('height')],
    lowering: 'window-rows',
    types: null,
    dtypes: floats,
    meaning: `dst[i]: the ${name.toLowerCase()} of the rows src[first + i * step + k] for k < size, of those that lie in [0, height)`,
    element: folds[name].rule,
    inPlace: false,
  }) as const

const cores = (name: FoldName) =>
  ({
    name: `allReduce${name}`,
    ascendc: folds[name].ascendc,
    operands: [operand('dst', 'single', 'write'), operand('src', 'single')],
    scalars: [],
    lowering: 'cores',
    types: null,
    dtypes: floats,
    meaning: `dst[i]: the ${name.toLowerCase()} of src[i] of all cores, in their order; every core has to come here`,
    element: folds[name].rule,
    inPlace: true,
  }) as const

export const widePrimitives = [
  ...names.map(columns),
  running('Sum'),
  running('Product'),
  {
    name: 'pick',
    ascendc: 'Gather',
    operands: [operand('dst', 'per-row', 'write'), operand('src', 'data')],
    scalars: [whole('column')],
    lowering: 'pick',
    types: null,
    dtypes: floats,
    meaning: 'dst[row]: the element of each row in this column',
    inPlace: false,
  } as const,
  window('Sum'),
  window('Max'),
  windowRows('Sum'),
  windowRows('Max'),
  cores('Sum'),
  cores('Max'),
  cores('Min'),
] as const
