import { surroundings, hostSurroundings } from '../../generation/api-calls.ts'
import { codeOf } from '../kernels/pieces.ts'
import { codeBlocksOf } from './sections.ts'

/** What a snippet is compiled in. */
export type Skeleton =
  /** a function of the device, with the names that the API card speaks of */
  | 'statements'
  /** beside a kernel */
  | 'declarations'
  /** a file that has an entry point of its own */
  | 'kernel'
  /** a tiling function, with its `context` */
  | 'host-statements'
  /** beside a tiling function */
  | 'host-declarations'

/** A piece of code that claims to be Ascend C. */
export interface Snippet {
  skeleton: Skeleton
  text: string
}

/** A snippet of somebody who did not know the skeleton. */
export interface ForeignSnippet extends Snippet {
  /** declarations of names that its statements use, in place of those of the API card */
  names?: readonly string[]
  /** lines that define fields of the tiling data of its kernel */
  fields?: readonly string[]
}

const claimed = new Set(['cpp', 'c++', 'cc', 'cxx', 'c', 'h', 'hpp', 'ascendc', 'ascend-c', 'ascend'])

/** What nothing but Ascend C is made of. */
const deviceWords =
  /\b(?:__aicore__|__gm__|__ubuf__|AscendC::|LocalTensor|GlobalTensor|GM_ADDR|TPipe|TQue|TBuf|GET_TILING_DATA|TILING_KEY_IS|KERNEL_TASK_TYPE\w*|DataCopy\w*)\b/
const hostWords =
  /\b(?:gert::|ge::|platform_ascendc::|matmul_tiling::|optiling\b|OpDef|OP_ADD|TILING_DATA_FIELD_DEF\w*|BEGIN_TILING_DATA_DEF|REGISTER_TILING_DATA_CLASS|context\s*->)/

/** Whether a code says what only programs of the device say. */
export const isDeviceCode = (code: string): boolean => deviceWords.test(code)

/** Whether a code says what only host parts say. */
export const isHostCode = (code: string): boolean => hostWords.test(code)

/** Whether a text speaks of Ascend C, in words or in code. */
export const saysAscendC = (text: string): boolean =>
  /\bAscend\s?C\b|\bCANN\b|\baclnn\w|昇腾/i.test(text) || isDeviceCode(text) || isHostCode(text)

/** The code of an answer that claims to be Ascend C: by the language of its block, and by its words where a block has none. */
export const snippetsOf = (markdown: string): Snippet[] =>
  codeBlocksOf(markdown)
    .filter(
      ({ language, code }) => claimed.has(language) || (language === '' && (isDeviceCode(code) || isHostCode(code))),
    )
    .map(({ code }) => ({ skeleton: skeletonOf(code), text: code.trim() }))
    .filter(({ text }) => codeOf(text).trim() !== '')

/** What a code has to be compiled in. */
export function skeletonOf(text: string): Skeleton {
  const code = codeOf(text)
  if (/__global__/.test(code)) return 'kernel'
  const isHost = hostWords.test(code) && !deviceWords.test(code.replace(/\bmatmul_tiling::TPosition\b/g, ''))
  const isDeclaration = declares(code)
  if (isHost) return isDeclaration ? 'host-declarations' : 'host-statements'
  return isDeclaration ? 'declarations' : 'statements'
}

/** Whether a code defines functions, classes or namespaces, which no function may hold. */
function declares(code: string): boolean {
  const bare = code.replace(/^[ \t]*#[^\n]*$/gm, '')
  if (
    /\b__aicore__\b|^[ \t]*namespace\b|^[ \t]*template\s*</m.test(bare) ||
    /^[ \t]*(?:class|struct)\s+\w+\b[^;({]{0,400}\{/m.test(bare)
  )
    return true
  if (/^(?:BEGIN_TILING_DATA_DEF|OP_ADD|REGISTER_TILING_DATA_CLASS)\b/m.test(bare)) return true
  return (
    /^[\w:<>,&* ]+\s[&*]?(?!(?:if|for|while|switch)\b)\w+\s*\([^()]*\)\s*(?:const\s*)?\{/m.test(bare) &&
    !/^\s*(?:if|for|while|switch|else|do)\b/.test(bare)
  )
}

/** Element types that statements are tried with, source and destination. */
export const elementTypes: readonly (readonly [from: string, to: string])[] = [
  ['float', 'float'],
  ['half', 'half'],
  ['int32_t', 'int32_t'],
  ['half', 'float'],
  ['float', 'half'],
  ['int16_t', 'int16_t'],
  ['float', 'int32_t'],
  ['int32_t', 'float'],
  ['bfloat16_t', 'bfloat16_t'],
  ['float', 'bfloat16_t'],
  ['bfloat16_t', 'float'],
  ['uint8_t', 'half'],
  ['uint32_t', 'uint32_t'],
]

const include = /^[ \t]*#[ \t]*include\b[^\n]*$/gm
const cubeWords = /\b(?:matmul::|Matmul\w*|Mmad\w*|LoadData\w*|Fixpipe\w*|CubeFormat|Nd2NzParams|QuantMode_t)\b/

/** Whether a code is of the cube core. */
export const isOfCube = (text: string): boolean => cubeWords.test(codeOf(text))

/** Statements as a function of the device; their own names may be those of the surroundings. */
export function asFunction(text: string, [from, to]: readonly [string, string], names: readonly string[] = []): string {
  const includes = text.match(include) ?? []
  const unused = [
    'x',
    'y',
    'z',
    'work',
    'mask',
    'tmp',
    'index',
    'offset',
    'xGm',
    'yGm',
    'pipe',
    'scalar',
    'count',
    'bytes',
  ]
  return [
    ...includes,
    ...(isOfCube(text) ? ['#include "lib/matmul_intf.h"'] : []),
    '__aicore__ inline void Snippet() {',
    `  using T [[maybe_unused]] = ${from};`,
    `  using U [[maybe_unused]] = ${to};`,
    '  using namespace AscendC;',
    surroundings.code.trimEnd(),
    ...unused.map((name) => `  (void)${name};`),
    ...names.map((line) => `  ${line}`),
    '  {',
    text.replace(include, ''),
    '  }',
    '}',
  ].join('\n')
}

/** Declarations of the device, as they are. */
export const asDeclarations = (text: string): string =>
  [
    ...(isOfCube(text) ? ['#include "lib/matmul_intf.h"'] : []),
    ...(/using\s+namespace\s+AscendC/.test(text) ? [] : ['using namespace AscendC;']),
    text,
  ].join('\n')

/** Code of a host part that goes before the tiling function of a skeleton. */
export function asHost({ skeleton, text }: Snippet): string {
  const includes = [...hostSurroundings.includes.map((path) => `#include "${path}"`), ...(text.match(include) ?? [])]
  const body = text.replace(include, '')
  if (skeleton === 'host-declarations') return [...includes, body].join('\n')
  return [
    ...includes,
    'namespace {',
    '[[maybe_unused]] ge::graphStatus Snippet([[maybe_unused]] gert::TilingContext* context) {',
    '  using namespace AscendC;',
    '  {',
    body,
    '  }',
    '  return ge::GRAPH_SUCCESS;',
    '}',
    '}  // namespace',
  ].join('\n')
}
