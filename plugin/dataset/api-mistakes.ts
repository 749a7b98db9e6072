import { bareCode, closingPlaces } from './cpp-items.ts'

/** A call of the API as somebody writes it who does not know it: the text from `start` to `end` becomes `replacement`. */
export interface Mistake {
  /** e.g. `no such name` */
  kind: MistakeKind
  start: number
  end: number
  replacement: string
}

export const mistakeKinds = [
  'no such name',
  'argument left out',
  'argument too many',
  'arguments swapped',
  'template argument left out',
  'wrong element type',
  'no such type',
  'no such enumerator',
  'no such member',
  'host function',
] as const

export type MistakeKind = (typeof mistakeKinds)[number]

/** Names that the API lacks, and that people and models write in place of those it has. */
const misnamed: Readonly<Record<string, string>> = {
  Abs: 'Absolute',
  Add: 'VecAdd',
  Adds: 'AddScalar',
  AllocTensor: 'Allocate',
  Axpy: 'MulAddScalar',
  Brcb: 'BroadcastBlock',
  Cast: 'Convert',
  Compare: 'Cmp',
  CompareScalar: 'CompareWithScalar',
  DataCopy: 'CopyData',
  DataCopyPad: 'DataCopyPadding',
  DeQue: 'Dequeue',
  Div: 'Divide',
  Duplicate: 'Fill',
  EnQue: 'Enqueue',
  Exp: 'VecExp',
  FreeTensor: 'ReleaseTensor',
  Gather: 'GatherElements',
  GetBlockIdx: 'GetBlockId',
  GetBlockNum: 'GetBlockCount',
  InitBuffer: 'AllocBuffer',
  LeakyRelu: 'LeakyReLU',
  Ln: 'Log',
  Max: 'Maximum',
  Maxs: 'MaxScalar',
  Min: 'Minimum',
  Mins: 'MinScalar',
  Mul: 'Multiply',
  Muls: 'MulScalar',
  PipeBarrier: 'Barrier',
  Reciprocal: 'Recip',
  ReduceMax: 'MaxReduce',
  ReduceSum: 'SumReduce',
  Relu: 'ReLU',
  Rsqrt: 'InvSqrt',
  Select: 'Where',
  SetFlag: 'SetEvent',
  SetGlobalBuffer: 'SetGlobalAddr',
  Sqrt: 'SquareRoot',
  Sub: 'Subtract',
  SyncAll: 'SyncCores',
  WaitFlag: 'WaitEvent',
  WholeReduceMax: 'WholeMax',
  WholeReduceSum: 'WholeSum',
}

/** Calls whose arguments are dropped, added and swapped. */
const calls = Object.keys(misnamed)

const enumerators: readonly [RegExp, string][] = [
  [/\bRoundMode::CAST_(\w+)/g, 'RoundMode::$1'],
  [/\bQuePosition::VECIN\b/g, 'QuePosition::VEC_IN'],
  [/\bQuePosition::VECOUT\b/g, 'QuePosition::VEC_OUT'],
  [/\bTPosition::VECCALC\b/g, 'TPosition::VEC_CALC'],
  [/\bTPosition::VECIN\b/g, 'TPosition::VEC_IN'],
  [/\bHardEvent::MTE2_V\b/g, 'HardEvent::MTE2_VEC'],
  [/\bHardEvent::V_MTE3\b/g, 'HardEvent::VEC_MTE3'],
  [/\bHardEvent::V_S\b/g, 'HardEvent::VEC_SCALAR'],
  [/\bPIPE_V\b/g, 'PIPE_VEC'],
  [/\bCMPMODE::(GT|LT|GE|LE|EQ|NE)\b/g, 'CMPMODE::CMP_$1'],
  [/\bSELMODE::(\w+)/g, 'SelMode::$1'],
]

const members: readonly [RegExp, string][] = [
  [/\.GetValue\(/g, '.At('],
  [/\.SetValue\(/g, '.Set('],
  [/\.GetSize\(\)/g, '.Size()'],
  [/\bpipe->InitBuffer\(/g, 'pipe.InitBuffer('],
  [/\bpipe\.InitBuffer\(/g, 'pipe->InitBuffer('],
  [/\btiling(?:Data)?\.(\w+)\b(?!\()/g, 'tiling->$1'],
]

const types: readonly [RegExp, string][] = [
  [/\bLocalTensor<half>/g, 'LocalTensor<float16>'],
  [/\bGlobalTensor<half>/g, 'GlobalTensor<float16>'],
  [/\bLocalTensor<float>/g, 'LocalTensor<fp32>'],
  [/\bLocalTensor<bfloat16_t>/g, 'LocalTensor<bfloat16>'],
  [/\bDataCopyExtParams\b/g, 'DataCopyPadExtParam'],
]

const elementTypes: readonly [RegExp, string][] = [
  [/\b(DeQue|AllocTensor|Get)<float>\(/g, '$1<half>('],
  [/\b(DeQue|AllocTensor|Get)<half>\(/g, '$1<float>('],
  [/\b(DeQue|AllocTensor)<(?:T|DTYPE_\w+)>\(/g, '$1<int64_t>('],
  [/\bGet<uint8_t>\(/g, 'Get<float>('],
]

const templateArguments: readonly [RegExp, string][] = [
  [/\b(AllocTensor|DeQue)<[\w:]+>\(\)/g, '$1()'],
  [/\bTQue<([^<>,]+),[^<>]+>/g, 'TQue<$1>'],
  [/\b(SetFlag|WaitFlag|PipeBarrier)<[\w:]+>\(/g, '$1('],
  [/\bTBuf<[\w:]+>\s+(?=\w)/g, 'TBuf '],
]

const hostFunctions: readonly [RegExp, string][] = [
  [/(?<=(?:\breturn|(?<![=!<>])=)\s)(\w+) < (\w+) \? \1 : \2/g, 'std::min($1, $2)'],
  [/(?<=(?:\breturn|(?<![=!<>])=)\s)(\w+) > (\w+) \? \1 : \2/g, 'std::max($1, $2)'],
]

const byPattern: readonly [MistakeKind, readonly [RegExp, string][]][] = [
  ['no such enumerator', enumerators],
  ['no such member', members],
  ['no such type', types],
  ['wrong element type', elementTypes],
  ['template argument left out', templateArguments],
  ['host function', hostFunctions],
]

const call = new RegExp(String.raw`(?<![\w])(${calls.join('|')})\s*(?:<[^;(){}]{0,200}>)?\(`, 'g')

/** Places of the arguments of a call, without white space around them. */
function argumentsAt(
  code: string,
  open: number,
  closings: ReadonlyMap<number, number>,
): { start: number; end: number }[] {
  const close = closings.get(open)!
  const found: { start: number; end: number }[] = []
  let start = open + 1
  for (let i = open + 1; i <= close; i++) {
    if ('([{'.includes(code[i]!)) i = closings.get(i)!
    else if (
      code[i] === '<' &&
      /[\w:]\s*$/.test(code.slice(Math.max(start, i - 100), i)) &&
      /^<[\w:\s,]*>\s*[({]/.test(code.slice(i))
    )
      i = code.indexOf('>', i)
    else if (code[i] === ',' || i === close) {
      const text = code.slice(start, i)
      if (text.trim() !== '')
        found.push({ start: start + (text.length - text.trimStart().length), end: start + text.trimEnd().length })
      start = i + 1
    }
  }
  return found
}

/** The mistakes that can be made in a source of a kernel, from top to bottom. */
export function mistakesIn(text: string): Mistake[] {
  const code = bareCode(text)
  const found: Mistake[] = []
  for (const [kind, patterns] of byPattern)
    for (const [pattern, replacement] of patterns)
      for (const match of code.matchAll(pattern)) {
        const [start, end] = [match.index, match.index + match[0].length]
        const made = replacement.replaceAll(/\$(\d)/g, (_, group: string) => match[Number(group)] ?? '')
        found.push({ kind, start, end, replacement: made })
      }
  const closings = closingPlaces(code)
  for (const match of code.matchAll(call)) {
    const name = match[1]!
    const open = match.index + match[0].length - 1
    // its own definition, in a class of somebody who calls it so
    if (/\b(?:void|auto|inline)\s*$/.test(code.slice(Math.max(0, match.index - 100), match.index))) continue
    found.push({
      kind: 'no such name',
      start: match.index,
      end: match.index + name.length,
      replacement: misnamed[name]!,
    })
    const given = argumentsAt(code, open, closings)
    const [first, second, third] = given
    const last = given.at(-1)
    if (given.length >= 3 && last)
      found.push({ kind: 'argument left out', start: given.at(-2)!.end, end: last.end, replacement: '' })
    if (given.length >= 2 && last)
      found.push({ kind: 'argument too many', start: last.end, end: last.end, replacement: ', 0, true' })
    if (first && second && third && given.length === 4) {
      const [one, other] = [text.slice(second.start, second.end), text.slice(third.start, third.end)]
      const between = text.slice(second.end, third.start)
      if (one !== other && /[sS]$/.test(name))
        found.push({
          kind: 'arguments swapped',
          start: second.start,
          end: third.end,
          replacement: `${other}${between}${one}`,
        })
    }
  }
  return found.sort((a, b) => a.start - b.start || mistakeKinds.indexOf(a.kind) - mistakeKinds.indexOf(b.kind))
}

export const withMistake = (text: string, { start, end, replacement }: Mistake): string =>
  text.slice(0, start) + replacement + text.slice(end)
