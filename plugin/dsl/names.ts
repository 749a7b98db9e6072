import { hostHelpers, kernelHelpers } from './helpers.ts'
import { fail, type Span } from './problem.ts'

/** What a name of a program cannot be, as it stays a name in C++. */
const reserved = new Set(
  `alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await co_return co_yield compl
concept const const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit export
extern false float for friend goto half if inline int int8_t int16_t int32_t int64_t long mutable namespace new noexcept not not_eq nullptr
operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof static static_assert static_cast
struct switch template this thread_local throw true try typedef typeid typename uint8_t uint16_t uint32_t uint64_t union unsigned using
virtual void volatile wchar_t while xor xor_eq
tiling tilingData pipe work workspace usedCores slotBytes workspaceBytes available bytes column ubBytes context platform op core_ std ge gert AscendC optiling ops main
NAN INFINITY NULL EOF EDOM ERANGE EILSEQ CHAR_BIT BUFSIZ errno stdin stdout stderr assert unix linux GM_ADDR offsetof va_list va_start va_arg va_end va_copy`.split(
    /\s+/,
  ),
)

/** Macros of the headers that C++ of a project includes: limits of types, classes of numbers, constants. */
const limitPattern =
  /^(?:U?INT(?:(?:_LEAST|_FAST)?\d+|PTR|MAX)_(?:MIN|MAX|C)|(?:SCHAR|CHAR|SHRT|INT|LONG|LLONG|PTRDIFF|WCHAR|WINT|SIG_ATOMIC)_(?:MIN|MAX)|(?:U(?:CHAR|SHRT|INT|LONG|LLONG)|SIZE|RAND)_MAX)$/
const mathPattern =
  /^(?:HUGE_VAL[FL]?|FP_(?:NAN|INFINITE|ZERO|SUBNORMAL|NORMAL|ILOGB0|ILOGBNAN)|M_(?:E|LOG2E|LOG10E|LN2|LN10|PI|PI_[24]|[12]_PI|2_SQRTPI|SQRT2|SQRT1_2)|(?:FLT|DBL|LDBL)_(?:MIN|MAX|EPSILON|DIG|RADIX|MANT_DIG|(?:MIN|MAX)_(?:10_)?EXP|TRUE_MIN|DECIMAL_DIG|HAS_SUBNORM))$/

/** What looks like a macro: headers have hundreds, and those of the vendor others than ours. */
const capitals = /^[A-Z][A-Z\d_]{2,}$/

/** The macros of headers that do not look like one. */
const otherMacros = /^(?:[LP]_[a-z]+|(?:PRI|SCN)[A-Za-z\d]+|sched_priority|always_inline|math_errhandling)$/

/** What the language calls by name. */
const spoken = new Set(
  'min max ceilDiv alignUp float int fit get set load store buffer mask range split copyIn compute copyOut matmul float32'.split(
    ' ',
  ),
)

/** Functions and types of projects. */
const generated = new Set([...Object.keys(kernelHelpers), ...Object.keys(hostHelpers)])
const generatedPattern = /^(?:Type|Kernel|has|bytesWith)[A-Z]|(?:Shape|Bytes|Given|Starts|Tensors|Of|OfRow|TilingData)$/

/** Is this no name that a program may give? */
export const isReserved = (name: string): boolean =>
  reserved.has(name) ||
  spoken.has(name) ||
  generated.has(name) ||
  generatedPattern.test(name) ||
  limitPattern.test(name) ||
  mathPattern.test(name) ||
  !/^[A-Za-z]\w*$/.test(name) ||
  name.endsWith('_')

/** What a program may call something, but C++ or the project may not: it is written otherwise there. */
export const isRenamed = (name: string): boolean =>
  (isReserved(name) || capitals.test(name) || otherMacros.test(name)) && !spoken.has(name)

/** Why a name is none that a program may give. */
export const whyReserved = (name: string): string =>
  spoken.has(name)
    ? `${name} is a word of the language: take another name`
    : 'C++ or the project uses it: take another name'

/** A name that is declared: C++ allows it, and nothing around it is called so. */
export function allowedName(name: string, span: Span, taken: ReadonlyMap<string, unknown>): string {
  if (isReserved(name)) fail(span, `${name} cannot be a name here`, whyReserved(name))
  if (taken.has(name)) fail(span, `${name} is declared already`, 'a name stands for one thing at a time')
  return name
}
