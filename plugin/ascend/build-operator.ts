import { join, relative } from 'node:path'
import { z } from 'zod'
import { hashOf } from '../cache/hash.ts'
import { FileError } from '../files/index.ts'
import {
  InfrastructureError,
  type Artifact,
  type BuildArgs,
  type DefaultHost,
  type Diagnostic,
  type TargetBuild,
  type TaskInterface,
} from '../model/index.ts'
import type { Semaphore } from '../process/semaphore.ts'
import { readSources, type Sources } from '../toolchain/build-candidate.ts'
import { BuildError, simpleFailure } from '../toolchain/build-failure.ts'
import { compileOptionWords } from '../toolchain/compile-options.ts'
import { filesBelow } from '../toolchain/sources.ts'
import { argumentsOf, readCalls, type CallArgument, type DeclaredCall } from './aclnn.ts'
import { inToolkit, type Toolkit } from './cann.ts'
import type { Machine } from './machine.ts'
import { filledPresets, includeOptions, isPlainFolder, kernelList, operatorPrototype } from './operator-project.ts'
import { RemoteFolders, sendFiles, succeed, type PlacedFile } from './remote-folder.ts'
import { sharedSources } from './shared-sources.ts'
import { failureOfLog, warningsOfLog, type CandidateFiles } from './vendor-log.ts'

/** An operator package on the machine with the device. */
export interface AscendArtifact extends Artifact {
  readonly task: TaskInterface
  /** the folder of the package that is named to the runtime, and no other: `vendors/<vendor>`; '' for operators of the toolkit */
  readonly package: string
  /** the libraries with the calls, absolute */
  readonly libraries: readonly string[]
  /** folder of the headers that declare them, and what these say */
  readonly include: string
  readonly headerText: string
  /** in the order in which they are called */
  readonly calls: readonly DeclaredCall[]
  /** of all calls, one after the other */
  readonly arguments: readonly CallArgument[]
}

export interface BuilderOptions {
  machine: Machine
  toolkit: Toolkit
  soc: string
  /** wall-clock milliseconds of the build of one operator */
  timeoutMs: number
  /** builds at the same time */
  semaphore: Semaphore
  defaultHost: DefaultHost
  repositoryAround: (folder: string) => string | undefined
}

/** The vendor of all packages: each lies in a folder of its own. */
const vendor = 'vitest_npu'

/** Changes where an older package is not what this version would build. */
const layout = 1

const outcomeFile = 'outcome.json'
const outcome = z.object({ ok: z.boolean(), log: z.string() })

/** What the machine does with a generated project and the files of a candidate; arguments: the project. */
const buildScript = `
set -e
rm -rf project package
cp -r "$1" project
rm -f project/op_host/*.cpp project/op_host/*.h project/op_kernel/*.cpp project/op_kernel/*.h
cp -r candidate/. project/
cd project
bash ./build.sh
cd ..
for package in project/build_out/custom_opp_*.run; do
  bash "$package" --quiet --install-path="$PWD/package"
done
test -d package/vendors/${vendor}
rm -rf project candidate
`

/** Prints the header that declares a call, and where it is. */
const headerScript = `
for header in "$1"/op_api/include/*.h; do
  grep -q "$2GetWorkspaceSize" "$header" || continue
  echo "$header"
  cat "$header"
  exit 0
done
`

/** Builds candidates by the vendor's flow, each in a folder of its own on the machine; nothing is installed for anybody else. */
export class OperatorBuilder {
  readonly #options: BuilderOptions
  readonly #folders: RemoteFolders

  constructor(options: BuilderOptions) {
    this.#options = options
    this.#folders = new RemoteFolders(options.machine)
  }

  /** Builds a candidate. Rejects with `InfrastructureError` when the machine or a tool of the vendor is at fault. */
  async build(args: BuildArgs, urgent: () => boolean): Promise<TargetBuild<AscendArtifact>> {
    try {
      const sources = await readSources(this.#options, args)
      return await this.#options.semaphore.run(async () => await this.#built(args, sources), urgent)
    } catch (error) {
      if (error instanceof BuildError) return { ok: false, failure: error.failure, cached: false }
      if (error instanceof FileError)
        return { ok: false, failure: simpleFailure('kernel', error.message), cached: false }
      throw error
    }
  }

  async #built(args: BuildArgs, sources: Sources): Promise<TargetBuild<AscendArtifact>> {
    const { toolkit, soc, machine } = this.#options
    const shared = sharedSources(sources)
    const odd = shared.includes.find((folder) => !isPlainFolder(folder))
    if (odd !== undefined)
      throw new BuildError(
        simpleFailure('kernel', `the folder ${odd} has a name that the vendor's tools would take apart`),
      )
    const { placed: own, files } = candidateFiles(sources)
    const placed = [...own, ...shared.placed]
    const words = compileOptionWords(args.task.name, sources.lists)
    const sharedOptions = shared.includes.map((folder) => `-I\${CMAKE_CURRENT_SOURCE_DIR}/../${folder}`)
    const options = [...words, ...includeOptions(sources.options.includes, sources.kernelDir), ...sharedOptions]
    const prototype = operatorPrototype(args.task, args.combinations)
    const id = hashOf(
      String(layout),
      toolkit.home,
      toolkit.version,
      toolkit.arch,
      soc,
      prototype,
      JSON.stringify(options),
      ...placed.flatMap(({ path, content }) => [path, content]),
    )
    const { path, made } = await this.#folders.entry('packages', id, async (draft) => {
      await this.#compile(draft, { prototype, placed, options, files, includes: shared.includes })
    })
    const { ok, log } = outcome.parse(JSON.parse(await succeed(machine, ['cat', join(path, outcomeFile)])))
    if (!ok) {
      const failure = failureOfLog(log, files)
      if (!failure) throw new InfrastructureError('a failed build is remembered whose log names no error')
      return { ok: false, failure, cached: !made }
    }
    return await this.#artifact({ id, path, made, task: args.task, warnings: warningsOfLog(log, files) })
  }

  /** Has the vendor's tools build in a draft of the package's folder, and leaves what came of it there. */
  async #compile(
    draft: string,
    {
      prototype,
      placed,
      options,
      files,
      includes,
    }: {
      prototype: string
      placed: PlacedFile[]
      options: string[]
      files: CandidateFiles
      includes: readonly string[]
    },
  ): Promise<void> {
    const { machine, toolkit, timeoutMs } = this.#options
    const { project, presets, kernels } = await this.#generated(prototype)
    const generated = [
      { path: 'CMakePresets.json', content: filledPresets(presets, { home: toolkit.home, vendor }) },
      { path: 'op_kernel/CMakeLists.txt', content: kernelList(kernels, options) },
    ]
    await sendFiles(machine, [...placed, ...generated], join(draft, 'candidate'))
    // the project's own lists are left as they are: compilers of host parts look there as well
    const searched = includes.map((folder) => join(draft, 'project', folder)).join(':')
    const exports: Record<string, string> = searched === '' ? {} : { CPLUS_INCLUDE_PATH: searched }
    const command = inToolkit(toolkit, ['bash', '-c', buildScript, 'bash', project], exports)
    const built = await machine.run(command, { cwd: draft, timeoutMs })
    const log = `${built.stdout}\n${built.stderr}`
    const ok = built.exitCode === 0
    if (built.timedOut)
      throw new BuildError(simpleFailure('kernel', `the build did not end within ${timeoutMs / 1000} s`), false)
    if (!ok && failureOfLog(log, files) === null) {
      const last = log.trim().split('\n').slice(-3).join(' / ')
      throw new InfrastructureError(
        `the build by CANN ${toolkit.version} failed, and no compiler names an error: ${last}`,
      )
    }
    await sendFiles(machine, [{ path: outcomeFile, content: JSON.stringify({ ok, log }) }], draft)
  }

  /** The project that the vendor's generator makes for a prototype: once for all candidates of a task. */
  async #generated(prototype: string): Promise<{ project: string; presets: string; kernels: string }> {
    const { machine, toolkit, soc } = this.#options
    const key = hashOf(String(layout), toolkit.home, toolkit.version, soc, prototype)
    const { path } = await this.#folders.entry('projects', key, async (draft) => {
      await sendFiles(machine, [{ path: 'operator.json', content: prototype }], draft)
      const generate = [
        toolkit.generatorPath,
        'gen',
        '-i',
        join(draft, 'operator.json'),
        '-f',
        'pytorch',
        '-c',
        `ai_core-${soc}`,
        '-lan',
        'cpp',
        '-out',
        join(draft, 'project'),
      ] as const
      await succeed(machine, inToolkit(toolkit, generate), generateLimitMs)
    })
    const project = join(path, 'project')
    const presets = await succeed(machine, ['cat', join(project, 'CMakePresets.json')])
    const kernels = await succeed(machine, ['cat', join(project, 'op_kernel', 'CMakeLists.txt')])
    return { project, presets, kernels }
  }

  /** What a built package offers. A host part whose calls do not fit the task is the candidate's failure. */
  async #artifact({
    id,
    path,
    made,
    task,
    warnings,
  }: {
    id: string
    path: string
    made: boolean
    task: TaskInterface
    warnings: Diagnostic[]
  }): Promise<TargetBuild<AscendArtifact>> {
    const folder = join(path, 'package', 'vendors', vendor)
    const name = `aclnn${task.name}`
    const found = await succeed(this.#options.machine, ['sh', '-c', headerScript, 'sh', folder, name])
    const end = found.indexOf('\n')
    const [header, headerText] = [found.slice(0, end), found.slice(end + 1)]
    const call = readCalls(headerText).find((each) => each.name === name)
    const refused = (message: string): TargetBuild<AscendArtifact> => ({
      ok: false,
      failure: simpleFailure('host', message),
      cached: !made,
    })
    if (end < 0 || !call)
      return refused(`op_host does not register the operator ${task.name}: the package has no ${name}`)
    const given = argumentsOf(call, task)
    if (typeof given === 'string') return refused(given)
    const artifact: AscendArtifact = {
      id,
      task,
      package: folder,
      libraries: [join(folder, 'op_api', 'lib', 'libcust_opapi.so')],
      include: join(folder, 'op_api', 'include'),
      headerText,
      calls: [{ call, header: relative(join(folder, 'op_api', 'include'), header) }],
      arguments: given,
    }
    return { ok: true, artifact, cached: !made, warnings }
  }
}

const generateLimitMs = 300_000

const isList = (name: string): boolean => /(?:^|\/)CMakeLists\.txt$|\.cmake$/.test(name)

/** The files of a candidate as the project takes them: the lists of CMake are those of the project. */
function candidateFiles({ trees, hostDir, kernelDir }: Sources): { placed: PlacedFile[]; files: CandidateFiles } {
  const below = (folder: string, place: string) =>
    trees
      .filter(({ root }) => folder.startsWith(root))
      .slice(0, 1)
      .flatMap((tree) =>
        filesBelow(tree, folder).map(({ name, text }) => ({ name: relative(folder, join(tree.root, name)), text })),
      )
      .filter(({ name }) => !isList(name))
      .map(({ name, text }) => ({ name, placed: { path: join(place, name), content: text } }))
  const [host, kernel] = [below(hostDir, 'op_host'), below(kernelDir, 'op_kernel')]
  return {
    placed: [...host, ...kernel].map(({ placed }) => placed),
    files: {
      hostDir,
      kernelDir,
      hostFiles: host.map(({ name }) => name),
      kernelFiles: kernel.map(({ name }) => name),
    },
  }
}
