import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { hashOf } from '../cache/hash.ts'
import { escapeRegExp, isInside } from '../files/index.ts'
import { BuildError, isLasting, simpleFailure, type BuildFailure } from './build-failure.ts'
import { takesConstantKey } from './constant-keys.ts'
import { isKernelType } from './entry.ts'
import type { BuildContext } from './host.ts'
import type { KernelEntry, KernelSources } from './kernel-entry.ts'
import { searchedFolders, searchedKey, secretOf } from './kernel-object.ts'
import { reading } from './reading-time.ts'
import { linkSideBySide } from './repository.ts'
import type { KeyedRuntime } from './runtime.ts'
import { sameFiles, tellingPlaces, withMarks } from './sources.ts'
import { cachedStep, type StepResult } from './step.ts'
import { cString, lineJoint } from './text.ts'
import { preprocessUnit } from './unit.ts'

const kernelFacts = z.object({
  /** that it asks for, decimal, each as 64 bits without a sign */
  tilingKeys: z.array(z.string()),
  /** does it take the key for a constant? Then it is compiled for each by itself */
  hasConstantKey: z.boolean(),
  /** kernel types that it declares; without a key, for all. The last one for a key counts, and there is no other */
  taskTypes: z.array(z.object({ key: z.string().exactOptional(), type: z.string() })),
  /** kernel types of choices of a template */
  selectedTypes: z.array(z.string()),
  /** the plain struct of its tiling data that it names itself, for all tiling keys */
  tilingStruct: z.string().exactOptional(),
  /** those of some keys, by a condition on TILING_KEY_VAR, or null for those of choices of a template */
  structsOfKeys: z.array(z.object({ struct: z.string(), condition: z.string().nullable() })),
  /** who names the API of cube cores: the kernel itself, or only headers around it */
  cube: z.enum(['own', 'around', 'none']),
})

/** What a kernel says of itself by macros, which the vendor's build reads of what the preprocessor has made. */
export type KernelFacts = z.infer<typeof kernelFacts>

/** Names that only code for the cube core uses. */
const cubeApi =
  /\b(?:Mmad\w*|\w*Fixpipe\w*|\w*LoadData\w*|matmul_intf|ASCEND_IS_(?:NOT_)?AI[CV]|g_coreType|\w*Matmul\w*|REGIST_MATMUL_OBJ|InitConstValue|SetHF32\w*|set_nd_para|(?:TPosition|QuePosition)\s*::\s*(?:[AB][12]|CO?[12]))\b/

/** What may be told, also where the preprocessor pastes its name, or leave out what tells it. */
const mayTell =
  /TILING_KEY|REGISTER_TILING|REGISTER_NONE_TILING|TASK_TYPE|ASCENDC_TPL|KfcServer|__enable_|g_tilingKey|##|%:%:|gnu\/bits|include\/|_compiler|tikcfw/

/** Kernel types of another device, which a build for this one leaves out where they are for all tiling keys. */
const foreignTypes = new Set([
  'KERNEL_TYPE_AICORE',
  'KERNEL_TYPE_VECTORCORE',
  'KERNEL_TYPE_MIX_AICORE',
  'KERNEL_TYPE_MIX_VECTOR_CORE',
])

const factsFile = 'facts.json'

/** Declarations and choices of a template, which have a name as their first argument. */
const namedChoices = ['DTYPE', 'DATATYPE', 'FORMAT', 'UINT', 'BOOL'].flatMap((kind) => [`${kind}_DECL`, `${kind}_SEL`])
const choice = (name: string): string => `ASCENDC_TPL_${name}`
const choiceMacros: readonly (readonly [string, string])[] = [
  ...[...namedChoices, 'TILING_STRUCT_SEL', 'SHARED_KERNEL_TYPE_SEL', 'ARGS_DECL'].map(
    (name) => [`${choice(name)}(x, ...)`, `@@${choice(name)}_##x@@ = {__VA_ARGS__}`] as const,
  ),
  ['ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...)', '@@ASCENDC_TPL_SHARED_KERNEL_TYPE_DECL_##x@@ = {__VA_ARGS__}'],
  ...['KERNEL_TYPE_SEL', 'DETERMINISTIC_SEL'].map(
    (name) => [`${choice(name)}(...)`, `@@${choice(name)}@@ = {__VA_ARGS__}`] as const,
  ),
  ['ASCENDC_TPL_ARGS_SEL(...)', '@@{__VA_ARGS__}'],
  ['ASCENDC_TPL_SEL(...)', '@@ASCENDC_TPL_LISTS@@ = {__VA_ARGS__}'],
]

/**
 * What the vendor's build gives to this pass of the preprocessor alone: its macros, and those of the library that leave what the pass
 * is read for. `key` is what the tiling key is there.
 */
const passText = (key: string): string[] => [
  '#define __CHECK_FEATURE_AT_PRECOMPILE 1',
  '#define ASCENDC_TPL_PRE 1',
  '#include <stdio.h>',
  '#define NPU_EMU_FEATURE(name, value) auto __enable_feature_for_compile_##name = value',
  ...[
    ['TILING_KEY_VAR', key],
    ['TILING_KEY_LIST(key, other)', '(TILING_KEY_VAR == (key) || TILING_KEY_VAR == (other)) "TILING_KEY_LIST"'],
    ['REGISTER_TILING_DEFAULT(type)', 'auto __enable_custom_tiling type = default'],
    ['REGISTER_TILING_FOR_TILINGKEY(condition, type)', 'auto __enable_custom_tiling type = condition'],
    ['REGISTER_NONE_TILING', 'auto __enable_no_register_custom_tiling ascendc_trigger_tiling_struct = default'],
    ['KERNEL_TASK_TYPE_DEFAULT(type)', 'NPU_EMU_FEATURE(default, type)'],
    ['KERNEL_TASK_TYPE(key, type)', 'NPU_EMU_FEATURE(key, type)'],
    ...choiceMacros,
    // they stand for what does not say that they were there
    ...['ASCEND_IS_AIC', 'ASCEND_IS_AIV', 'ASCEND_IS_NOT_AIC', 'ASCEND_IS_NOT_AIV'].map((name) => [name, name]),
  ].flatMap(([head = '', body]) => [`#undef ${head.replace(/\(.*/, '')}`, `#define ${head} ${body}`]),
]

/** Kernel types as a template selects them. */
const selectedTypes: Readonly<Record<string, string>> = {
  0: 'KERNEL_TYPE_AIV_ONLY',
  1: 'KERNEL_TYPE_AIC_ONLY',
  4: 'KERNEL_TYPE_MIX_AIV_1_0',
  5: 'KERNEL_TYPE_MIX_AIC_1_0',
  6: 'KERNEL_TYPE_MIX_AIC_1_1',
  7: 'KERNEL_TYPE_MIX_AIC_1_2',
  11: 'KERNEL_TYPE_MIX_VECTOR_CORE',
}

/** One line of what the preprocessor has made. */
interface Line {
  text: string
  /** absolute */
  file: string
  line: number
}

/** What is wrong with a kernel as the vendor's build reads it. */
export class FactsError extends Error {
  override readonly name = 'FactsError'
  readonly place: Pick<Line, 'file' | 'line'> | undefined
  constructor(message: string, place?: Line) {
    super(message)
    this.place = place
  }
}

/** A number of more digits is no key of 64 bits. */
const mostDigits = 20

function keyOf(digits: string, read: Line): string {
  if (digits.replace('-', '').length > mostDigits)
    throw new FactsError(`a tiling key has 64 bits: this number has more than ${mostDigits} digits`, read)
  return String(BigInt.asUintN(64, BigInt(digits)))
}

/** Lines behind a `#` that names one of these are taken for the compiler's and the library's own, up to the next one. */
const builtIn =
  /\b(?:bisheng_compiler|ccec_compiler|tikcpp\/tikcfw|gnu\/bits|include\/c\+\+|include\/kernel_tiling\/kernel_tiling\.h)\b/

/** What is read of lines. */
const telling = /__enable_feature_for_compile_|__enable_custom_tiling|g_tilingKey == \(|@@ASCENDC_TPL_/

/** Parts of a line as they stand in it where nothing splits it. */
function joined([first = '', ...others]: readonly string[]): string {
  const parts = [first.trimEnd()]
  let last = first
  for (const each of others) {
    const part = each.trim()
    if (part === '') continue
    parts.push(last.endsWith('(') || part.startsWith(';') ? part : ` ${part}`)
    last = part
  }
  return parts.join('')
}

/** Headers of C++ have some hundred thousand, and a kernel that includes the same text again and again has any number. */
const mostLines = 1 << 20

function hasMoreLines(text: string, most: number): boolean {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0 && count <= most; at = text.indexOf('\n', at + 1)) count++
  return count > most
}

/** The lines that the vendor's build reads. Throws `FactsError` where the candidate's own say something and are left out. */
function linesRead(preprocessed: string, { isOwn, shown }: Places): Line[] {
  if (hasMoreLines(preprocessed, mostLines))
    throw new FactsError(`what the preprocessor makes of the kernel has more than ${mostLines} lines: make it shorter`)
  const lines: Line[] = []
  let [file, line] = ['', 0]
  let leftOut: string | undefined
  let split: Line | undefined
  const partsOf = new Map<Line, string[]>()
  for (const text of preprocessed.split('\n')) {
    if (text.startsWith('#')) {
      const [, number, path] = /^#(?:line)? (\d+) "((?:[^"\\]|\\.)*)"/.exec(text) ?? []
      // g++ tells within a line which macros are of the library
      const isSplit = path?.replace(/\\(.)/g, '$1') === file && Number(number) === line - 1
      if (isSplit && leftOut === undefined) split = lines.at(-1)
      if (isSplit) continue
      if (path === undefined) line++
      else [file, line] = [path.replace(/\\(.)/g, '$1'), Number(number)]
      leftOut = builtIn.test(text) ? builtIn.exec(shown(text))?.[0] : undefined
      continue
    }
    if (split) {
      const parts = partsOf.get(split) ?? [split.text]
      parts.push(text)
      partsOf.set(split, parts)
      split = undefined
      continue
    }
    const read = { text, file, line: line++ }
    if (leftOut === undefined) lines.push(read)
    else if (isOwn(file) && telling.test(text))
      throw new FactsError(
        `the vendor's build leaves out what stands here, behind a name with \`${leftOut}\`: choose another name`,
        read,
      )
  }
  for (const [each, parts] of partsOf) each.text = joined(parts)
  return lines
}

/** Which files are the candidate's. */
export interface Places {
  isOwn: (file: string) => boolean
  /** is it in the kernel's folder? */
  isOfKernel: (file: string) => boolean
  /** a line as a build elsewhere has it */
  shown: (line: string) => string
}

/** The kernel type that a line declares, by the key as it is written. */
function typeIn(read: Line): { key?: string; type: string } | undefined {
  const { text } = read
  const names = text.match(/__enable_feature_for_compile_(?!deterministic\b)/g)?.length ?? 0
  if (names === 0) return undefined
  if (names > 1) throw new FactsError("the vendor's build reads one kernel type of a line: give each a line", read)
  const forAll = /__enable_feature_for_compile_default\s*=\s*(\w+)\s*;/.exec(text)?.[1]
  if (forAll !== undefined) return { type: forAll }
  const [, key, type] = /__enable_feature_for_compile_(-?\d+)[a-zA-Z]*\s*=\s*(\w+)\s*;/.exec(text) ?? []
  if (key !== undefined && type !== undefined) return { key: keyOf(key, read), type }
  throw new FactsError(
    "the vendor's build does not read this kernel type: write the key as a decimal number, and a `;` in the same line",
    read,
  )
}

/** The struct of tiling data that a line registers. */
function structIn(read: Line): { struct: string; condition?: string } | undefined {
  const { text } = read
  const names = text.match(/__enable_custom_tiling/g)?.length ?? 0
  if (names === 0) return undefined
  if (names > 1) throw new FactsError("the vendor's build reads one tiling struct of a line: give each a line", read)
  const [, struct, value] = /__enable_custom_tiling\s*([0-9a-zA-Z_:<>]+)\s*=\s*(default|".*");/.exec(text) ?? []
  if (struct === undefined)
    throw new FactsError('tiling struct match expression is wrong: name a struct, and write `;` right behind it', read)
  if (value === 'default') return { struct }
  const condition = value?.slice(1, -1).trim() ?? ''
  // no other name is known where the vendor's build asks for it
  if (!/^(?:TILING_KEY_VAR\b|\b(?:0x[\da-f]+|\d+)u?l{0,2}\b|[\s()=!<>&|^~+*%-])+$/i.test(condition))
    throw new FactsError(
      `the condition ${value} of a tiling struct asks for something else than TILING_KEY_VAR and numbers: write one such as "TILING_KEY_VAR == 7"`,
      read,
    )
  return { struct, condition }
}

/** Keys that are one kernel by TILING_KEY_LIST run on both kinds of cores. */
const groupTypes = ['KERNEL_TYPE_MIX_AIC_1_1', 'KERNEL_TYPE_MIX_AIC_1_2']

const withoutBlanks = (line: Line | undefined): string => line?.text.replace(/\s+/g, '') ?? ''

/** The first of the lines that have a word, which is the only one that counts. Throws `FactsError` where another one differs. */
function onlyLine(lines: readonly Line[], word: string): string {
  const [first, ...others] = lines.filter(({ text }) => text.includes(word))
  const other = others.find((line) => withoutBlanks(line) !== withoutBlanks(first))
  if (!other) return first?.text ?? ''
  const name = word.includes('LISTS') ? 'ASCENDC_TPL_SEL' : 'ASCENDC_TPL_ARGS_DECL'
  throw new FactsError(`the vendor's build reads the first ${name} of a kernel alone: make one of both`, other)
}

/** What a pattern finds in lists, each once. */
const listed = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].flatMap(([, found = '']) => found.split(',').map((part) => part.trim()))),
]

/**
 * Reads what the macros have left in what the preprocessor makes of a kernel for cube cores and then for vector cores, line by line and by
 * the patterns of the vendor's build (kernel_info_infer.py of asc-devkit). Throws `FactsError` where it raises an error, and where
 * something that a kernel says is lost there.
 */
export function factsIn(preprocessed: string, kernel: string, places: Places): KernelFacts {
  const lines = linesRead(preprocessed, places)
  const named = new RegExp(`\\b${escapeRegExp(kernel)}\\b\\s*\\(`)
  if (!lines.some(({ text }) => named.test(text)))
    throw new FactsError(
      `kernel entry \`${kernel}\` not implemented: write its name and the \`(\` behind it in one line`,
    )
  const types = new Map<string | undefined, string>()
  const foreign = new Map<string, Line>()
  const keys = new Set<string>()
  const groups = new Map<string, Line>()
  let tilingStruct: string | undefined
  const structsOfKeys = new Map<string, KernelFacts['structsOfKeys'][number]>()
  for (const read of lines) {
    if (!telling.test(read.text)) continue
    const registered = structIn(read)
    if (registered && registered.condition === undefined) {
      if (tilingStruct !== undefined && tilingStruct !== registered.struct)
        throw new FactsError(
          `only one default tiling structure can be configured: REGISTER_TILING_DEFAULT has ${tilingStruct} and ${registered.struct}`,
          read,
        )
      tilingStruct = registered.struct
    } else if (registered) {
      const { struct, condition = null } = registered
      structsOfKeys.set(`${struct} ${condition}`, { struct, condition })
    }
    const declared = typeIn(read)
    if (declared && foreignTypes.has(declared.type)) {
      if (declared.key !== undefined) foreign.set(declared.key, read)
    } else if (declared) {
      if (!isKernelType(declared.type))
        throw new FactsError(
          `\`${declared.type}\` is no kernel type: KERNEL_TASK_TYPE takes the name of one, such as KERNEL_TYPE_AIV_ONLY`,
          read,
        )
      types.set(declared.key, declared.type)
    }
    const asked = [...read.text.matchAll(/g_tilingKey == \((-?\d+)/g)].map(([, digits = '0']) => keyOf(digits, read))
    const [first] = asked
    if (first === undefined) continue
    if (!read.text.includes('TILING_KEY_LIST')) asked.forEach((key) => keys.add(key))
    else if (!keys.has(first)) {
      const known = asked.slice(1).find((key) => keys.has(key))
      if (asked.length !== 2) throw new FactsError('TILING_KEY_LIST takes two tiling keys', read)
      if (known !== undefined)
        throw new FactsError(`tiling key ${known} of TILING_KEY_LIST is asked for alone as well`, read)
      asked.forEach((key) => {
        keys.add(key)
        groups.set(key, read)
      })
    }
  }
  for (const [key, read] of foreign)
    if (!types.has(key))
      throw new FactsError(`tiling key ${key} has a kernel type of another device alone: add one of this device`, read)
  for (const [key, read] of groups)
    if (!groupTypes.includes(types.get(key) ?? types.get(undefined) ?? ''))
      throw new FactsError(
        `tiling key ${key} of TILING_KEY_LIST needs the kernel type KERNEL_TYPE_MIX_AIC_1_1 or KERNEL_TYPE_MIX_AIC_1_2`,
        read,
      )
  const declaration = onlyLine(lines, '@@ASCENDC_TPL_ARGS_DECL')
  const lists = onlyLine(lines, '@@ASCENDC_TPL_LISTS')
  const selected = listed(lists, /@@ASCENDC_TPL_(?:KERNEL_TYPE_SEL|SHARED_KERNEL_TYPE_SEL_\w+)@@ = \{([^}@]*)\}/g)
  const shared = listed(declaration, /@@ASCENDC_TPL_SHARED_KERNEL_TYPE_DECL_\w+@@ = \{([^}@]*)\}/g)
  // of a template conditions on the key say nothing: its choices name their structs
  if (lists !== '' && declaration !== '' && tilingStruct !== undefined) structsOfKeys.clear()
  for (const struct of listed(lists, /@@ASCENDC_TPL_TILING_STRUCT_SEL_([\w:<>]+)@@/g))
    structsOfKeys.set(struct, { struct, condition: null })
  if (tilingStruct === undefined && structsOfKeys.size > 0)
    throw new FactsError('a tiling struct of single keys needs one for all: add REGISTER_TILING_DEFAULT')
  const cube = lines.filter(({ file, text }) => places.isOwn(file) && cubeApi.test(text))
  const server = lines.find(({ text }) => text.includes('AscendC::KfcServer'))
  if (server && types.size === 0 && selected.length + shared.length + cube.length === 0)
    throw new FactsError(
      "the vendor's build takes a kernel with `AscendC::KfcServer` in a line for one of both kinds of cores: declare its type by KERNEL_TASK_TYPE_DEFAULT",
      server,
    )
  return {
    tilingKeys: [...keys],
    hasConstantKey: takesConstantKey(lines.flatMap(({ file, text }) => (places.isOwn(file) ? [text] : [])).join('\n')),
    taskTypes: [...types].map(([key, type]) => (key === undefined ? { type } : { key, type })),
    selectedTypes: (selected.length > 0 ? selected : shared).map((type) => selectedTypes[type] ?? type),
    ...(tilingStruct !== undefined && { tilingStruct }),
    structsOfKeys: [...structsOfKeys.values()].filter(({ struct }) => struct !== tilingStruct),
    cube: cube.some(({ file }) => places.isOfKernel(file)) ? 'own' : cube.length > 0 ? 'around' : 'none',
  }
}

/** What is wrong with a kernel that declares types for single keys, where it is compiled for these. */
export const withoutType = ({ taskTypes, selectedTypes }: KernelFacts, keys: readonly string[]): string | undefined => {
  if (taskTypes.length === 0 || selectedTypes.length > 0 || taskTypes.some(({ key }) => key === undefined))
    return undefined
  const declared = new Set(taskTypes.map(({ key }) => key))
  const key = keys.find((each) => !declared.has(each))
  return key === undefined
    ? undefined
    : `must provide default kernel type: add KERNEL_TASK_TYPE_DEFAULT, or KERNEL_TASK_TYPE for tiling key ${key}`
}

/** Is a failure one that is found here, and not by the preprocessor? It has no more to say than its message. */
export const isFoundHere = ({ log, diagnostics }: BuildFailure): boolean => log === diagnostics[0]?.message

/** A macro with other arguments than it takes: what is shown of it has the marks as well. */
const isMisuse = ({ diagnostics }: BuildFailure): boolean =>
  diagnostics.some(({ message }) =>
    /unterminated|too (?:few|many) arguments|requires .*arguments|passed \d+ arguments/.test(message),
  )

/** Of a kernel that says nothing. */
export const noFacts: KernelFacts = {
  tilingKeys: [],
  hasConstantKey: false,
  taskTypes: [],
  selectedTypes: [],
  structsOfKeys: [],
  cube: 'none',
}

/** May a kernel say anything? What no text has, the preprocessor cannot leave. */
function mentionsFacts({ trees, options }: KernelSources): boolean {
  const texts = trees.flatMap(({ files }) => files.map(({ text }) => text.toString('utf8').replace(lineJoint, '')))
  return [...options.defines, ...texts].some((text) => mayTell.test(text) || cubeApi.test(text))
}

/** What a kernel is preprocessed with. */
interface FactsVariant {
  entry: KernelEntry
  macros: string
}

/** All that the facts of a kernel follow from, but for the content of the candidate's files. */
export async function factsKey(
  runtime: KeyedRuntime,
  sources: KernelSources,
  { entry, macros }: FactsVariant,
): Promise<string> {
  const { trees, options } = sources
  const headers = await Promise.all((['aiv', 'aic'] as const).map(async (kind) => await runtime.headersKey(kind)))
  return hashOf(
    'facts 13',
    reading('kernel', () => mentionsFacts(sources)) ? 'read' : 'none',
    runtime.cann,
    headers,
    macros,
    [entry.path, ...options.defines].map((text) => withMarks(text, trees)),
    searchedKey(sources, entry),
    tellingPlaces(options.defines, trees),
    sameFiles(trees, runtime.compiler.family),
  )
}

/** What the preprocessor makes of a kernel for both kinds of cores, as the vendor's build reads it. */
export async function buildFacts(
  context: BuildContext,
  sources: KernelSources,
  { entry, macros }: FactsVariant,
): Promise<StepResult> {
  const { runtime, cache, semaphore, limits, urgent } = context
  const { trees, options, repository } = sources
  const searched = searchedFolders(sources, entry)
  const flags = [...searched.flags.flat(), ...searched.after.flatMap((folder) => ['-idirafter', folder])]
  const mentions = reading('kernel', () => mentionsFacts(sources))
  const word = `npu_emu_told_${secretOf(sources)}`
  const problem = (message: string, place: { file: string; line: number | undefined } | undefined): BuildError => {
    const failure = simpleFailure('kernel', message, place?.file ?? entry.path)
    const line = place?.line
    const diagnostics = failure.diagnostics.map((each) => ({ ...each, ...(line !== undefined && { line }) }))
    return new BuildError({ ...failure, diagnostics })
  }
  const read = (preprocessed: string): KernelFacts => {
    try {
      return factsIn(preprocessed, sources.kernel, {
        isOwn: (file) => trees.some(({ root }) => isInside(file, root)),
        isOfKernel: (file) => isInside(file, sources.kernelDir),
        shown: (line) => withMarks(line, trees),
      })
    } catch (error) {
      if (error instanceof FactsError) throw problem(error.message, error.place)
      throw error
    }
  }
  const run = async (folder: string): Promise<string[]> => {
    const environment = { runtime, limits, folder, trees }
    const source = join(folder, 'kernel.cpp')
    const text = entry.source.replace(/^\ufeff/, '')
    const { defines } = options
    const others = join(folder, 'kernels')
    const beside = repository ? await linkSideBySide(others, repository.kernels) : []
    const all = [...flags, ...beside.flatMap((place) => ['-idirafter', place])]
    const preprocess = async (key: string): Promise<string> => {
      await writeFile(source, [...passText(key), macros, `#line 1 ${cString(entry.path)}`, text, ''].join('\n'))
      const made = (['aic', 'aiv'] as const).map(
        async (kind) => await preprocessUnit(environment, { kind, source, name: kind, defines, flags: all }),
      )
      // one that goes on would write into the next pass
      await Promise.allSettled(made)
      const texts = await Promise.all(made)
      return reading('kernel', () => texts.join('\n').replaceAll(key, 'g_tilingKey'))
    }
    // no condition of the preprocessor can ask for a call: where one does, the key is the name that it is in the vendor's pass
    let isAsked = false
    const made = await preprocess(`${word}()`).catch(async (error: unknown) => {
      if (!isLasting(error) || !error.failure.log.includes(word) || isMisuse(error.failure)) throw error
      isAsked = true
      return await preprocess(word)
    })
    const told = reading('kernel', () => read(made))
    const facts: KernelFacts = { ...told, hasConstantKey: isAsked || told.hasConstantKey }
    await writeFile(join(folder, factsFile), JSON.stringify(facts))
    await Promise.all([others, source].map(async (path) => await rm(path, { recursive: true, force: true })))
    return trees.flatMap((tree) => tree.files.map(({ name }) => join(tree.root, name)))
  }
  return await cachedStep(cache, {
    kind: 'facts',
    baseKey: await factsKey(runtime, sources, { entry, macros }),
    trees,
    run: async (folder) => {
      if (!mentions) {
        await writeFile(join(folder, factsFile), JSON.stringify(noFacts))
        return []
      }
      await Promise.all([runtime.precompiled('aiv'), runtime.precompiled('aic'), runtime.files()])
      return await semaphore.run(async () => await run(folder), urgent)
    },
  })
}

/** Reads what `buildFacts` left in its folder. */
export async function readFacts(folder: string): Promise<KernelFacts> {
  const facts: unknown = JSON.parse(await readFile(join(folder, factsFile), 'utf8'))
  return kernelFacts.parse(facts)
}
