import { mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import { removeOwnCaseFiles, removeStaleCaseFiles } from '../case-file/case-file.ts'
import { EmulatorDevice } from '../device/emulator-device.ts'
import { type BuildArgs, type BuildResult, type LaunchArgs, type LaunchResult, messageOf } from '../model/index.ts'
import type { Artifact } from '../toolchain/artifact.ts'
import { Cache, rememberedKind } from '../cache/cache.ts'
import { findCompiler } from '../toolchain/compiler.ts'
import { buildForEmulator, packagedHosts } from '../toolchain/build-candidate.ts'
import { killProcesses } from '../process/run-process.ts'
import { Runtime } from '../toolchain/runtime.ts'
import { scratchName, sweepScratch } from '../process/scratch.ts'
import { Slots } from '../process/slots.ts'
import { BuildQueue } from './build-queue.ts'
import type { RememberedArgs } from './protocol.ts'
import { onMessages, requestMessage, sendMessage, type RequestMessage } from './wire.ts'

export interface ServiceOptions {
  /** where built files are kept; see `cacheFolderOf` */
  cacheDir: string
  /** device profile, e.g. `Ascend910B2` */
  soc: string
  /** compilers at the same time, and launches at the same time */
  jobs: number
  /** wall-clock milliseconds of one launch; 20 000 */
  launchTimeoutMs?: number
  /** wall-clock milliseconds of one compiler run; 120 000 */
  compileTimeoutMs?: number
  /** MiB a compiler or a kernel may use; 4096 */
  memoryLimitMiB?: number
  /** folder of `<Operator>/op_host` that completes kernel-only candidates; the packaged baseline operators */
  defaultHosts?: string
  /** names everything that a verdict on a spec follows from beside candidate and case; null: nothing is remembered */
  digestOf?: (spec: string, project: string) => string | null
  /** one line about work that takes long, e.g. the first build of the emulator */
  onProgress?: (line: string) => void
}

interface Machine {
  cache: Cache
  runtime: Runtime
  device: EmulatorDevice
  slots: Slots
}

const infrastructure = (message: string): LaunchResult => ({
  ok: false,
  verdict: { kind: 'infrastructure', message },
  reports: [],
  log: '',
})

const folderPrefix = 'vitest-npu-service'
/** The kernel's limit for socket paths is 108 bytes. */
const longestSocketPath = 100

function socketFolder(): string {
  const name = scratchName(folderPrefix)
  const parent = join(tmpdir(), name, 'socket').length > longestSocketPath ? '/tmp' : tmpdir()
  sweepScratch(parent, folderPrefix)
  const folder = join(parent, name)
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/**
 * One per run, in the main process: builds candidates and runs cases for all workers, over a unix socket. Nothing is
 * compiled or started before it is first asked for.
 */
export class KernelService {
  /** where workers connect */
  readonly path: string
  readonly #options: Required<ServiceOptions>
  readonly #folder: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #queue: BuildQueue<BuildResult>
  readonly #artifacts = new Map<string, Artifact>()
  readonly #exit = (): void => this.#release()
  #machine: Promise<Machine> | null = null
  #device: EmulatorDevice | null = null
  #slots: Slots | null = null
  #runtime: Runtime | null = null

  constructor(options: ServiceOptions) {
    this.#options = {
      launchTimeoutMs: 20_000,
      compileTimeoutMs: 120_000,
      memoryLimitMiB: 4096,
      defaultHosts: packagedHosts,
      digestOf: () => null,
      onProgress: () => {},
      ...options,
    }
    this.#queue = new BuildQueue(this.#options.jobs)
    this.#folder = socketFolder()
    this.path = join(this.#folder, 'socket')
    this.#server = createServer((socket) => this.#welcome(socket))
  }

  /** Opens the socket. Rejects when the temporary folder cannot hold one. */
  async start(): Promise<void> {
    removeStaleCaseFiles()
    // Vitest ends by process.exit on Ctrl-C, without closing anything
    process.once('exit', this.#exit)
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(this.path, resolve)
    })
  }

  /** Ends every child and removes the socket. A second call does nothing. */
  async close(): Promise<void> {
    process.off('exit', this.#exit)
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#release()
  }

  /** Builds a candidate. Never rejects. */
  async build(args: BuildArgs): Promise<BuildResult> {
    return await this.#enqueue(args, true)
  }

  /** Starts builds that will be asked for, behind those that are awaited. */
  prefetch(builds: readonly BuildArgs[]): void {
    for (const args of builds) void this.#enqueue(args, false)
  }

  /** What a build of this run made. */
  artifact(id: string): Artifact | undefined {
    return this.#artifacts.get(id)
  }

  /** Runs one case on a built artifact. Never rejects. */
  async launch(args: LaunchArgs): Promise<LaunchResult> {
    const artifact = this.artifact(args.artifact)
    if (!artifact) return infrastructure(`the artifact ${args.artifact} was not built in this run`)
    try {
      const { device } = await this.#ready()
      return await device.launch(artifact, args)
    } catch (error) {
      return infrastructure(messageOf(error))
    }
  }

  /**
   * The file of the outcomes that are remembered of an artifact on a task. Reports name files of the candidate, so that the
   * places of its folders are part of the name.
   */
  remembered({ artifact, spec, project }: RememberedArgs): string | null {
    const built = this.#artifacts.get(artifact)
    const digest = built ? this.#options.digestOf(spec, project) : null
    if (!built || digest === null) return null
    const key = hashOf(digest, artifact, ...built.trees.map(({ root }) => root))
    return join(this.#options.cacheDir, rememberedKind, `${key}.jsonl`)
  }

  #welcome(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    // a worker that dies is Vitest's to report; it must not take the run with it
    socket.on('error', () => {})
    onMessages(socket, (message) => {
      void this.#serve(socket, requestMessage.parse(message))
    })
  }

  async #serve(socket: Socket, request: RequestMessage): Promise<void> {
    if (request.op === 'prefetch') return this.prefetch(request.args)
    sendMessage(socket, { id: request.id, result: await this.#answer(request) })
  }

  async #answer(request: Exclude<RequestMessage, { op: 'prefetch' }>): Promise<unknown> {
    if (request.op === 'build') return await this.build(request.args)
    if (request.op === 'launch') return await this.launch(request.args)
    return this.remembered(request.args)
  }

  #enqueue(args: BuildArgs, awaited: boolean): Promise<BuildResult> {
    const { root, kernelDir, hostDir, cmakeLists, repository } = args.sample
    const key = JSON.stringify([root, kernelDir, hostDir, cmakeLists, repository, args.task, args.combinations])
    return this.#queue.run(key, awaited, async (urgent) => await this.#build(args, urgent))
  }

  async #build(args: BuildArgs, urgent: () => boolean): Promise<BuildResult> {
    const started = performance.now()
    const elapsed = (cached: boolean): number => (cached ? 0 : performance.now() - started)
    try {
      const { cache, runtime, device, slots } = await this.#ready()
      const { compileTimeoutMs, memoryLimitMiB, defaultHosts } = this.#options
      const limits = { timeoutMs: compileTimeoutMs, memoryMiB: memoryLimitMiB }
      const describe = async (library: string): ReturnType<EmulatorDevice['describe']> => await device.describe(library)
      const built = await buildForEmulator({ cache, runtime, slots, limits, describe, urgent }, args, defaultHosts)
      const { cached } = built
      if (!built.ok)
        return { ok: false, verdict: { kind: 'compile-failed', ...built.failure }, ms: elapsed(cached), cached }
      const { artifact, warnings } = built
      this.#artifacts.set(artifact.id, artifact)
      return { ok: true, artifact: artifact.id, ms: elapsed(cached), cached, warnings }
    } catch (error) {
      const verdict = { kind: 'infrastructure', message: messageOf(error) } as const
      return { ok: false, verdict, ms: elapsed(false), cached: false }
    }
  }

  /** Compiler, cache and device, found when first needed. A machine without a compiler says so in every build. */
  #ready(): Promise<Machine> {
    this.#machine ??= this.#setUp()
    return this.#machine
  }

  async #setUp(): Promise<Machine> {
    const { cacheDir, soc, jobs, launchTimeoutMs, memoryLimitMiB, onProgress } = this.#options
    const compiler = await findCompiler()
    const cache = new Cache(cacheDir)
    const slots = new Slots(jobs)
    const runtime = new Runtime(compiler, cache, slots, onProgress)
    const device = new EmulatorDevice({ runtime, soc, slots: jobs, launchTimeoutMs, memoryLimitMiB })
    this.#device = device
    this.#slots = slots
    this.#runtime = runtime
    return { cache, runtime, device, slots }
  }

  #release(): void {
    this.#slots?.close()
    this.#device?.close()
    void this.#runtime?.close()
    killProcesses()
    removeOwnCaseFiles()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
