import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { hashOf } from '../cache/hash.ts'
import type { Diagnostic } from '../model/index.ts'
import { areReportsOfCompiler } from './block-reports.ts'
import { BuildError, isLasting, readWarnings, saveWarnings, simpleFailure } from './build-failure.ts'
import { readBlocks, saveBlocks } from './code-blocks.ts'
import { parseDiagnostics } from './diagnostics.ts'
import { undefinedSymbols } from './elf.ts'
import { choicesIn } from './entry.ts'
import type { CoreKind } from './flags.ts'
import type { BuildContext } from './host.ts'
import type { KernelSources } from './kernel-entry.ts'
import { compileKernel, searchedKey, secretOf, type KernelVariant } from './kernel-object.ts'
import { reading } from './reading-time.ts'
import type { KeyedRuntime } from './runtime.ts'
import { sameFiles, tellingPlaces, withMarks, type SourceTree } from './sources.ts'
import { cachedStep, type StepResult } from './step.ts'
import { linkAlone, linkLibrary } from './unit.ts'

const libraryFile = 'kernel.so'

const noImitation =
  'a number in the code reads like a call of the emulator, by which the length of code is measured: choose another one'
const workFile = 'work.json'

const kernelWork = z.object({
  /** false: the object calls nothing that belongs to its core kind */
  used: z.boolean(),
  /** whether it moves data out of local memory, which both kinds can ask for */
  stores: z.boolean(),
  /** why there is no library, where its core kind may turn out to have no part in the kernel */
  problem: z.string().nullable(),
  /** the choices of a template that it was compiled for, decimal */
  tilingKeys: z.array(z.string()),
})

/** Namespaces of the runtime whose functions only one core kind calls, as they appear in mangled names. */
const ownNamespace: Record<CoreKind, string> = { aiv: '7npu_emu3vec', aic: '7npu_emu4cube' }

/** Of these, what both kinds have: registers that say how later instructions work. */
const ofBothKinds = /^_ZN7npu_emu3vec(?:9setAtomic|7setMask|14setMaskCounter|10setControl|7control)E/

const callsOf = (kind: CoreKind, symbols: readonly string[]): string[] =>
  symbols.filter((name) => /^_Z\w+$/.test(name) && name.includes(ownNamespace[kind]) && !ofBothKinds.test(name))

/** Copies from local to global memory. */
const isStore = (name: string): boolean => /^_ZN7npu_emu3dma\d+store/.test(name)

/** All that a library of a kernel is made of, but for the content of the candidate's files. */
export async function kernelKey(
  runtime: KeyedRuntime,
  sources: KernelSources,
  variant: KernelVariant,
): Promise<string> {
  const { trees, options, kernel } = sources
  const { entry, core, taskTypes, prelude, kind } = variant
  const [headers, functions] = await Promise.all([runtime.headersKey(kind), runtime.exports()])
  return hashOf(
    'kernel 71',
    runtime.cann,
    headers,
    // what it may be linked with
    [...functions].sort(),
    kernel,
    kind,
    JSON.stringify([core, taskTypes]),
    prelude,
    entry.namespaces,
    JSON.stringify(Object.entries(entry.macros).map(([name, found]) => [name, [...found]])),
    [entry.path, ...options.defines].map((text) => withMarks(text, trees)),
    searchedKey(sources, entry),
    tellingPlaces(options.defines, trees),
    sameFiles(trees, runtime.compiler.family),
  )
}

/** Compiles and links the kernel for one dtype combination and core kind. */
export async function buildKernel(
  context: BuildContext,
  sources: KernelSources,
  variant: KernelVariant,
): Promise<StepResult> {
  const { runtime, cache, semaphore, limits, urgent } = context
  const { trees } = sources
  const { entry, core, kind } = variant
  // instructions of the other core kind do nothing where a kernel runs on both
  const mixed = core.kinds.length > 1
  const run = async (folder: string): Promise<string[]> => {
    const environment = { runtime, limits, folder, trees }
    const saveWork = async (work: z.infer<typeof kernelWork>): Promise<void> =>
      await writeFile(join(folder, workFile), JSON.stringify(work))
    const unit = await compileKernel(environment, sources, variant)
    if (unit instanceof BuildError) {
      await saveWork({ used: false, stores: false, problem: unit.message, tilingKeys: [] })
      await saveWarnings(folder, [], trees)
      return trees.flatMap((tree) => tree.files.map(({ name }) => join(tree.root, name)))
    }
    const code = await readFile(unit.object)
    const { symbols, used, stubbed } = reading('kernel', () => {
      const symbols = undefinedSymbols(code)
      const used = callsOf(kind, symbols).length > 0
      return { symbols, used, stubbed: mixed ? callsOf(kind === 'aiv' ? 'aic' : 'aiv', symbols) : [] }
    })
    const draft = join(folder, `${libraryFile}.part`)
    let problem: string | null = null
    let tilingKeys: string[] = []
    try {
      if (!(await linkAlone(environment, { object: unit.object, symbols, stubbed }, draft)))
        await linkLibrary(environment, [unit.object], draft, 'kernel', { stubbed })
      const [object, library] = [await readFile(unit.object), await readFile(draft)]
      const isClang = runtime.compiler.family === 'clang'
      const blocks = reading('kernel', () => {
        if (!areReportsOfCompiler(object, library))
          throw new BuildError({ ...simpleFailure('kernel', noImitation), class: 'language' })
        return readBlocks([object], library, trees, isClang, choicesIn(secretOf(sources)))
      })
      tilingKeys = blocks.tilingKeys.map(({ key }) => key)
      await saveBlocks(folder, blocks)
      await rename(draft, join(folder, libraryFile))
    } catch (error) {
      if (!isLasting(error) || used || !mixed || core.declared) throw error
      problem = error.message
    }
    await saveWork({ used, stores: symbols.some(isStore), problem, tilingKeys })
    const warnings = reading('kernel', () => parseDiagnostics(unit.log))
    await saveWarnings(folder, warnings, trees)
    await rm(unit.object)
    return [...unit.read, entry.path]
  }
  return await cachedStep(cache, {
    kind: 'kernel',
    baseKey: await kernelKey(runtime, sources, variant),
    trees,
    run: async (folder) => {
      // built before a slot is taken: what needs slots itself must not be waited for by somebody who holds one
      await Promise.all([runtime.precompiled(kind), runtime.files()])
      return await semaphore.run(async () => await run(folder), urgent)
    },
  })
}

export interface KernelLibrary extends z.infer<typeof kernelWork> {
  library: string
  warnings: Diagnostic[]
}

/** Reads what `buildKernel` left in its folder. */
export async function readKernel(folder: string, trees: readonly SourceTree[]): Promise<KernelLibrary> {
  const work: unknown = JSON.parse(await readFile(join(folder, workFile), 'utf8'))
  const warnings = await readWarnings(folder, trees)
  return { ...kernelWork.parse(work), library: join(folder, libraryFile), warnings }
}

/**
 * Of the halves of a kernel that declares no type, those that have a part in it, as their objects tell. A vector half that only
 * moves data out of local memory works as well: the cube half waits for it.
 */
export function workingHalves<Half extends { kind: CoreKind; used: boolean; stores: boolean }>(
  halves: readonly Half[],
): Half[] {
  const cube = halves.find(({ kind }) => kind === 'aic')
  const works = ({ kind, used, stores }: Half): boolean => used || (kind === 'aiv' && stores && !cube?.stores)
  const working = halves.filter(works)
  return working.length > 0 ? working : halves.filter(({ kind }) => kind === 'aiv')
}
