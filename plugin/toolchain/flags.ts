import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { architecture } from '../soc/profile.ts'
import type { Compiler } from './compiler.ts'

/** The two core kinds of the device; a kernel is compiled once for each kind it uses. */
export type CoreKind = 'aiv' | 'aic'
export type HeaderKind = CoreKind | 'host'

const coreMacros: Record<CoreKind, string[]> = {
  aiv: ['-D__DAV_C220_VEC__'],
  aic: ['-D__DAV_C220_CUBE__'],
}

/** As the vendor's compiler has them: operators ask for all of these. */
const architectureMacros = [
  '-D__CCE__',
  '-D__CCE_IS_AICORE__=1',
  `-D__CCE_AICORE__=${architecture.aiCore}`,
  `-D__NPU_ARCH__=${architecture.npuArch}`,
  // its build says so of each kernel
  '-DDETERMINISTIC_MODE=0',
]

/** As the vendor's build compiles the library of tiling functions, in the configuration that its projects have. */
const hostMacros = ['-DOP_TILING_LIB', '-DNDEBUG']

/** What is read between the precompiled header and a candidate's text: names that candidates cannot use. */
export const hostOnlyHeader = 'ascendc/host_only.h'

/** The header that is precompiled for each kind, relative to the include folder. */
export const precompiledHeader: Record<HeaderKind, string> = {
  aiv: 'kernel_operator.h',
  aic: 'kernel_operator.h',
  host: 'host_pch.h',
}

/**
 * AVX2 and F16C on x86-64: half arithmetic without them is a library call per element. A machine without them is served by
 * the baseline instruction set.
 */
export function machineFlags(compiler: Compiler): string[] {
  return compiler.target.startsWith('x86_64') && hasAvx2() ? ['-march=x86-64-v3'] : []
}

function hasAvx2(): boolean {
  try {
    const flags = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1]?.split(' ') ?? []
    return ['avx2', 'f16c', 'fma', 'bmi2'].every((flag) => flags.includes(flag))
  } catch {
    return false
  }
}

/**
 * What copies or fills many bytes is a call, which is charged by its bytes: g++ has one instruction for it on x86-64, and calls on
 * other machines.
 */
const callingFlags = ({ target }: Compiler): string[] =>
  target.startsWith('x86_64') ? ['memcpy', 'memset'].map((name) => `-m${name}-strategy=libcall:-1:noalign`) : []

/** What runs before there is a runtime: npu-confine and the compile server. */
export const toolFlags: readonly string[] = ['-std=c++17', '-O2']

/** Where the sources of the emulator, which is in `root`, look for its headers. */
export const emulatorIncludes = (root: string): string[] =>
  ['', 'include', 'runtime'].map((folder) => `-I${join(root, folder)}`)

/** The device runtime and the runner: ours, trusted, optimised. */
export const runtimeFlags = (compiler: Compiler): string[] => [
  '-std=c++17',
  '-O3',
  '-falign-functions=64',
  '-falign-loops=32',
  ...machineFlags(compiler),
  '-ffp-contract=off',
  '-fno-math-errno',
  '-fno-trapping-math',
  // a stream may bring any numbers: what is computed of them is checked before it is used, and has to be defined until then
  '-fno-strict-overflow',
  // an index that nobody has checked ends the device: one or two per cent of its time
  '-D_GLIBCXX_ASSERTIONS',
  ...(compiler.family === 'clang' ? ['-fsanitize=bounds', '-fsanitize-trap=bounds'] : []),
  // findings remember calls by following the frames from the runtime up into the kernel
  '-fno-omit-frame-pointer',
  '-fPIC',
  '-g1',
]

/** How the emulator is linked. Libraries find each other in the folder that they are in. */
const runPath = '-Wl,-rpath,$ORIGIN'
export const runtimeLinkFlags = {
  device: ['-shared', '-Wl,-soname,libnpu_emu.so', '-Wl,-Bsymbolic,-z,now'],
  // what kernels have in common calls the device as they do: from outside of it
  kernel: ['-shared', '-Wl,-soname,libnpu_kernel.so', '-Wl,-Bsymbolic,-z,now', runPath],
  // its children are copies of it: what it has not looked up, each of them would
  runner: ['-Wl,-z,now', runPath, '-ldl', '-lpthread'],
} as const

/** Of a device that tells where it does what C++ does not define: it ends with SIGILL there. For tests; clang only. */
export const checkedFlags: readonly string[] = [
  // it plays few streams: building it would take longer than they do
  '-O0',
  '-fsanitize=undefined,bounds',
  // addresses are computed before the issue point asks what lies there
  '-fno-sanitize=pointer-overflow',
  // elements of device memory are read where the operand says, which is checked for what the device demands
  '-fno-sanitize=alignment',
  // takes the types of both sides to be known to one library
  '-fno-sanitize=function,vptr',
  '-fsanitize-trap=all',
]

/** Lines of code; of kernels that g++ compiles also what names of types stand for (`debug-types.ts`), which its dumps do not tell. */
function debugFlags({ family }: Compiler, kind: HeaderKind): string[] {
  if (family === 'clang') return ['-gline-tables-only']
  return kind === 'host' ? ['-g1'] : ['-g2', '-femit-struct-debug-detailed=none']
}

/**
 * The vendor's host compiler is g++: it only warns where a variable narrows inside braces, and takes designators in the order of
 * declarations alone.
 */
const hostWarningsOfClang = ['-Wno-c++11-narrowing', '-Werror=reorder-init-list']

/** The vendor's compiler of kernels is a clang: it takes no variable that narrows inside braces. */
const kernelWarningsOfGcc = ['-Werror=narrowing']

/**
 * Everything a precompiled header and the translation units that use it must agree on. Kernels stay at -O0: all work is done
 * in the runtime, so optimising them costs compile time and gains nothing.
 */
export function candidateFlags(compiler: Compiler, kind: HeaderKind): string[] {
  const clang = compiler.family === 'clang'
  return [
    '-std=c++17',
    '-O0',
    ...debugFlags(compiler, kind),
    // binutils 2.40 takes the first file of a version 5 line table for the second
    '-gdwarf-4',
    // g++ would write down with which options: units of the same code are the same
    ...(clang ? [] : ['-gno-record-gcc-switches']),
    '-fPIC',
    '-fvisibility=hidden',
    '-fno-omit-frame-pointer',
    ...machineFlags(compiler),
    ...(clang
      ? // what assembly reads, nobody hashes; g++ has no such flag: assembly.ts
        ['-fno-color-diagnostics', '-ferror-limit=20', '-fpch-instantiate-templates', '-fno-gnu-inline-asm']
      : [
          '-fdiagnostics-color=never',
          '-fmax-errors=20',
          '-fno-gnu-unique',
          // g++ reports no load of an argument: a struct that is passed by value is copied by a constructor, which is seen; what has
          // none is refused (`unreportedOfGimple` in gimple.ts)
          ...(kind === 'host' ? [] : ['-fno-elide-constructors', ...callingFlags(compiler)]),
        ]),
    ...(kind === 'host'
      ? [...(clang ? hostWarningsOfClang : ['-Wno-narrowing']), ...hostMacros]
      : [...(clang ? [] : kernelWarningsOfGcc), '-fno-exceptions', ...architectureMacros]),
    ...(kind === 'host'
      ? []
      : ['-fno-rtti', '-fno-math-errno', '-ffp-contract=off', '-ffunction-sections', ...coreMacros[kind]]),
    // what clang computes with is read from it: device-language.ts
    // and without the option it computes with halves in float, as if somebody had cast them
    ...(kind !== 'host' && clang
      ? ['-Xclang', '-fembed-bitcode=all', '-Xclang', '-ffloat16-excess-precision=none']
      : []),
    ...(kind === 'host' ? blockFlags(compiler) : reportingFlags(compiler)),
  ]
}

/**
 * Host parts report the start of each basic block. No clock counts them, so that with clang also an edge that skips a body
 * is a block of its own; g++ has no such option.
 */
export const blockFlags = ({ family }: Compiler): string[] => [
  `-fsanitize-coverage=${family === 'clang' ? 'edge,no-prune,' : ''}trace-pc`,
]

const llvm = (options: readonly string[]): string[] => options.flatMap((option) => ['-mllvm', `-${option}`])

/** A sanitizer that adds nothing but its mark to a function: what clang is not told to leave unmarked is the kernel's own. */
export const ofKernels = 'fuzzer-no-link'

/**
 * Kernels report their loads and stores, before they make them, and the start of each basic block to the functions of
 * `runtime/raw_access.cpp`. The sanitizers whose compiler half does that have no runtime here. That of clang for addresses
 * leaves out only what cannot leave its variable, and where it is meant for kernels of operating systems it adds nothing of
 * its own; that of g++ leaves out a store to where the block has loaded from, so that g++ reports as for threads.
 */
export function reportingFlags(compiler: Compiler): string[] {
  if (compiler.family !== 'clang')
    return [
      '-fsanitize=thread',
      '-fsanitize-coverage=trace-pc',
      // it reports no load of a constant array either: an index past its end would reach whatever lies there
      '-fsanitize=bounds-strict',
      '-fsanitize-undefined-trap-on-error',
    ]
  return [
    '-fsanitize=kernel-address',
    '-Xclang',
    `-fsanitize=${ofKernels}`,
    ...llvm([
      'asan-instrumentation-with-call-threshold=0',
      'asan-opt-same-temp=0',
      'asan-use-stack-safety=0',
      'asan-stack=0',
      'asan-globals=0',
      'asan-opt-globals=0',
      'asan-constructor-kind=none',
    ]),
    '-fsanitize-coverage=bb,no-prune,trace-pc',
  ]
}
