import type { Diagnostic, ErrorClass } from '../model/index.ts'

const macroName =
  /['‘](?:GET_TILING|TILING_|REGISTER_|KERNEL_TASK|ASCENDC?_|OP_|(?:ORIG_)?DTYPE_|FORMAT_|IMPL_OP|BEGIN_|END_)/

/** In the order they are tried: wordings of clang++, g++ and the vendor's compilers, and of our own explanations in front of them. */
const wordings: readonly (readonly [ErrorClass, RegExp])[] = [
  ['unsupported', /that the emulator does not provide yet/],
  ['language', /-f(?:no-)?rtti|exceptions disabled|exception handling disabled/],
  ['language', /target (?:feature|specific option)|__builtin_(?:ia32|arm|aarch64)_\w+/],
  [
    'language',
    /^(?:assembly|\w+) is not allowed[,:]|is for the host's processor|^vectors of the host|^functions of the device are all/,
  ],
  ['object-usage', /^\w+::\w+ does not exist in Ascend C/],
  ['api-signature', /^\w+ (?:does not exist in Ascend C|exists in Ascend C, but)/],
  ['api-signature', /^no (?:member|template) named '\w+' in namespace 'AscendC'/],
  ['data-type', /on Atlas A2|element types?\b|^cast between .* is not allowed/],
  ['include', /file not found|No such file or directory|is not a header/],
  ['tiling', /tiling (?:data|struct|field)/i],
  ['macro', /unterminated|^#|invalid preprocessing|preprocessing token|\bmacro\b/],
  ['scope', /no (?:member|template) named .* in namespace/],
  ['object-usage', /no member named|has no member|member reference|request for member|indirection requires|unary '\*'/],
  [
    'object-usage',
    /subscripted value|base operand of '->'|address space|reinterpret_cast from|__gm__|is (?:a )?(?:private|protected)|is inaccessible/,
  ],
  [
    'api-signature',
    /no matching (?:member )?function|takes no number|too (?:few|many) (?:template )?arguments|deleted function|template argument/,
  ],
  ['api-signature', /^operator \w+ declares/],
  ['scope', /^op_host does not register/],
  ['api-signature', /call (?:to|of) .* is ambiguous|no matching constructor/],
  [
    'data-type',
    /cannot (?:convert|initialize|bind)|incompatible type|invalid conversion|invalid initialization|narrow|no viable|assigning to|invalid operands|invalid cast|no match for/,
  ],
  [
    'scope',
    /undeclared|not declared|has not been declared|unknown type name|does not name|redefinition|redeclaration|conflicting declaration|ambiguous|no (?:type|template) named|no namespace named|not a member of/,
  ],
]

/** The class of the first of the errors. */
export function classOf(stage: 'host' | 'kernel' | 'link', [error]: readonly Diagnostic[]): ErrorClass {
  if (stage === 'link') return 'link'
  if (!error) return 'syntax'
  const { message } = error
  if (macroName.test(message) || /^in (?!NPU_EMU_)\w+: expected/.test(message)) return 'macro'
  if (message.startsWith('expected')) return 'syntax'
  return wordings.find(([, wording]) => wording.test(message))?.[0] ?? 'syntax'
}
