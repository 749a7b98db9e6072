import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { hashOf } from '../cache/hash.ts'
import { BuildError, isLasting, simpleFailure, type BuildFailure } from './build-failure.ts'
import { isKernelType } from './entry.ts'
import type { BuildContext } from './host.ts'
import type { KernelEntry, KernelSources } from './kernel-entry.ts'
import { searchedFolders, searchedKey, secretOf } from './kernel-object.ts'
import { linkSideBySide } from './repository.ts'
import type { KeyedRuntime } from './runtime.ts'
import { sameFiles, tellingPlaces, withMarks } from './sources.ts'
import { cachedStep, type StepResult } from './step.ts'
import { cString, lineJoint } from './text.ts'
import { preprocessUnit } from './unit.ts'

const kernelFacts = z.object({
  /** that it asks for, decimal, each as 64 bits without a sign */
  tilingKeys: z.array(z.string()),
  /** kernel types that it declares; without a key, for all */
  taskTypes: z.array(z.object({ key: z.string().exactOptional(), type: z.string() })),
  /** kernel types of choices of a template */
  selectedTypes: z.array(z.string()),
  /** plain structs of its tiling data that it names itself, without those of single keys: of one kernel, one */
  tilingStructs: z.array(z.string()),
  /** those of single keys */
  structsOfKeys: z.array(z.string()),
  /** whether it reads tiling data as the struct of its key */
  readsTiling: z.boolean(),
})

/** What a kernel says of itself by macros, which the vendor's build reads of what the preprocessor has made. */
export type KernelFacts = z.infer<typeof kernelFacts>

/** What may be one of these macros, also where the preprocessor pastes its name. */
const mayTell = /TILING_KEY|REGISTER_TILING|TASK_TYPE|TPL_KERNEL_TYPE|##|%:%:/

/** Kernel types of another device, which a build for this one leaves out. */
const foreignTypes = new Set(['KERNEL_TYPE_AICORE', 'KERNEL_TYPE_VECTORCORE', 'KERNEL_TYPE_MIX_AICORE'])

const factsFile = 'facts.json'

/** Macros that leave, behind a word which no source can hold, what they are given. */
const tellingMacros = (word: string): string[] =>
  [
    ['TILING_KEY_VAR', `${word}()`],
    ['REGISTER_TILING_DEFAULT(...)', `${word}_struct __VA_ARGS__ ;`],
    ['REGISTER_TILING_FOR_TILINGKEY(condition, ...)', `${word}_struct_of_key __VA_ARGS__ ;`],
    ['GET_TILING_DATA(name, tiling)', `${word}_reads ;`],
    ['KERNEL_TASK_TYPE_DEFAULT(type)', `${word}_type , type ;`],
    ['KERNEL_TASK_TYPE(key, type)', `${word}_type key , type ;`],
    ['ASCENDC_TPL_KERNEL_TYPE_SEL(type)', `${word}_selected type ;`],
  ].flatMap(([head = '', body]) => [`#undef ${head.replace(/\(.*/, '')}`, `#define ${head} ${body}`])

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

const keyOf = (digits: string): string => String(BigInt.asUintN(64, BigInt(digits)))

/**
 * Reads what the macros have left. As in the vendor's build, a tiling key counts by the digits that it begins with, and one that is no
 * number there does not (kernel_info_infer.py of asc-devkit).
 */
export function factsIn(preprocessed: string, word: string): KernelFacts {
  const all = (pattern: string): string[] => [
    ...new Set([...preprocessed.matchAll(new RegExp(pattern, 'g'))].flatMap(([, found]) => found ?? [])),
  ]
  const declared = [...preprocessed.matchAll(new RegExp(`\\b${word}_type ([^,;]*), ?(\\w+) ?;`, 'g'))]
  return {
    tilingKeys: [...new Set(all(`\\b${word}\\(\\) == \\((-?\\d+)`).map(keyOf))],
    taskTypes: declared.flatMap(([, key = '', type = '']) => {
      if (foreignTypes.has(type)) return []
      if (key.trim() === '') return [{ type }]
      const digits = /^(-?\d+)[a-zA-Z]*$/.exec(key.trim())?.[1]
      return digits === undefined ? [] : [{ key: keyOf(digits), type }]
    }),
    selectedTypes: all(`\\b${word}_selected (\\w+) ?;`).map((type) => selectedTypes[type] ?? type),
    tilingStructs: all(`\\b${word}_struct ([\\w:<>]+) ?;`),
    structsOfKeys: all(`\\b${word}_struct_of_key ([\\w:<>]+) ?;`),
    readsTiling: preprocessed.includes(`${word}_reads`),
  }
}

/** What is wrong with that, as the vendor's build finds it or as this one does not do it. */
export function problemOf({ taskTypes, tilingStructs, structsOfKeys, readsTiling }: KernelFacts): string | undefined {
  const [first, second] = tilingStructs
  if (second !== undefined)
    return `only one default tiling structure can be configured: REGISTER_TILING_DEFAULT has ${first} and ${second}`
  if (first === undefined && structsOfKeys.length > 0)
    return 'REGISTER_TILING_FOR_TILINGKEY needs a default tiling struct: add REGISTER_TILING_DEFAULT'
  if (readsTiling && structsOfKeys.some((struct) => struct !== first))
    return 'GET_TILING_DATA reads the struct of one tiling key, and a kernel is compiled once for all here: name the struct by GET_TILING_DATA_WITH_STRUCT'
  const unknown = taskTypes.find(({ type }) => !isKernelType(type))
  return (
    unknown &&
    `\`${unknown.type}\` is no kernel type: KERNEL_TASK_TYPE takes the name of one, such as KERNEL_TYPE_AIV_ONLY`
  )
}

const byKey = 'compiles code by `#if` on the tiling key: a kernel is compiled once for all tiling keys here'

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
  taskTypes: [],
  selectedTypes: [],
  tilingStructs: [],
  structsOfKeys: [],
  readsTiling: false,
}

/** May a kernel say anything by these macros? */
function mentionsFacts({ trees, options }: KernelSources): boolean {
  const texts = trees.flatMap(({ files }) => files.map(({ text }) => text.toString('utf8').replace(lineJoint, '')))
  return [...options.defines, ...texts].some((text) => mayTell.test(text))
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
    'facts 5',
    mentionsFacts(sources) ? 'read' : 'none',
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
  const mentions = mentionsFacts(sources)
  const word = `npu_emu_told_${secretOf(sources)}`
  const run = async (folder: string): Promise<string[]> => {
    const environment = { runtime, limits, folder, trees }
    const source = join(folder, 'kernel.cpp')
    const text = entry.source.replace(/^\ufeff/, '')
    await writeFile(source, [...tellingMacros(word), macros, `#line 1 ${cString(entry.path)}`, text, ''].join('\n'))
    const { defines } = options
    const others = join(folder, 'kernels')
    const beside = repository ? await linkSideBySide(others, repository.kernels) : []
    const all = [...flags, ...beside.flatMap((place) => ['-idirafter', place])]
    const made = await Promise.all(
      (['aiv', 'aic'] as const).map(
        async (kind) => await preprocessUnit(environment, { kind, source, name: kind, defines, flags: all }),
      ),
    ).catch((error: unknown) => {
      if (!isLasting(error) || !error.failure.log.includes(word) || isMisuse(error.failure)) throw error
      const found = error.failure.diagnostics.find(({ file }) => file !== undefined)
      const failure = simpleFailure('kernel', byKey, found?.file ?? entry.path)
      const line = found?.line
      const diagnostics = failure.diagnostics.map((each) => ({ ...each, ...(line !== undefined && { line }) }))
      throw new BuildError({ ...failure, diagnostics })
    })
    const facts = factsIn(made.join('\n'), word)
    const problem = problemOf(facts)
    if (problem !== undefined) throw new BuildError(simpleFailure('kernel', problem, entry.path))
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
