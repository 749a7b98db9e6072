import type { Compiler } from './compiler.ts'
import type { HeaderKind } from './flags.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const anyOf = (patterns: readonly string[]): RegExp => new RegExp(`^(?:${patterns.join('|')})$`)

/** What C++ and any compiler for Linux on a machine of 64 bits define alike. */
const everywhere = [
  '__cplusplus|__LINE__|__COUNTER__|__VA_ARGS__|__VA_OPT__|__STDC__|__STDC_HOSTED__|__has_include',
  // poisoned, or told apart by their use
  '__FILE__|__func__|__FUNCTION__|__PRETTY_FUNCTION__|__DATE__|__TIME__|__TIMESTAMP__|__BASE_FILE__',
  '__(?:FLT|DBL)_(?:MAX|MIN|EPSILON|DENORM_MIN|(?:DECIMAL_|MANT_)?DIG|(?:MAX|MIN)(?:_10)?_EXP|RADIX)__|__CHAR_BIT__',
  '__(?:SCHAR|SHRT|INT|LONG|LONG_LONG|SIZE|PTRDIFF|INTMAX|UINTMAX|INTPTR|UINTPTR|U?INT(?:8|16|32|64))_(?:MAX|TYPE|WIDTH)__',
  '__SIZEOF_(?:SHORT|INT|LONG|LONG_LONG|FLOAT|DOUBLE|POINTER|SIZE_T|PTRDIFF_T|INT128)__|_?_LP64(?:__)?',
  '__BYTE_ORDER__|__ORDER_(?:LITTLE|BIG|PDP)_ENDIAN__|__BYTE_ORDER|__(?:LITTLE|BIG)_ENDIAN',
  // of other systems and compilers, which neither build has
  '_WIN(?:32|64)|_MSC_(?:FULL_)?VER|__(?:APPLE|ANDROID|MINGW32|MINGW64|CYGWIN|FreeBSD)__|__(?:CUDACC|CUDA_ARCH|HIPCC|HIP|INTEL_COMPILER|NVCC)(?:__)?',
  '__ATOMIC_[A-Z_]+|__WORDSIZE|__(?:BEGIN|END)_DECLS|__CONCAT|__STRING|__THROW|__glibcxx_\\w+',
]

/** Defined alike for kernels: what names the device, and what is for kernels on the machine of the developer or on other devices. */
const ofKernels = [
  '__CCE__|__CCE_IS_AICORE__|__CCE_AICORE__|__NPU_ARCH__|__DAV_C220_(?:VEC|CUBE)__|__DAV_(?:VEC|CUBE)__',
  '__CCE_(?:KT|UT)_TEST__|__DAV_(?!C220|VEC_|CUBE_)[A-Z]\\d+(?:_\\w+)?__',
]

/** Defined alike for host parts. */
const ofHost = [
  // what a header asks for that kernels include as well
  '__CCE__|__CCE_\\w+|__NPU_ARCH__|__DAV_\\w+__',
  '__linux__|__linux|__unix__|__x86_64__|__x86_64|__aarch64__|__EXCEPTIONS|__GXX_RTTI|__ELF__|_GNU_SOURCE',
]

const reservedPatterns: Record<HeaderKind, RegExp> = {
  aiv: anyOf([...everywhere, ...ofKernels]),
  aic: anyOf([...everywhere, ...ofKernels]),
  host: anyOf([...everywhere, ...ofHost]),
}

/** What the device's compiler, a clang, defines as well as the one here where that is one. */
const ofClang = words('__clang__ __llvm__ __GNUC__ __GNUG__')

/** Is a name for the implementation? */
export const isReserved = (name: string): boolean => /^(?:__|_[A-Z])/.test(name)

/** Is a reserved name defined here just where the vendor's build has it, with the same value? */
export const isDefinedAlike = (name: string, kind: HeaderKind, family: Compiler['family']): boolean =>
  reservedPatterns[kind].test(name) || (kind !== 'host' && family === 'clang' && ofClang.has(name))

/** Both compilers of host parts define these, with other values. */
export const isOfBothCompilers = (name: string, kind: HeaderKind): boolean =>
  kind === 'host' && (name === '__GNUC__' || name === '__GNUG__')

/** Words by which a text asks the compiler what it is, and how and from where it compiles: nobody says them of the vendor's. */
export const asksCompiler = anyOf([
  '__has_(?!include$)\\w+|__is_identifier|__is_target_\\w+|__building_module|__INCLUDE_LEVEL__',
  '__OPTIMIZE(?:_SIZE)?__|__NO_INLINE__|__FILE_NAME__|__FUNCSIG__|__FUNCDNAME__|L__FUNC\\w+',
  '__builtin_(?:FILE|FILE_NAME|FUNCTION|FUNCSIG|source_location)|source_location',
  '_FORTIFY_SOURCE|_GLIBCXX_\\w+|__GLIBC\\w*|__GLIBCXX__',
])

/**
 * Macros of the vendor's headers that kernels get by kernel_operator.h, but for those that are here as well and for guards, and of the command
 * line of its builds (ascendc_impl_build.py and compile_op.py of asc-devkit).
 */
const ofVendorsKernels = words(`ASCENDC_AICORE ASCENDC_CHECK_TENSOR_PTR_ALIGN ASCENDC_CHECK_TPOSITION
  ASCENDC_CHECK_VALUE_RANGE ASCENDC_DEBUG_ASSERT ASCENDC_DEBUG_ASSERT_IMPL ASCENDC_DEBUG_WARNING
  ASCENDC_DEBUG_WARNING_IMPL ASCENDC_HCCL_API_ASSERT ASCENDC_HOST ASCENDC_HOST_AICORE ASCENDC_REPORT_CHECK_ERROR
  ASCENDC_REPORT_NOT_SUPPORT ASCENDC_REPORT_OVERFLOW_MEM ASCENDC_SHAPE ASCENDC_SIMD_VF_MAGIC_NUMBER
  ASCENDC_SIMD_VF_PRINTF_UBUF_MAX_SIZE ASCEND_IS_AICORE CHECK_FUNC_HIGHLEVEL_API DEBUG_CODE DFX_MAKE_GUARD
  ENABLE_DETERMINISTIC ENABLE_FEATURE_FOR_COMPILE ENABLE_FEATURE_FOR_TILING HCCL_CHECK_RESTART HCCL_CHECK_STATUS
  IMPL_MODE_IS KERNEL_LOG_INTERNAL KFC_C310_SSBUF KFC_COMM_SERVER KFC_L1_RESERVER_SIZE MAX_MSG_COUNT MIX_LOG MSG_POS
  QBUFPOOL_MAX_LEN QBUF_L0A_RESERVED_LEN QBUF_L0B_RESERVED_LEN QBUF_MAX_LEN QBUF_TOTAL_RESERVED_LEN
  SIMT_ONE_CORE_DUMP_SIZE SK_BIND SK_BIND_NAME_CONCAT SK_BIND_NAME_CONCAT_IMPL SSBUF_ADDR TILING_STRUCT_SECTION_INIT
  TILING_STRUCT_SECTION_INIT_BASE TPIPE_MAX_TYPE TRACE_START_IMPL TRACE_STOP_IMPL UB_ADDR USE_ISA_INS VA_ARGS_IS_EMPTY
  ASCENDC_API_VERSION ASCENDC_RECOGNIZE_SIMT_VF ASCENDC_TPL_KERNEL ASCENDC_TPL_PRE CONST_TILING L2_CACHE_HINT
  ONE_CORE_DUMP_SIZE WORKSPACE_PARAM_OFFSET ASC_DEVKIT_VERSION_STR ASC_DEVKIT_VERSION_NUM ASC_DEVKIT_TIMESTAMP
  _ASCENDC_HAS_BISHENG_COMPILER always_inline linux unix`)

/** More of these, by families; what a name begins and ends with that the vendor's build generates. */
const familiesOfKernels = anyOf([
  'auto_gen_\\w+|__\\w+__KERNEL_FUN_H__|__PLUGIN__\\w*|__CHECK_FEATURE_AT_PRECOMPILE|__ASC_\\w+|__KFC_LOG_H__',
  'ASC_(?:DISABLE|USE|RESERVED)\\w*|ASCC_(?:ENUM|PARAM|STRUCT)_\\w+|TILING_KEY_(?:ARG|INDEX|LIST_INOUT)\\w*',
  'DT_(?:COMPLEX(?:32|128)|DUAL\\w*|FLOAT[468]_\\w+|HIFLOAT8|INT2|MAX|QU?INT\\w+|RESOURCE|STRING\\w*|UINT[12]|UNDEFINED|VARIANT)',
])

/** Macros of which the host's build has others than are here: options of g++, of the libraries that are no tiling, and what CMake says of one. */
const ofVendorsHost = anyOf(['OP_PROTO_LIB|linux|unix', '\\w+_EXPORTS'])

const guardOfVendor = anyOf([
  '(?:ASCENDC_(?:MODULE|KERNEL|TYPE|SCALAR)|AICORE_(?:UTILS|BASIS)|TIKCFW_IMPL|INCLUDE_(?:UTILS|SORT|SIMT)|KERNEL_(?:TYPE|TENSOR))_?\\w*_H_*',
  '(?:IMPL|LIB)_(?:ACTIVATION|MATH|STD|UTILS|NORMALIZATION|REDUCE|HCCL|QUANTIZATION|TRANSPOSE|PAD|SORT|SELECT|FILTER|COMMON|SOFTMAX|MATMUL|INDEX|API|V220|KERNEL|ASCEND)_\\w*_H_*',
])

/** Is it the guard of one of the vendor's headers? */
export const isGuardOfVendor = (name: string): boolean => guardOfVendor.test(name)

/** Does the vendor's build define a name that is not defined here, whoever else defines it? */
export const isDefinedThere = (name: string, kind: HeaderKind): boolean =>
  kind === 'host'
    ? ofVendorsHost.test(name)
    : ofVendorsKernels.has(name) || familiesOfKernels.test(name) || isGuardOfVendor(name)
