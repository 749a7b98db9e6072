/** What a kernel is told that uses C++ of the host's processor. */
export const noAssembly =
  'assembly is not allowed, nor text that the assembler would read: what the device does is called by functions of Ascend C'

export const noHostInstruction = (name: string): string =>
  `${name} is for the host's processor, which the device does not have`

export const noVectors =
  'vectors of the host (vector_size) are not allowed in aicore function: the vectors of the device are tensors'

export const noAddressSpaces =
  'address spaces of the host (address_space) are not allowed in aicore function: pointers are of __gm__ memory, or of one ' +
  'of the memories of a core'

export const noUnknownValue = (name: string): string =>
  `${name} of a value that is not constant tells how a build compiles, and the vendor's compiles otherwise: leave it out`

export const noUnreportedAccess =
  'g++ tells nobody of this load or store, which a call makes by the way: copy what is passed or returned into a variable first'

export const noBorrowedName =
  'a function cannot have the name of one that the compiler calls, nor of another library: leave out weakref and the like'

export const noDefaultArguments =
  'a function with default arguments cannot be called by one of the library, which would compute them: write one for each count'

export const notOfLibrary =
  'a function of the library cannot be written anew by a kernel: write a function of another name'

export const noOtherLines = '#line is not allowed: what is said of a kernel is said of its own files and lines'

export const noEmulatorNames =
  'names that begin with npu_emu are not allowed, nor words that may be pasted to one: a device has nothing of that name'

export const noOtherHeaders =
  'the name of a header is not allowed to hold what begins a comment or a text: rename the header'

export const noBrackets = 'the name of a source is not allowed to hold brackets: rename the file'

export const noOldLineEnds = 'a carriage return is not allowed but before a line feed: end lines as everybody does'

export const noCodeAttribute = (name: string): string =>
  `functions of the device are all compiled in the same way: leave out the attribute or pragma ${name}`

/** In the order they are tried. */
const words: readonly (readonly [RegExp, (word: string) => string])[] = [
  [/^_*asm_*$/, () => noAssembly],
  [/^__[A-Z_]+__$/, (word) => `${word} is not allowed: a build gives the same on every day and in every folder`],
  [/thread/i, (word) => `${word} is not allowed: a variable that each core has for itself is declared __BLOCK_LOCAL__`],
  [/vector/, () => noVectors],
  [/(?:Bit|Ext)Int/, (word) => `${word} is not allowed: the scalar unit computes with up to 64 bits`],
  [/^redefine_extname$/, () => noBorrowedName],
  [/^register$/, () => 'register is not allowed: C++17 has no such storage class'],
  [/sanit|instrument|safety|nodebug/, noCodeAttribute],
]

/** Why a word of `ascendc/host_only.h` cannot be used. */
export const whyNot = (word: string): string =>
  (words.find(([pattern]) => pattern.test(word))?.[1] ?? noHostInstruction)(word)
