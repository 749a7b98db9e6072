import { definitionsOf, entryPattern } from '../files/index.ts'
import { lineNumbers } from '../model/line-numbers.ts'
import { architecture } from '../soc/profile.ts'
import { wordsOfEntry } from './emulator-names.ts'
import { macrosOf, type Macros } from './macros.ts'
import { blankComments, cString, gap } from './text.ts'
import { templateParameters, vendorSyntax } from './vendor-syntax.ts'
import type { CoreKind } from './flags.ts'

/** True when the text defines the kernel for the device, not only declares it. */
export const definesKernel = (source: string, kernel: string, macros = macrosOf([source])): boolean =>
  definitionsOf(blankOffDevice(blankComments(source, true)), kernel, macros.kernels).length > 0

export interface EntryParameters {
  count: number
  /** where the kernel is defined */
  line: number
}

const countOf = (parameters: string): number => (parameters.trim() === '' ? 0 : parameters.split(',').length)

/** Whether directives or words that are no parameter by themselves take part. */
const mayBeMacros = (parameters: string): boolean =>
  parameters.includes('#') || parameters.split(',').some((one) => /^\s*(?!GM_ADDR\b)\w+\s*$/.test(one))

/** The parameters of the kernel where the text defines it; undefined where macros take part. */
export function entryParameters(
  source: string,
  kernel: string,
  macros = macrosOf([source]),
): EntryParameters | undefined {
  const text = blankOffDevice(blankComments(source, true))
  const lineOf = lineNumbers(text)
  const list = /\s*\(([^(){};]*)\)\s*\{/y
  const definitions = [...text.matchAll(entryPattern(kernel, macros.kernels))].flatMap((match) => {
    const at = match.index + match[0].length
    list.lastIndex = at
    const [, parameters = '#'] = list.exec(text) ?? []
    return mayBeMacros(parameters) ? [] : [{ count: countOf(parameters), line: lineOf(at) }]
  })
  const [first] = definitions
  return definitions.every(({ count }) => count === first?.count) ? first : undefined
}

/** What stands for code of the host in a kernel: no name of a candidate begins like this. */
export const hostCode = 'npu_emu_host_code'

const withSecret = (name: string, secret: string): string => (secret === '' ? name : `${name}_${secret}`)

/** The function of a unit that stands for code of the host: `secret` is what no source can hold. */
const hostCodeIn = (secret: string): string => withSecret(hostCode, secret)

/** The class of the choices of a template over its tiling key. */
export const choicesIn = (secret: string): string => withSecret('npu_emu_tpl_choice', secret)

/** Ends the kernel that comes to it. It is a function of the unit: an object that never calls it needs nothing to be linked. */
const hostCodeText = (name: string): string => `[[noreturn]] static void ${name}() { __builtin_trap(); }`

/** As many blanks, but for a call, which goes on over them as far as they reach. */
function callInstead(blanked: string, call: string): string {
  const room = /^ */.exec(blanked)?.[0].length ?? 0
  return call + blanked.slice(Math.min(room, call.length))
}

/**
 * Takes out what is the vendor compiler's own syntax: literal `[aicore]` attributes, launches, and what the host functions do that
 * stand beside the kernel and launch it: no device runs them, and they may call what only a host has. In the place of launches and
 * bodies stands a call of a function that ends a kernel: what is taken for code of the host by mistake does not do nothing.
 * Every line stays where it was, and so does what comments, literals and directives say.
 */
export function withoutVendorSyntax(source: string, macros = macrosOf([source]), secret = ''): string {
  if (macros.launching.size === 0 && !/<<<|\baicore\b/.test(source)) return source
  const parts: string[] = []
  let done = 0
  for (const { place, kind } of vendorSyntax(blankComments(source, true), macros)) {
    const [start, end] = place
    if (start < done) continue
    // a macro goes on behind a backslash
    const blanked = source.slice(start, end).replace(/\\(?!\r?\n)|[^\\\r\n]/g, ' ')
    const name = hostCodeIn(secret)
    const call = { launch: `::${name}()`, body: `::${name}();`, attribute: '', 'rest of a body': '' }[kind]
    parts.push(source.slice(done, start), callInstead(blanked, call))
    done = end
  }
  return parts.join('') + source.slice(done)
}

export interface TemplateEntry {
  /** the template arguments, in terms of `value<i>` of the tiling key */
  templateArguments: string[]
  /** how many addresses the kernel takes */
  arity: number
}

/** The argument that stands for one template parameter: a data type, or a number of the parameter's own type. */
function templateArgument(parameter: string, index: number): string {
  const text = parameter.replace(/=.*/s, '').trim()
  if (/^(?:typename|class)\b/.test(text)) return `typename npu_emu::tpl::TypeOf<value<${index}>>::type`
  const type = text.replace(/\b\w+$/, '').trim()
  return type === '' || type === 'auto' ? `value<${index}>` : `static_cast<${type}>(value<${index}>)`
}

/** Defined where kernels are compiled for the machine of the developer, never for a device. */
const offDevice = /^\s*#\s*if(n?)def\s+(?:__CCE_KT_TEST__|__CCE_UT_TEST__|ASCENDC_CPU_DEBUG)\b/

/** One comparison with what names the device, after a test whether it is defined. */
const onDevice =
  /^\s*#\s*(?:el)?if\b[\s(]*(?:defined[\s(]*(?:__CCE_AICORE__|__NPU_ARCH__)[\s)]*&&[\s(]*)?(__CCE_AICORE__|__NPU_ARCH__)\s*([=!]=)\s*(\d+)[\s)]*$/

const constant = new RegExp(String.raw`^${gap}*(?:#|%:)${gap}*(?:el)?if${gap}+([01])\s*$`)

/** Whether a condition holds on the device; undefined where only the preprocessor knows. */
function holdsOnDevice(directive: string): boolean | undefined {
  const [, not] = offDevice.exec(directive) ?? []
  if (not !== undefined) return not === 'n'
  const [, always] = constant.exec(directive) ?? []
  if (always !== undefined) return always === '1'
  const [, name, operator, number] = onDevice.exec(directive) ?? []
  if (name === undefined) return undefined
  const { aiCore, npuArch } = architecture
  return (Number(number) === (name === '__NPU_ARCH__' ? npuArch : aiCore)) === (operator === '==')
}

const conditional = new RegExp(String.raw`^${gap}*(?:#|%:)${gap}*(if|else|el|endif)`)

/** Blanks what the preprocessor leaves out on the device, with the directives that say so; conditions on anything else stay. */
export function blankOffDevice(source: string): string {
  /** of each open condition: whether its present branch is taken, and whether one has been */
  const open: { holds: boolean | undefined; decided: boolean }[] = []
  /** of the open ones, those that do not hold */
  let out = 0
  /** does a line go on in the next? */
  let goesOn = false
  /** Whether the directive, if the line is one, is itself left out. */
  const follow = (line: string): boolean => {
    const directive = goesOn ? undefined : conditional.exec(line)?.[1]
    goesOn = /\\[ \t\v\f]*\r?$/.test(line)
    const last = open.at(-1)
    if (directive === 'if') {
      const holds = holdsOnDevice(line)
      open.push({ holds, decided: holds === true })
      if (holds === false) out++
      return holds !== undefined
    }
    if (directive === 'endif') open.pop()
    if (directive === undefined || last?.holds === undefined) return false
    if (!last.holds) out--
    if (directive === 'endif') return true
    last.holds = !last.decided && (directive === 'else' || holdsOnDevice(line))
    last.decided ||= last.holds === true
    if (last.holds === false) out++
    return true
  }
  const lines = source.split('\n').map((line) => (follow(line) || out > 0 ? ' '.repeat(line.length) : line))
  return lines.join('\n')
}

/**
 * What the entry needs when it is a template over the fields of its tiling key; null for a plain function, and where one
 * stands beside the template.
 */
export function templateEntry(source: string, kernel: string, macros = macrosOf([source])): TemplateEntry | null {
  const text = blankOffDevice(blankComments(source, true))
  const matches = [...text.matchAll(entryPattern(kernel, macros.kernels))]
  const [head, ...others] = matches.map(({ index }) => templateParameters(text, index))
  const [first] = matches
  if (!first || head === undefined || others.includes(undefined)) return null
  const rest = text.slice(first.index + first[0].length)
  const parameters = /^\s*\(([^)]*)\)/.exec(rest)?.[1] ?? ''
  return { templateArguments: head.split(',').map(templateArgument), arity: countOf(parameters) }
}

/** A name of namespaces that is longer is left out: each of very many would be as long as all before it together. */
const longestName = 200

/** The namespaces in which sources declare template arguments; the vendor's tools read the declarations wherever they stand. */
export function templateNamespaces(sources: readonly string[]): string[] {
  const found = new Set<string>()
  for (const source of sources) {
    /** the whole names of those that are open */
    const open: string[] = []
    const tokens = blankComments(source, true).matchAll(
      /\bnamespace(?:\s+([\w:]+))?\s*\{|[{}]|\bASCENDC_TPL_(?:ARGS_DECL|SEL)\s*\(/g,
    )
    for (const [token, name = ''] of tokens) {
      const around = open.at(-1) ?? ''
      const inside = around === '' || name === '' ? around + name : `${around}::${name}`
      if (token === '}') open.pop()
      else if (token.endsWith('{')) open.push(inside.slice(0, longestName + 1))
      else if (around !== '' && around.length <= longestName) found.add(around)
    }
  }
  return [...found]
}

const structHead =
  /\b(?:struct|class)\s+(?:(?:alignas\s*\([^()]*\)|__attribute__\s*\(\((?:[^;{}()]|\([^;{}()]*\))*\)\))\s*)*(\w+)\s*(?:final\s*)?(?::[^;{}()]{0,999})?\{/g

/** The structs and classes that sources define, by their unqualified names. */
export const definedStructs = (sources: readonly string[]): string[] =>
  sources.flatMap((source) => [...blankComments(source, true).matchAll(structHead)].map(([, name]) => name ?? ''))

export const renamedKernel = (kernel: string): string => `npu_emu_kernel_${kernel}`

/** A type that a kernel declares, for one tiling key or for all. */
export interface TaskType {
  /** decimal; all where absent */
  key?: string | undefined
  type: string
}

const taskTypesText = (name: string, types: readonly TaskType[]): string => {
  const rows = types.map(({ key, type }) => `{${key === undefined}, ${key ?? 0}ULL, ${type}}`)
  return `static constexpr npu_emu::TaskTypes<${rows.length}> ${name} = {{${rows.join(', ')}}};`
}

/** One instance of the kernel per selected tiling key; the dtypes of inputs and outputs come from the prelude. */
const templateEntryText = (
  { kernel, choice, types }: { kernel: string; choice: string; types: string },
  { templateArguments, arity }: TemplateEntry,
): string[] => [
  `NPU_EMU_TEMPLATE_CHOICE(${choice}, ${kernel}, npu_emu_input_types, npu_emu_output_types, ${templateArguments.join(', ')})`,
  `NPU_EMU_TEMPLATE_ENTRY(${arity}, ${types})`,
]

/** Words of what stands behind a kernel's own text beside those of macros. */
const wordsOfUnit = ['namespace', 'using', 'typename', 'tpl', 'TypeOf', 'value', 'type', 'static_cast', 'int']

/** Names that the vendor's build writes behind a kernel's text, for its parameters and what it does with the workspace. */
const wordsOfVendor = ['workspace', 'tiling', 'usrWorkspace', 'GetUserWorkspace', 'AscendC', 'uint8_t']

const notAMacro = (word: string): string[] => [
  `#ifdef ${word}`,
  `#error ${word} is a macro behind the kernel, where the build of an operator writes that name: end it by #undef`,
  '#endif',
]

/** What stands behind a kernel's own text. */
export const entryFile = '<generated: kernel entry>'

/**
 * The translation unit of a kernel after its precompiled header: prelude, the entry file's text under its own name and line
 * numbers, and the exported entry. The kernel is renamed where it is defined (it may be called `sqrt` or `exp`, which the C
 * library has); calls of such functions elsewhere stay what they are.
 */
export function kernelUnit(unit: {
  prelude: string
  path: string
  source: string
  kernel: string
  /** where template arguments are declared, beside the global one */
  namespaces?: readonly string[]
  /** those of the kernel's folder */
  macros?: Macros
  /** ends names of the unit, so that nothing in the kernel has them */
  secret?: string
  /** that the kernel declares */
  taskTypes?: readonly TaskType[]
}): string {
  const { prelude, path, source, kernel, namespaces = [], macros = macrosOf([source]) } = unit
  const { secret = '', taskTypes = [] } = unit
  const types = withSecret('npu_emu_task_types', secret)
  const template = templateEntry(source, kernel, macros)
  // a byte order mark may begin a file, and stand nowhere else
  const blanked = withoutVendorSyntax(source, macros, secret).replace(/^\ufeff/, '')
  const code = blankComments(blanked, true)
  // a template beside a plain kernel of the same name would make the address of the kernel ambiguous
  const aside = (at: number): string => (template || templateParameters(code, at) === undefined ? '' : '_template')
  const parts: string[] = []
  let done = 0
  for (const { 0: found, index } of code.matchAll(entryPattern(kernel, macros.kernels))) {
    const end = index + found.length
    parts.push(blanked.slice(done, end - kernel.length), renamedKernel(kernel), aside(index))
    done = end
  }
  const text = parts.join('') + blanked.slice(done)
  const qualified = qualifiedType(source, kernel, macros)
  // macros of the kernel's own end behind it, but for those that its template parameters may be made of
  const ofTemplate = new Set(template?.templateArguments.join(' ').match(/\w+/g))
  const ended = [...wordsOfEntry(), ...Object.keys(kindsOfType)].filter((word) => !ofTemplate.has(word))
  return [
    '#line 1 "<generated: tiling structs and dtype macros>"',
    prelude,
    hostCodeText(hostCodeIn(secret)),
    taskTypesText(types, taskTypes),
    `#line 1 ${cString(path)}`,
    text,
    `#line 1 "${entryFile}"`,
    ...wordsOfVendor.flatMap(notAMacro),
    ...[...new Set([...ended, ...wordsOfUnit])].map((word) => `#undef ${word}`),
    `#define NPU_EMU_QUALIFIED_TYPE ${qualified === undefined ? -1 : `static_cast<int>(${qualified})`}`,
    // also where the header of a namespace is for another device
    ...(template ? namespaces : []).map((name) => `namespace ${name} {} using namespace ${name};`),
    ...(template
      ? templateEntryText({ kernel: renamedKernel(kernel), choice: choicesIn(secret), types }, template)
      : [`NPU_EMU_ENTRY(${renamedKernel(kernel)}, ${types})`]),
    '',
  ].join('\n')
}

const kindsOfType: Record<string, CoreKind[]> = {
  KERNEL_TYPE_AIV_ONLY: ['aiv'],
  KERNEL_TYPE_AIC_ONLY: ['aic'],
  KERNEL_TYPE_MIX_AIV_1_0: ['aiv'],
  KERNEL_TYPE_MIX_AIC_1_0: ['aic'],
  KERNEL_TYPE_MIX_AIC_1_1: ['aiv', 'aic'],
  KERNEL_TYPE_MIX_AIC_1_2: ['aiv', 'aic'],
  KERNEL_TYPE_MIX_VECTOR_CORE: ['aiv'],
}

/** The kernel type that a qualifier of the definition stands for: `__mix__(1, 2)`, `__vector__`, `__cube__`. */
function qualifiedType(source: string, kernel: string, macros: Macros): string | undefined {
  const text = blankComments(source, true)
  for (const [head] of text.matchAll(entryPattern(kernel, macros.kernels))) {
    const [, cubes, vectors] = /\b__mix__\s*\(\s*([01])\s*,\s*([0-2])\s*\)/.exec(head) ?? []
    if (cubes !== undefined) return cubes === '0' ? 'KERNEL_TYPE_MIX_AIV_1_0' : `KERNEL_TYPE_MIX_AIC_1_${vectors}`
    if (/\b__vector__\b/.test(head)) return 'KERNEL_TYPE_AIV_ONLY'
    if (/\b__cube__\b/.test(head)) return 'KERNEL_TYPE_AIC_ONLY'
  }
  return undefined
}

export interface CoreKinds {
  kinds: CoreKind[]
  /** false: it may be for these; the objects tell which variant does anything */
  declared: boolean
  /** only headers around the candidate name the API of cube cores: its half need not compile where nothing uses it */
  mayLackCube: boolean
}

/** Is it a type of kernels of this device, by its name? */
export const isKernelType = (type: string): boolean => Object.hasOwn(kindsOfType, type)

/** The core kinds of types that are declared for a kernel. */
export const kindsOfTypes = (types: readonly string[]): CoreKind[] => {
  const kinds = types.flatMap((type) => kindsOfType[type] ?? [])
  return (['aiv', 'aic'] as const).filter((kind) => kinds.includes(kind))
}

/** The core kinds of a qualifier of the kernel; none where it has none. */
export function qualifiedKinds(sources: readonly string[], kernel: string): CoreKind[] {
  const macros = macrosOf(sources)
  return kindsOfTypes(sources.flatMap((source) => qualifiedType(source, kernel, macros) ?? []))
}

/** The core kinds that a kernel is compiled for: those of the types that it declares, of its qualifier, or else of the API that it names. */
export function coreOf(
  types: readonly string[],
  qualified: readonly CoreKind[],
  cube: 'own' | 'around' | 'none',
): CoreKinds {
  const declared = [kindsOfTypes(types), qualified].find((kinds) => kinds.length > 0)
  if (declared) return { kinds: [...declared], declared: true, mayLackCube: false }
  return { kinds: cube === 'none' ? ['aiv'] : ['aiv', 'aic'], declared: false, mayLackCube: cube === 'around' }
}
