import type { Diagnostic } from '../model/index.ts'
import { libraryHeaders, onAtlasA2, onOtherDevices } from './ascendc-names.ts'
import { emulatorHeaders, type Declaration, type Header } from './declarations.ts'

/** What the emulator offers, by where a program finds it. */
interface Provided {
  /** functions and types of namespace AscendC */
  names: readonly string[]
  /** by class, outside of inner namespaces */
  classes: ReadonlyMap<string, Declaration>
}

export function providedBy(headers: readonly Header[]): Provided {
  const declarations = headers.flatMap((header) => header.declarations)
  const ofAscendC = declarations.filter(({ namespace }) => namespace === 'AscendC').map(({ name }) => name)
  const classes = declarations
    .filter(({ kind }) => kind === 'class')
    .map((item): [string, Declaration] => [item.name, item])
  return { names: [...new Set(ofAscendC)].filter((name) => /^[A-Z]/.test(name)).sort(), classes: new Map(classes) }
}

/** Names of other libraries and of hopes, and how Ascend C says it. */
const otherWords: Record<string, string> = {
  Greater: 'use Compare with CMPMODE::GT',
  GreaterThan: 'use Compare with CMPMODE::GT',
  GreaterEqual: 'use Compare with CMPMODE::GE',
  Less: 'use Compare with CMPMODE::LT',
  LessThan: 'use Compare with CMPMODE::LT',
  LessEqual: 'use Compare with CMPMODE::LE',
  Equal: 'use Compare with CMPMODE::EQ',
  NotEqual: 'use Compare with CMPMODE::NE',
  Subs: 'use Adds with the negated scalar',
  Divs: 'use Muls with the reciprocal of the scalar',
  Ands: 'use Duplicate and And',
  Ors: 'use Duplicate and Or',
  Neg: 'use Muls with -1',
  Negative: 'use Muls with -1',
  Square: 'use Mul of the tensor with itself',
  Clip: 'use Mins and Maxs',
  Clamp: 'use Mins and Maxs',
  Where: 'use Compare and Select',
  Rint: 'use Cast with RoundMode::CAST_RINT',
  IsNan: 'use Compare of the tensor with itself',
  Prelu: 'use LeakyRelu, or Maxs, Mins, Mul and Add',
  Pow: 'use Power',
  ReduceProd: 'use Mul of halves',
  MatMul: 'use Matmul',
  Memset: 'use Duplicate',
  Memcpy: 'use DataCopy',
  SyncThreads: 'use SyncAll between cores, PipeBarrier inside one',
  __syncthreads: 'use SyncAll between cores, PipeBarrier inside one',
  fabs: 'use Abs for tensors, abs for scalars',
  fabsf: 'use Abs for tensors, abs for scalars',
  exp: 'use Exp for tensors',
  expf: 'use Exp for tensors',
  log: 'use Ln for tensors',
  logf: 'use Ln for tensors',
  pow: 'use Power for tensors',
  powf: 'use Power for tensors',
  tanh: 'use Tanh for tensors',
  tanhf: 'use Tanh for tensors',
  sqrtf: 'use Sqrt for tensors, sqrt for scalars',
  rsqrt: 'use Rsqrt for tensors',
  erf: 'use Erf for tensors',
  floorf: 'use Floor for tensors',
  memset: 'use Duplicate',
}

/** How Ascend C says what a function of another library does. */
export const adviceFor = (name: string): string | undefined => otherWords[name]

/** Documented, but only for builds that run on the processor of the developer. */
const cpuBuildsOnly = new Set([
  'GetBaseAddr',
  'GmAlloc',
  'GmFree',
  'ICPU_RUN_KF',
  'ICPU_SET_TILING_KEY',
  'SetKernelMode',
])

/** What only the compiler of the vendor knows and nobody documents, and the API of Ascend C for it. */
const builtins: [pattern: RegExp, api: string][] = [
  [/^copy_(?:gm|ubuf|cbuf|matrix_cc)_to_\w+$/, 'DataCopy'],
  [/^vgather$/, 'Gather'],
  [/^vgatherb$/, 'Gatherb'],
  [/^vconv_\w+$/, 'Cast'],
  [/^vcmpvs?_\w+$/, 'Compare or Compares'],
  [/^vc(?:max|min|add)$|^Order_t$/, 'WholeReduceMax, WholeReduceMin, WholeReduceSum and the like'],
  [/^vsel$/, 'Select'],
  [/^vbrcb$/, 'Brcb'],
  [/^vbitsort$/, 'Sort32'],
  [/^vmrgsort4$/, 'MrgSort'],
]

function explainBuiltin(name: string): string | null {
  const api = builtins.find(([pattern]) => pattern.test(name))?.[1]
  return api === undefined
    ? null
    : `${name} is a builtin of the vendor's compiler, which is neither documented nor provided: use ${api}`
}

/** Insertions, deletions and replacements from one word to the other, whatever the case. */
function distance(from: string, to: string): number {
  const [a, b] = [from.toLowerCase(), to.toLowerCase()]
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; ++i) {
    const next = [i]
    for (let j = 1; j <= b.length; ++j) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** The nearest of `names`; null when none is near. */
export function nearest(name: string, names: readonly string[]): string | null {
  const limit = Math.min(3, Math.max(1, Math.floor(name.length / 4)))
  // a distance is at least that of the lengths, and takes a time that grows with them
  const near = names.filter((other) => Math.abs(other.length - name.length) <= limit)
  const ranked = near.map((other) => ({ other, far: distance(name, other) })).sort((a, b) => a.far - b.far)
  const [first] = ranked
  return first && first.far <= limit ? first.other : null
}

/** `GetTanhMaxMinTmpSize` is there where `Tanh` is. */
const sizeOf = /^Get(\w+?)(?:MaxMinTmpSize|TmpBufferFactorSize|MaxTmpSize|MinTmpSize|TmpSize)$/

function isListed(list: ReadonlySet<string>, name: string): boolean {
  const subject = sizeOf.exec(name)?.[1]
  return (
    list.has(name) ||
    (subject !== undefined && [...list].some((other) => other.toLowerCase() === subject.toLowerCase()))
  )
}

const quoted = `['‘]([^'’]+)['’]`

interface Unknown {
  name: string
  /** `AscendC`, a class, or undefined for a name that stands alone */
  scope?: string
}

/** Wordings of clang++ and g++ for a name that nobody declared. The scope comes second unless `reversed`. */
const wordings: { pattern: RegExp; reversed?: boolean }[] = [
  { pattern: new RegExp(`^no (?:member|type|template) named ${quoted} in (?:namespace )?${quoted}`) },
  { pattern: new RegExp(`^no template named ${quoted}`) },
  { pattern: new RegExp(`^use of undeclared identifier ${quoted}`) },
  { pattern: new RegExp(`^unknown type name ${quoted}`) },
  { pattern: new RegExp(`^${quoted} is not a member of ${quoted}`) },
  { pattern: new RegExp(`^${quoted} in (?:namespace|class|struct) ${quoted} does not name a`) },
  {
    pattern: new RegExp(
      `^${quoted} (?:was not declared in this scope|does not name a (?:template )?type|has not been declared)`,
    ),
  },
  { pattern: new RegExp(`^call to deleted function ${quoted}`) },
  { pattern: new RegExp(`^use of deleted function ${quoted}`) },
  { pattern: new RegExp(`^${quoted} has no member named ${quoted}`), reversed: true },
]

function unknownOf(message: string): Unknown | null {
  for (const { pattern, reversed } of wordings) {
    const found = pattern.exec(message)
    if (!found) continue
    const [name = '', scope] = reversed ? [found[2], found[1]] : [found[1], found[2]]
    const parts = name.replace(/<.*/s, '').split('::')
    const last = parts.pop() ?? ''
    const where = scope ?? (parts.length > 0 ? parts.join('::') : undefined)
    return { name: last, ...(where === undefined ? {} : { scope: where }) }
  }
  return null
}

const isNotYet = (name: string): string => `${name} is an Ascend C API that the emulator does not provide yet`

const isForCpuBuilds = (name: string): string =>
  `${name} exists in Ascend C only where ASCENDC_CPU_DEBUG is defined, not on a device`

/** What g++ takes and clang++ does not. */
const lengthUnknown = /^variable-sized object may not be initialized/

/** An operator that communicates with others: no header says so before its definition does. */
const communication = /\bno member named ['‘]MC2['’]/

/** What both compilers take an attribute of the vendor's for. Only the kernel's own file is rid of them. */
const literalAttribute = /^decomposition declaration|^(?:ISO C\+\+ forbids declaration of ['‘])?structured binding/

/** Names that only Ascend C or somebody who means it writes: `Relu6`, `DataCopyX`. */
const looksLikeApi = /^[A-Z][a-z]\w*$/

/** `class AscendC::TQue<AscendC::TPosition::VECIN, 1>` is the class TQue of AscendC. */
function classOf(scope: string): { name: string; namespace: string } {
  const path = scope
    .replace(/^(?:const |class |struct )*/, '')
    .replace(/<.*/s, '')
    .split('::')
  const name = path.pop() ?? ''
  return { name, namespace: path.join('::') }
}

/** What `GET_TILING_DATA` reads, which only a registered struct declares. */
const tilingStruct = /^NPU_EMU_TILING_STRUCT(?:_\d+)?$/

function explainName({ name, scope }: Unknown, provided: Provided): string | null {
  if (tilingStruct.test(name))
    return 'there is no tiling data to read: register its class in op_host by REGISTER_TILING_DATA_CLASS, or name the struct in the kernel by REGISTER_TILING_DEFAULT'
  const inAscendC = scope === 'AscendC' || scope === '::AscendC'
  if (scope === undefined && provided.names.includes(name))
    return `${name} is in namespace AscendC: write AscendC::${name} or using namespace AscendC`
  if (scope !== undefined && !inAscendC) return explainMember(name, classOf(scope), provided)
  if (cpuBuildsOnly.has(name)) return isForCpuBuilds(name)
  const builtin = scope === undefined ? explainBuiltin(name) : null
  if (builtin !== null) return builtin
  if (isListed(onAtlasA2, name)) return isNotYet(name)
  const [hint, near] = [otherWords[name], nearest(name, provided.names)]
  const advice = hint ?? (near === null ? undefined : `did you mean ${near}?`)
  const tail = advice === undefined ? '' : `: ${advice}`
  if (isListed(onOtherDevices, name))
    return `${name} exists in Ascend C, but not on Atlas A2 (Ascend 910B)${hint === undefined ? '' : tail}`
  if (inAscendC || hint !== undefined || looksLikeApi.test(name)) return `${name} does not exist in Ascend C${tail}`
  return null
}

function explainMember(name: string, scope: { name: string; namespace: string }, provided: Provided): string | null {
  const declaration = provided.classes.get(scope.name)
  if (!declaration || !/^(?:AscendC|gert|ge|ops|optiling|platform_ascendc|fe)?$/.test(scope.namespace)) return null
  const where = `${scope.name}::${name}`
  if (provided.names.includes(name)) return `${where} does not exist in Ascend C: ${name} is a function of its own`
  if (cpuBuildsOnly.has(name)) return isForCpuBuilds(where)
  if (onAtlasA2.has(name)) return isNotYet(where)
  const methods = [declaration, ...declaration.bases.flatMap((base) => provided.classes.get(base) ?? [])]
  const near = nearest(
    name,
    methods.flatMap((item) => item.methods),
  )
  return `${where} does not exist in Ascend C${near === null ? '' : `: did you mean ${near}?`}`
}

const missingFile = /^(?:'([^']+)' file not found|([^\s:]+): No such file or directory)/
const headerPath = /^(?:lib|adv_api)\/(?:(\w+)\/)?(\w+)\.h$/

/** Of the headers only those of the library are told apart: others are the candidate's business. */
function explainHeader(message: string): string | null {
  const found = missingFile.exec(message)
  const path = found?.[1] ?? found?.[2]
  if (path !== undefined && path.startsWith('c_api/'))
    return `${path} belongs to the C interface of Ascend C (asc_add and the like), which the emulator does not provide yet`
  const parts = path === undefined ? null : headerPath.exec(path)
  if (!parts) return null
  const [, folder = '', name = ''] = parts
  const names = (libraryHeaders[folder] ?? '').split(/\s+/)
  const plain = name.replace(/^kernel_operator_|_intf$|_tiling(?:_intf)?$/g, '')
  if (names.includes(name) || names.includes(plain))
    return isNotYet(path ?? '').replace('an Ascend C API', 'an Ascend C header')
  const near = nearest(plain, names)
  return `${path} is not a header of Ascend C${near === null ? '' : `: did you mean ${[path?.split('/')[0], folder, `${near}.h`].filter(Boolean).join('/')}?`}`
}

/** Functions of `<cmath>`, which nothing else that a host part includes declares. */
const mathFunction =
  /^(?:a?(?:sin|cos|tan)h?|atan2|cbrt|ceil|copysign|erfc?|exp2?|expm1|fabs|fdim|floor|fm(?:a|ax|in|od)|frexp|hypot|ilogb|is(?:nan|inf|finite|normal)|ldexp|l?l?r(?:int|ound)|[lt]gamma|log(?:10|1p|2|b)?|modf|nearbyint|nextafter|pow|remainder|scalbn|signbit|sqrt|trunc)[fl]?$/

function explainOnHost(message: string): string | null {
  const unknown = unknownOf(message)
  if (!unknown || !mathFunction.test(unknown.name) || !['std', undefined].includes(unknown.scope)) return null
  return `${unknown.name} is a function of <cmath>, which the toolkit's headers do not bring along: #include <cmath>`
}

/** What the message of a compiler says of Ascend C; null when it speaks of something else. */
export function explain(message: string, provided: () => Provided): string | null {
  if (literalAttribute.test(message))
    return 'a literal [aicore] is understood in the file of the kernel alone: write __aicore__'
  if (lengthUnknown.test(message))
    return 'clang++ cannot initialise an array of variable length, as g++ does: give it a constant length, use std::vector, or set NPU_CXX=g++'
  if (communication.test(message)) return `${isNotYet('MC2')}: an operator runs on one device here`
  const unknown = unknownOf(message)
  return unknown ? explainName(unknown, provided()) : explainHeader(message)
}

let known: Provided | undefined
const emulator = (): Provided => (known ??= providedBy(emulatorHeaders()))

/** Errors about unknown names say first what Ascend C and the emulator have of them, or where the host finds them. */
export const withExplanations = (diagnostics: readonly Diagnostic[], isHost: boolean): Diagnostic[] =>
  diagnostics.map((item) => {
    if (item.severity !== 'error') return item
    const explanation = (isHost ? explainOnHost(item.message) : null) ?? explain(item.message, emulator)
    return explanation === null ? item : { ...item, message: `${explanation} (${item.message})` }
  })
