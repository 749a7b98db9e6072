import { mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { verdictsKind } from '../cache/cache.ts'
import { hashOf } from '../cache/hash.ts'
import { removeOwnCaseFiles, removeStaleCaseFiles } from '../case-file/index.ts'
import {
  messageOf,
  neutralText,
  neutralValue,
  type Artifact,
  type BuildArgs,
  type BuildResult,
  type ConfinementLayer,
  type FailedLaunch,
  type KernelCase,
  type KernelCode,
  type Tiled,
  type LaunchArgs,
  type LaunchResult,
  type Measured,
  type MeasureArgs,
  type SketchArgs,
  type Target,
  type TilingSketch,
} from '../model/index.ts'
import { scratchName, sweepScratch } from '../process/scratch.ts'
import { BuildQueue } from './build-queue.ts'
import type { EarlierArgs, VerdictFileArgs } from './protocol.ts'
import { sourceHash } from './source-hash.ts'
import { build, numbered, onMessages, requestMessage, sendMessage, type RequestMessage } from './wire.ts'

export interface ServiceOptions<A extends Artifact = Artifact> {
  /** where candidates run; the service closes it */
  target: Target<A>
  /** where verdicts are remembered; see `cacheFolderOf` */
  cacheDir: string
  /** builds at the same time */
  jobs: number
  /** names everything that a verdict on a spec follows from besides candidate and case; null: nothing is remembered */
  digestOf?: (spec: string, project: string) => string | null
  /**
   * Asked once, before the first build, with the layers of the confinement that this machine lacks: why nothing is built or run
   * without them, in one line; undefined where that may be.
   */
  refusalOf?: (missing: readonly ConfinementLayer[]) => string | undefined
  /** what the run that is continued has come to about a sample; null where it has to be judged */
  earlierOf?: (args: EarlierArgs) => readonly unknown[] | null
}

const infrastructure = (message: string): FailedLaunch => ({
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
 * One per run, in the main process: has candidates built and cases launched for all workers, over a unix socket. Nothing is
 * asked of the target before a worker asks for it. What targets say of a candidate goes on as text that may be printed.
 */
export class KernelService<A extends Artifact = Artifact> {
  /** where workers connect */
  readonly path: string
  readonly #target: Target<A>
  readonly #cacheDir: string
  readonly #digestOf: (spec: string, project: string) => string | null
  readonly #refusalOf: (missing: readonly ConfinementLayer[]) => string | undefined
  readonly #earlierOf: (args: EarlierArgs) => readonly unknown[] | null
  readonly #folder: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #queue: BuildQueue<BuildResult>
  readonly #artifacts = new Map<string, A>()
  /** layers of the confinement that this machine lacks; undefined where the target cannot tell */
  #missing: Promise<readonly ConfinementLayer[] | undefined> | undefined
  #refusal: { line: string | undefined } | undefined
  readonly #exit = (): void => {
    try {
      this.#target.release()
    } finally {
      this.#removeFiles()
    }
  }

  constructor(options: ServiceOptions<A>) {
    const {
      target,
      cacheDir,
      jobs,
      digestOf = () => null,
      refusalOf = () => undefined,
      earlierOf = () => null,
    } = options
    this.#target = target
    this.#cacheDir = cacheDir
    this.#digestOf = digestOf
    this.#refusalOf = refusalOf
    this.#earlierOf = earlierOf
    this.#queue = new BuildQueue(jobs)
    this.#folder = socketFolder()
    this.path = join(this.#folder, 'socket')
    this.#server = createServer((socket) => this.#accept(socket))
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
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
    try {
      await this.#target.close()
    } finally {
      this.#removeFiles()
      process.off('exit', this.#exit)
    }
  }

  /** Builds a candidate. Never rejects. */
  async build(args: BuildArgs): Promise<BuildResult> {
    return await this.#enqueue(args, true)
  }

  /** Starts builds that will be asked for, behind those that are awaited, where the target builds ahead at all. */
  prefetch(builds: readonly BuildArgs[]): void {
    if (!this.#target.description.prefetches) return
    for (const args of builds) void this.#enqueue(args, false)
  }

  /** What a build of this run made. */
  artifact(id: string): A | undefined {
    return this.#artifacts.get(id)
  }

  /** Runs one case on a built artifact. Never rejects. */
  async launch(args: LaunchArgs): Promise<LaunchResult> {
    const artifact = this.artifact(args.artifact)
    if (!artifact) return infrastructure(`the artifact ${args.artifact} was not built in this run`)
    try {
      const launch = neutralValue(await this.#target.launch(artifact, args))
      return launch.ok ? { ...launch, source: this.#target.description.latencySource } : launch
    } catch (error) {
      return infrastructure(neutralText(messageOf(error)))
    }
  }

  /** Times of two artifacts in turn; null where every launch of the target tells its time. Never rejects. */
  async measure(args: MeasureArgs): Promise<Measured | null> {
    if (!this.#target.measure) return null
    const [artifact, baseline] = [this.artifact(args.artifact), this.artifact(args.baseline ?? '')]
    if (!artifact || (args.baseline !== null && !baseline))
      return { of: 'artifact', ...infrastructure('what is to be timed was not built in this run') }
    try {
      return neutralValue(await this.#target.measure(artifact, baseline ?? null, args))
    } catch (error) {
      return { of: 'artifact', ...infrastructure(neutralText(messageOf(error))) }
    }
  }

  /** What the tiling function of an artifact makes of cases; null where that is not known. Never rejects. */
  async sketch(args: SketchArgs): Promise<(TilingSketch | null)[] | null> {
    const artifact = this.artifact(args.artifact)
    if (!artifact || !this.#target.sketch) return null
    return await this.#target.sketch(artifact, args).catch(() => null)
  }

  /** What the host part of an artifact makes of a case, field by field; null where the target cannot tell. */
  async tiling(id: string, kernelCase: KernelCase): Promise<Tiled | null> {
    const artifact = this.artifact(id)
    if (!artifact || !this.#target.tiling) return null
    return neutralValue(await this.#target.tiling(artifact, kernelCase))
  }

  /** The code that launches of an artifact tell to have reached; null where the target does not see it. Never rejects. */
  async code(id: string): Promise<KernelCode | null> {
    const artifact = this.artifact(id)
    if (!artifact || !this.#target.codeOf) return null
    return await this.#target.codeOf(artifact).then(neutralValue, () => null)
  }

  /** Names all that launches of an artifact load; null where the target cannot tell. Never rejects. */
  async contentOf(id: string): Promise<string | null> {
    const artifact = this.artifact(id)
    if (!artifact || !this.#target.contentOf) return null
    return await this.#target.contentOf(artifact).catch(() => null)
  }

  /** The file that remembers outcomes of an artifact on a task; null where none may be remembered. */
  verdictFile({ artifact, spec, project }: VerdictFileArgs): string | null {
    const built = this.artifact(artifact)
    const conditions = built ? this.#target.conditionsOf(built) : null
    const digest = conditions ? this.#digestOf(spec, project) : null
    if (!conditions || digest === null) return null
    return join(this.#cacheDir, verdictsKind, `${hashOf(digest, artifact, ...conditions)}.jsonl`)
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    // a worker that dies is Vitest's to report; it must not take the run with it
    socket.on('error', () => {})
    onMessages(socket, (message) => {
      const request = requestMessage.safeParse(message)
      if (request.success) return void this.#serve(socket, request.data)
      // the connection is that of many samples: a request about one costs the others nothing
      const { op, id } = numbered.parse(message)
      sendMessage(socket, { id, result: null, error: neutralText(`${op}: ${z.prettifyError(request.error)}`) })
    })
  }

  async #serve(socket: Socket, request: RequestMessage): Promise<void> {
    if (request.op === 'prefetch')
      return this.prefetch(request.args.flatMap((each) => build.safeParse(each).data ?? []))
    sendMessage(socket, { id: request.id, result: await this.#answer(request) })
  }

  async #answer(request: Exclude<RequestMessage, { op: 'prefetch' }>): Promise<unknown> {
    if (request.op === 'build') return await this.build(request.args)
    if (request.op === 'launch') return await this.launch(request.args)
    if (request.op === 'measure') return await this.measure(request.args)
    if (request.op === 'sketch') return await this.sketch(request.args)
    if (request.op === 'earlier') return this.#earlierOf(request.args)
    if (request.op === 'code') return await this.code(request.args.artifact)
    return this.verdictFile(request.args)
  }

  #enqueue(args: BuildArgs, awaited: boolean): Promise<BuildResult> {
    const { root, kernelDir, hostDir, cmakeLists, repository, program } = args.sample
    const key = JSON.stringify([
      root,
      kernelDir,
      hostDir,
      cmakeLists,
      repository,
      program,
      args.task,
      args.combinations,
    ])
    return this.#queue.run(key, awaited, async (urgent) => {
      const sources = sourceHash(args.sample)
      const built = await this.#build(args, urgent)
      // of sources that have changed meanwhile nobody knows which were read
      return sources === undefined || sources !== sourceHash(args.sample) ? built : { ...built, sources }
    })
  }

  async #build(args: BuildArgs, urgent: () => boolean): Promise<BuildResult> {
    // what keeps a target from telling keeps it from building as well, and is told there
    this.#missing ??= this.#target.missingConfinement?.().catch(() => undefined) ?? Promise.resolve(undefined)
    const missing = await this.#missing
    if (!missing) return await this.#built(args, urgent)
    this.#refusal ??= { line: this.#refusalOf(missing) }
    const { line: message } = this.#refusal
    const confinement = missing.length === 0 ? 'full' : { missing: [...missing] }
    if (message !== undefined)
      return { ok: false, verdict: { kind: 'infrastructure', message }, ms: 0, cached: false, confinement }
    return { ...(await this.#built(args, urgent)), confinement }
  }

  async #built(args: BuildArgs, urgent: () => boolean): Promise<BuildResult> {
    const started = performance.now()
    const elapsed = (cached: boolean): number => (cached ? 0 : performance.now() - started)
    try {
      const built = await this.#target.build(args, urgent)
      const { cached } = built
      if (!built.ok) {
        const verdict = { kind: 'compile-failed', ...neutralValue(built.failure) } as const
        return { ok: false, verdict, ms: elapsed(cached), cached }
      }
      const { artifact } = built
      const warnings = neutralValue(built.warnings)
      this.#artifacts.set(artifact.id, artifact)
      return { ok: true, artifact: artifact.id, ms: elapsed(cached), cached, warnings }
    } catch (error) {
      const verdict = { kind: 'infrastructure', message: neutralText(messageOf(error)) } as const
      return { ok: false, verdict, ms: elapsed(false), cached: false }
    }
  }

  #removeFiles(): void {
    removeOwnCaseFiles()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
