import type { Argument, Expression, ListFact, Statement } from './ir.ts'
import { fail, nearest, type Span } from './problem.ts'
import { destructured, nameOf, plain, type BindingPattern, type Expression as Syntax } from './syntax.ts'

// Lists of tensors. The host part notes where each tensor would begin if they lay one behind the other: sizes, and the
// part of every core, are made of that.

/** As many tensors as a list may have. */
export const mostTensors = 256

/** Cores take over from each other at multiples of so many elements of a tensor: whole bursts. */
const cutElements = 256

/** How the project names where the tensors of a list begin, and their number. */
export const startsName = (list: string): string => `${list}Starts`
export const tensorsName = (list: string): string => `${list}Tensors`

/** What the rules of an expression are read with. */
export interface ListReader {
  readonly argumentOf: (name: string) => Argument | undefined
  /** a whole number */
  readonly whole: (node: Syntax) => Expression
}

type Member = Extract<Syntax, { type: 'MemberExpression' }>

/** The list that a node names; undefined for anything else. */
function listOf(node: Syntax, { argumentOf }: ListReader): Argument | undefined {
  const name = nameOf(plain(node))
  const argument = name === null ? undefined : argumentOf(name)
  return argument?.isList === true ? argument : undefined
}

/** `x[i]` as the list and the index. */
function itemOf(node: Syntax, reader: ListReader): { list: Argument; index: Syntax } | null {
  const item = plain(node)
  if (item.type !== 'MemberExpression' || !item.computed) return null
  const list = listOf(item.object, reader)
  return list ? { list, index: plain(item.property) } : null
}

/** The list whose sizes another one has. */
const sourceOf = ({ name, like }: Argument): string => like ?? name

const fact = (kind: ListFact, list: Argument, given: readonly Expression[], span: Span): Expression => ({
  op: 'list',
  fact: kind,
  tensor: sourceOf(list),
  arguments: given,
  type: 'int',
  span,
})

/** `x.count`, `x.size` and `x[i].size`; null where no list is spoken of. */
export function readListMember(node: Member, span: Span, reader: ListReader): Expression | null {
  const list = listOf(node.object, reader)
  if (list) {
    if (node.computed) return fail(span, `${list.name}[…] is a tensor, and no number`, `write ${list.name}[…].size`)
    if (node.property.name === 'count') return fact('count', list, [], span)
    if (node.property.name === 'size') return fact('total', list, [], span)
    return node.property.name === 'bytes'
      ? null
      : fail(span, `a list has no ${node.property.name}`, nearest(node.property.name, ['count', 'size', 'bytes']))
  }
  const item = itemOf(node.object, reader)
  if (!item) return null
  if (node.computed || node.property.name !== 'size')
    return fail(span, 'of one tensor of a list only the size is known', `write ${item.list.name}[…].size`)
  return fact('elements', item.list, [reader.whole(item.index)], span)
}

/** What is loaded or stored: a tensor, or one of a list. null: neither. */
export function readPlace(node: Syntax, reader: ListReader): { tensor: string; item: Expression | null } | null {
  const item = itemOf(node, reader)
  if (item) return { tensor: item.list.name, item: reader.whole(item.index) }
  const name = nameOf(plain(node))
  const argument = name === null ? undefined : reader.argumentOf(name)
  if (!argument) return null
  return argument.isList
    ? fail(node, `${argument.name} is a list of tensors`, `write ${argument.name}[i] for one of them`)
    : { tensor: argument.name, item: null }
}

const splitForm = 'write for (const { i, from, to } of split(x, core, share))'

/** The names that a loop over the parts of a core declares. */
export function splitNames(pattern: BindingPattern): { name: string; span: Span }[] {
  if (pattern.type !== 'ObjectPattern') return fail(pattern, 'a loop over a split takes its parts apart', splitForm)
  const names = destructured(pattern, 'a part')
  for (const { name, span } of names)
    if (!['i', 'from', 'to'].includes(name)) fail(span, `a part has no ${name}`, splitForm)
  return names
}

/** The loop over those tensors that a core works on, and which of their elements are its own. */
export function splitLoop(
  given: readonly Syntax[],
  span: Span,
  reader: ListReader,
): Omit<Extract<Statement, { op: 'for' }>, 'body'> & { first: Statement[] } {
  const [listNode, core, share, ...more] = given
  const list = listNode && listOf(listNode, reader)
  if (!list || !core || !share || more.length > 0)
    return fail(span, 'a list is split among cores, with the share of each', splitForm)
  const number = (value: number): Expression => ({ op: 'number', value, type: 'int', span })
  const operate = (operator: '+' | '*', left: Expression, right: Expression): Expression => ({
    op: 'operate',
    operator,
    left,
    right,
    type: 'int',
    span,
  })
  const [at, width] = [reader.whole(core), reader.whole(share)]
  const begin = operate('*', at, width)
  const end = operate('*', operate('+', at, number(1)), width)
  const i: Expression = { op: 'name', name: 'i', type: 'int', span }
  const cut = (name: string, place: Expression): Statement => ({
    op: 'const',
    name,
    value: fact('cut', list, [i, place], span),
    span,
  })
  return {
    op: 'for',
    name: 'i',
    from: fact('first', list, [begin], span),
    to: fact('begun', list, [end], span),
    step: number(1),
    first: [cut('from', begin), cut('to', end)],
    span,
  }
}

/** What a fact is, of where the tensors begin. */
const values: Readonly<Record<ListFact, (starts: readonly number[], a: number, b: number) => number>> = {
  count: (starts) => starts.length - 1,
  total: (starts) => starts.at(-1)!,
  elements: (starts, i) => starts[i + 1]! - starts[i]!,
  begun: (starts, place) => starts.slice(0, -1).filter((start) => start < place).length,
  first: (starts, place) => values.begun(starts, place + 1, 0) - 1,
  cut(starts, i, place) {
    const below = Math.max(place - starts[i]!, 0)
    return Math.min(values.elements(starts, i, 0), Math.ceil(below / cutElements) * cutElements)
  },
}

/** The value of a fact. */
export const listValue = (kind: ListFact, starts: readonly number[], [a = 0, b = 0]: readonly number[]): number =>
  values[kind](starts, a, b)

/** Where the tensors of these shapes begin, and where the last one ends. */
export const startsOf = (shapes: readonly (readonly number[])[]): number[] => {
  const starts = [0]
  for (const shape of shapes) starts.push(starts.at(-1)! + shape.reduce((product, extent) => product * extent, 1))
  return starts
}

/** The C++ of a fact, and the function that it needs. */
export function listText(
  kind: ListFact,
  { starts, tensors }: { starts: string; tensors: string },
  given: readonly string[],
): { text: string; helper: string | null } {
  switch (kind) {
    case 'count':
      return { text: tensors, helper: null }
    case 'total':
      return { text: `${starts}[${tensors}]`, helper: null }
    case 'elements':
      return { text: `Elements(${[starts, ...given].join(', ')})`, helper: 'Elements' }
    case 'cut':
      return { text: `Cut(${[starts, ...given].join(', ')})`, helper: 'Cut' }
    case 'begun':
      return { text: `Begun(${[starts, tensors, ...given].join(', ')})`, helper: 'Begun' }
    case 'first':
      return { text: `First(${[starts, tensors, ...given].join(', ')})`, helper: 'First' }
  }
}

/** Functions of kernels. */
export const listKernelHelpers = (prefix: string): Readonly<Record<string, { text: string; needs?: string[] }>> => ({
  TensorOf: {
    text: `// One tensor of a list: its descriptor begins with the byte offset of the table of addresses.
template <typename T>
${prefix} AscendC::GlobalTensor<T> TensorOf(GM_ADDR list, int64_t index) {
  __gm__ uint64_t* descriptor = reinterpret_cast<__gm__ uint64_t*>(list);
  __gm__ uint64_t* addresses = descriptor + descriptor[0] / sizeof(uint64_t);
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(addresses[index]));
  return tensor;
}`,
  },
  Elements: {
    text: `// Elements of one tensor of a list.
${prefix} int64_t Elements(const int64_t* starts, int64_t index) { return starts[index + 1] - starts[index]; }`,
  },
  Begun: {
    text: `// How many tensors of a list begin before a place.
${prefix} int64_t Begun(const int64_t* starts, int64_t tensors, int64_t place) {
  int64_t begun = 0;
  for (int64_t above = tensors; begun < above;) {
    const int64_t middle = begun + (above - begun) / 2;
    if (starts[middle] < place) {
      begun = middle + 1;
    } else {
      above = middle;
    }
  }
  return begun;
}`,
  },
  First: {
    needs: ['Begun'],
    text: `// The tensor of a list that holds a place.
${prefix} int64_t First(const int64_t* starts, int64_t tensors, int64_t place) {
  return Begun(starts, tensors, place + 1) - 1;
}`,
  },
  Cut: {
    needs: ['Elements', 'Min', 'Max', 'AlignUp'],
    text: `// How many elements of a tensor lie before a place: whole bursts.
${prefix} int64_t Cut(const int64_t* starts, int64_t index, int64_t place) {
  return Min(Elements(starts, index), AlignUp(Max(place - starts[index], static_cast<int64_t>(0)), ${cutElements}));
}`,
  },
})

/** Functions of host parts. */
export const listHostHelpers: Readonly<Record<string, { text: string }>> = {
  Elements: {
    text: `int64_t Elements(const int64_t* starts, int64_t index) { return starts[index + 1] - starts[index]; }`,
  },
  Starts: {
    text: `// Where the tensors of a list begin if they lie one behind the other, and where the last one ends. Gives their
// number, 0 where there are too many.
int64_t Starts(const gert::TilingContext* context, size_t list, int64_t* starts) {
  size_t tensors = 0;
  for (; context->GetDynamicInputShape(list, tensors) != nullptr; ++tensors) {
    if (tensors == ${mostTensors}) {
      return 0;
    }
    const gert::Shape& shape = context->GetDynamicInputShape(list, tensors)->GetStorageShape();
    starts[tensors + 1] = starts[tensors] + shape.GetShapeSize();
  }
  return static_cast<int64_t>(tensors);
}`,
  },
}
