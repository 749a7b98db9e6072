import { basename, join, relative } from 'node:path'
import { BuildError, simpleFailure } from './build-failure.ts'
import type { CompileOptions } from './compile-options.ts'
import {
  definedStructs,
  definesKernel,
  entryParameters,
  qualifiedKinds,
  templateNamespaces,
  type EntryParameters,
} from './entry.ts'
import type { CoreKind } from './flags.ts'
import { macrosOf, type Macros } from './macros.ts'
import type { OperatorDescription } from './prelude.ts'
import type { RepositorySources } from './repository.ts'
import { filesBelow, isForeignArch, type SourceTree } from './sources.ts'
import { isGarbled } from './text.ts'

export interface KernelSources {
  /** op_kernel, a real path */
  kernelDir: string
  trees: readonly SourceTree[]
  options: CompileOptions
  repository?: RepositorySources
  kernel: string
  /** the name without its end of the file that a build compiles; that of the kernel where the host part says nothing */
  file?: string
  /** the file that a build compiles, where the files of CMake name it */
  path?: string
}

export interface KernelEntry {
  /** absolute */
  path: string
  source: string
  /** those of its qualifier */
  qualified: CoreKind[]
  /** undefined where only the preprocessor knows */
  parameters: EntryParameters | undefined
  /** the namespaces in which template arguments are declared */
  namespaces: string[]
  /** what macros of the kernel's folder stand for */
  macros: Macros
}

/** Tests of a repository mirror its folders, and define what the host part registers. */
const inKernelFolder = /^(?!(?:.*\/)?tests?\/)(?:.*\/)?op_kernel\//

/** What kernels define where one names its own tiling struct: it stands in the place of what the host part registers. */
export const structsOfKernels = (trees: readonly SourceTree[]): string[] =>
  definedStructs(
    trees
      .flatMap((tree) => tree.files)
      .filter(({ name }) => inKernelFolder.test(name) && !isForeignArch(name))
      .map(({ text }) => text.toString('utf8')),
  )

/**
 * Of the files that define a kernel, the one that the vendor's build compiles: the one that is called like it, or else the only one.
 * Throws `BuildError` where that is not told.
 */
function chosenEntry<File extends { path: string }>(
  entries: readonly File[],
  all: readonly { path: string }[],
  { kernelDir, kernel, file = kernel, path: usual = join(kernelDir, `${file}.cpp`) }: KernelSources,
): File {
  const [entry] = entries
  if (!entry) throw new BuildError(simpleFailure('kernel', `no file in op_kernel defines the kernel \`${kernel}\``))
  const named = entries.find(({ path }) => path === usual)
  const isNamed = usual !== join(kernelDir, `${file}.cpp`)
  const names = entries.map(({ path }) => relative(kernelDir, path)).join(' and ')
  if (named) return named
  if (isNamed || all.some(({ path }) => path === usual)) {
    const message = `${basename(usual)} does not define the kernel \`${kernel}\`, as ${names} does: a build compiles ${basename(usual)}`
    throw new BuildError(simpleFailure('kernel', message))
  }
  if (entries.length === 1) return entry
  const message = `${names} define the kernel \`${kernel}\`: a build compiles one file, call that ${basename(usual)}`
  throw new BuildError(simpleFailure('kernel', message))
}

/** Macros that open or close a brace alone, of all that a kernel may include: they say where a function ends that launches one. */
function bracesOf(trees: readonly SourceTree[]): Pick<Macros, 'braces'> | undefined {
  const files = trees.flatMap((tree) => tree.files)
  if (!files.some(({ text }) => text.includes('<<<'))) return undefined
  return { braces: macrosOf(files.map(({ text }) => text.toString('utf8'))).braces }
}

/** The file of op_kernel that defines the kernel. Throws `BuildError` when there is none, or it is not told which. */
export function findEntry(given: KernelSources): KernelEntry {
  const { kernelDir, trees, kernel } = given
  const files = trees.flatMap((tree) =>
    filesBelow(tree, kernelDir).map((file) => ({ ...file, path: join(tree.root, file.name) })),
  )
  const own = files.filter(({ path }) => !isForeignArch(path.slice(kernelDir.length)))
  const texts = own.map(({ path, text }) => ({ path, bytes: text, source: text.toString('utf8') }))
  const macros = { ...macrosOf(texts.map(({ source }) => source)), ...bracesOf(trees) }
  const entries = texts.filter(
    ({ path, source }) => /\.(?:cpp|cc|cxx)$/.test(path) && definesKernel(source, kernel, macros),
  )
  const entry = chosenEntry(entries, texts, given)
  if (isGarbled(entry.bytes))
    throw new BuildError(simpleFailure('kernel', `${basename(entry.path)} is no UTF-8: save it as such`))
  // another entry beside it is the kernel for another device
  const sources = texts.filter((text) => text === entry || !entries.includes(text)).map(({ source }) => source)
  return {
    path: entry.path,
    source: entry.source,
    qualified: qualifiedKinds(sources, kernel),
    parameters: entryParameters(entry.source, kernel, macros),
    namespaces: templateNamespaces(sources),
    macros,
  }
}

/** The configuration of the device may name the kernel: it has the name of the operator here, as in other builds. */
export function requireName({ kernelName }: OperatorDescription, kernel: string): void {
  if (kernelName === undefined || kernelName === kernel) return
  const message = `opInterface.value names the kernel \`${kernelName}\`: call it \`${kernel}\`, or leave that out`
  throw new BuildError(simpleFailure('host', message))
}

/**
 * The vendor's build calls the kernel with the addresses of all inputs and outputs, of the workspace and of the tiling data.
 * Throws `BuildError` where it takes other ones.
 */
export function requireParameters(
  { path, parameters }: KernelEntry,
  kernel: string,
  operator: OperatorDescription,
): void {
  const { name, inputs, outputs } = operator
  const wanted = inputs.length + outputs.length + 2
  // where the kernel tells shapes of outputs, one more address is for these
  if (parameters === undefined || [wanted, wanted + 1].includes(parameters.count)) return
  const message =
    `no matching function for call to '${kernel}': it takes ${parameters.count} addresses, and ${name} has ${wanted}: ` +
    `${inputs.length} of inputs, ${outputs.length} of outputs, the workspace and the tiling data`
  const failure = simpleFailure('kernel', message, path)
  const diagnostics = failure.diagnostics.map((item) => ({ ...item, line: parameters.line }))
  throw new BuildError({ ...failure, class: 'api-signature', diagnostics })
}
