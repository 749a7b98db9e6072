import { isDeepStrictEqual } from 'node:util'
import { LatestMap } from '../cache/latest-map.ts'
import { InfrastructureError } from '../model/index.ts'
import type {
  CompletedLaunch,
  ConfinementLayer,
  FailedLaunch,
  KernelCase,
  LaunchArgs,
  NarrowDevice,
  Report,
  SketchArgs,
  TaskInterface,
  Tiled,
  TilingSketch,
  HotPlace,
  Writer,
} from '../model/index.ts'
import { Semaphore } from '../process/semaphore.ts'
import {
  describeReply,
  launchReply,
  tileReply,
  tilingsReply,
  type DescribeAnswer,
  type GivenTiling,
  type InferAnswer,
  type LaunchAnswer,
  type Reply,
  type TileAnswer,
  type TileRequest,
  type ToldDevice,
} from '../runner/protocol.ts'
import { missingLayers, RunnerProcess } from '../runner/runner-process.ts'
import { socOf } from '../soc/devices.ts'
import { architecture } from '../soc/profile.ts'
import { hasCube, type EmulatorArtifact, type KernelLibraries, type KernelVariants } from '../toolchain/artifact.ts'
import { combinationKey, keepDeclaredOutputs } from '../toolchain/combination.ts'
import { readDescription } from '../toolchain/host.ts'
import type { Runtime } from '../toolchain/runtime.ts'
import { tilingFields } from '../toolchain/tiling-data.ts'
import { inferenceFailure, launchVerdict, tilingVerdict, trapOf } from './launch-verdict.ts'
import { KnownPlaces } from './known-places.ts'
import { ReachedCode, type ToldBlocks } from './reached-code.ts'
import { candidateFile, symbolize, type SourceLocation } from './symbolize.ts'
import { argumentOf, attributesOf } from './tiling-arguments.ts'

export interface EmulatorDeviceOptions {
  runtime: Runtime
  soc: string
  /** launches at the same time */
  launches: number
  launchTimeoutMs: number
  memoryLimitMiB: number
  /** one line that whoever runs this should read */
  onWarning?: (line: string) => void
}

interface PooledRunner {
  runner: RunnerProcess
  /** the host library served last: the kernels that belong to it are still loaded */
  lastHost: string
}

/** The vector and the cube variant of a kernel, and the tiling keys that there is one for. */
type BuiltKernel = Extract<KernelVariants, { supported: true }>

/** A return address in one of them. */
type Frame = LaunchAnswer['reports'][number]['frames'][number]

type TiledReply = Extract<Reply<TileAnswer>, { ok: true }>

/** Answers of host parts that are kept: a case is launched several times within a short time. */
const keptAnswers = 64

/** The combination of a case, by the dtype columns of its task. */
const combinationOf = (task: TaskInterface, { combination }: KernelCase): string =>
  combinationKey({
    inputs: task.inputs.flatMap(({ dtypes }) => dtypes[combination] ?? dtypes[0] ?? []),
    outputs: task.outputs.flatMap(({ dtypes }) => dtypes[combination] ?? dtypes[0] ?? []),
  })

/** Whether `Reciprocal` and `Rsqrt` are computed exactly instead of by the tables of the device. */
export const exactApproximations = (): boolean => process.env['NPU_EXACT_APPROX'] === '1'

/** Processor time of a tiling that is asked for behind others: a function that hangs then is asked in every run. */
const laterTilingMs = 500

/** The emulated device: runs host libraries and kernels in npu-runner processes, started when first needed. */
export class EmulatorDevice {
  readonly #options: EmulatorDeviceOptions
  readonly #semaphore: Semaphore
  readonly #idle: PooledRunner[] = []
  readonly #all = new Set<RunnerProcess>()
  /** answers by question */
  readonly #tilings = new LatestMap<string, TiledReply>(keptAnswers)
  readonly #inferences = new LatestMap<string, Reply<InferAnswer>>(keptAnswers)
  readonly #reached = new LatestMap<string, Promise<ReachedCode>>(keptAnswers)
  readonly #places: KnownPlaces
  #warned: Promise<void> | undefined
  #missing: Promise<ConfinementLayer[]> | undefined

  constructor(options: EmulatorDeviceOptions) {
    this.#options = options
    this.#semaphore = new Semaphore(options.launches)
    const { runtime } = options
    this.#places = new KnownPlaces(async (library, offsets) => {
      const { compiler, allowMissing } = runtime
      return await symbolize({ compiler, allowMissing, confine: await runtime.confine() }, library, offsets)
    })
  }

  /** The layers of the confinement that this machine lacks. Rejects with `InfrastructureError` when no runner can be had. */
  missingLayers(): Promise<ConfinementLayer[]> {
    this.#missing ??= this.#options.runtime.files().then(async ({ runner }) => await missingLayers(runner))
    return this.#missing
  }

  /** What a host library registers. Rejects with `InfrastructureError` when no runner can be had. */
  async describe(host: string): Promise<Reply<DescribeAnswer>> {
    const { soc, launchTimeoutMs: timeoutMs } = this.#options
    return await this.#withRunner(
      host,
      async (runner) => await runner.request({ op: 'describe', host, soc, timeoutMs }, describeReply),
    )
  }

  /** Tiles and runs one case. Never rejects: what is not the candidate's doing is the verdict `infrastructure`. */
  async launch(artifact: EmulatorArtifact, args: LaunchArgs): Promise<CompletedLaunch | FailedLaunch> {
    const variants = artifact.kernels.get(combinationOf(artifact.task, args.case))
    if (!variants) {
      return failed({ kind: 'infrastructure', message: `combination ${args.case.combination} was not built` })
    }
    if (!variants.supported) return failed({ kind: 'tiling-failed', message: variants.message })
    try {
      return await this.#withRunner(artifact.host, async (runner) => await this.#run(runner, artifact, variants, args))
    } catch (error) {
      return failed({ kind: 'infrastructure', message: error instanceof Error ? error.message : String(error) })
    }
  }

  /** What the tiling function makes of many cases, or null where it does not come to its end with all of them. */
  async sketch(artifact: EmulatorArtifact, { cases, timeoutMs }: SketchArgs): Promise<(TilingSketch | null)[] | null> {
    const { host } = artifact
    const nodes = cases.map((kernelCase) => {
      const variants = artifact.kernels.get(combinationOf(artifact.task, kernelCase))
      return this.#nodeOf(artifact, kernelCase, variants?.supported === true && hasCube(variants)).node
    })
    const reply = await this.#withRunner(
      host,
      async (runner) => await runner.request({ op: 'tilings', host, cases: nodes, timeoutMs }, tilingsReply),
    )
    return reply.ok && reply.result.tilings.length === cases.length ? reply.result.tilings : null
  }

  /** What the host part makes of a case, field by field. */
  async tiling(artifact: EmulatorArtifact, kernelCase: KernelCase): Promise<Tiled> {
    const variants = artifact.kernels.get(combinationOf(artifact.task, kernelCase))
    if (!variants?.supported) return { ok: false, reason: variants?.message ?? 'its dtypes were not built' }
    const { launchTimeoutMs: timeoutMs } = this.#options
    const { host, task, operator } = artifact
    const { node } = this.#nodeOf(artifact, kernelCase, hasCube(variants))
    const reply = await this.#withRunner(
      host,
      async (runner) => await runner.request({ op: 'tile', host, ...node, timeoutMs }, tileReply),
    )
    if (!reply.ok) {
      const verdict = tilingVerdict(task.name, reply.failure, timeoutMs)
      if (verdict.kind === 'tiling-failed') return { ok: false, reason: verdict.message }
      throw new InfrastructureError('message' in verdict ? verdict.message : verdict.kind)
    }
    const { blockDim, tilingKey, workspaceBytes, tiling } = reply.result
    const key = String(tilingKey)
    const fields = tilingFields(await readDescription(host), operator.name, key, Buffer.from(tiling, 'base64'))
    if (!fields) return { ok: false, reason: 'no struct is registered for its tiling data' }
    return { ok: true, tiling: { blockDim, tilingKey: key, workspaceBytes, fields } }
  }

  /** Which code of an artifact launches can reach. */
  async reachedCode(artifact: EmulatorArtifact): Promise<ReachedCode> {
    let found = this.#reached.get(artifact.id)
    if (!found) this.#reached.set(artifact.id, (found = ReachedCode.of(artifact)))
    return await found
  }

  /** Kills every runner. Synchronous, so that an exit handler can call it. */
  close(): void {
    this.#semaphore.close()
    for (const runner of this.#all) runner.kill()
    this.#all.clear()
  }

  async #run(
    runner: RunnerProcess,
    artifact: EmulatorArtifact,
    built: BuiltKernel,
    args: LaunchArgs,
  ): Promise<CompletedLaunch | FailedLaunch> {
    const { soc, launchTimeoutMs: timeoutMs, memoryLimitMiB } = this.#options
    const { task, operator, host, autoSync } = artifact
    const { file, fileBytes, poison, slots } = args
    const inputs = task.inputs.length
    const outputs = keepDeclaredOutputs(operator, task, slots.slice(inputs))
    const { node, told } = this.#nodeOf(artifact, args.case, hasCube(built))
    const hostCase = { host, ...node }
    const question = JSON.stringify(hostCase)
    const laterMs = Math.min(timeoutMs, laterTilingMs)
    const before = this.#nodesBefore(artifact, args, hasCube(built))
    const later = { op: 'tile' as const, ...hostCase, after: before, timeoutMs: laterMs }
    const retold = args.isTiledAfter === true ? await runner.request(later, tileReply) : undefined
    if (retold && !retold.ok) return failed(tilingVerdict(task.name, retold.failure, laterMs), [], retold.log)
    let kept = retold ?? this.#tilings.get(question)
    // which of its kernels is launched follows from the tiling key
    if (built.byKey && !kept) {
      const asked = await runner.request({ op: 'tile', ...hostCase, timeoutMs }, tileReply)
      if (!asked.ok) return failed(tilingVerdict(task.name, asked.failure, timeoutMs), [], asked.log)
      this.#tilings.set(question, (kept = asked))
    }
    const kernel = (kept && built.byKey?.get(String(kept.result.tilingKey))) ?? built
    const known = this.#inferences.get(question)
    const infers = artifact.operator.infers && !known && !retold
    const answer = await runner.request(
      {
        op: 'launch',
        kernel: { aiv: kernel.aiv, aic: kernel.aic },
        soc,
        ...(told && { device: told }),
        ...(kept ? givenTiling(kept.result) : { tile: true }),
        ...((!kept || infers) && { hostCase }),
        file,
        fileBytes,
        args: [...slots.slice(0, inputs), ...outputs],
        inputs,
        poison,
        timeoutMs,
        memoryLimitMiB,
        autoSync,
        ...(args.hazards === undefined ? {} : { hazards: args.hazards }),
        ...(args.coreOrder === undefined ? {} : { coreOrder: args.coreOrder }),
        ...(args.lateCopies === undefined ? {} : { lateCopies: args.lateCopies }),
        ...(args.watched === undefined ? {} : { watched: args.watched }),
        ...(args.timeline === undefined ? {} : { timeline: args.timeline }),
        ...(args.clock === undefined ? {} : { clock: args.clock }),
        ...(exactApproximations() ? { exactApproximations: true } : {}),
        ...(infers && { infer: true }),
      },
      launchReply,
    )
    const tiling = kept ?? answer.tiled
    if (!tiling) return failed(answer.ok ? noTiling : launchVerdict(answer.failure, timeoutMs), [], answer.log)
    if (!tiling.ok) return failed(tilingVerdict(task.name, tiling.failure, timeoutMs), [], tiling.log)
    // the same for all launches of a case: a host part that answers at random, or by the time, cannot give one tiling to that
    // whose outputs are judged and another to that in another order
    if (!kept) this.#tilings.set(question, tiling)
    const { blockDim, tilingKey, initial, warnings } = tiling.result
    const log = tiling.log + answer.log
    const hostReports = hostReportsOf(warnings, 'tiling')
    if (told) hostReports.push(...(await this.#hardCodedCores(artifact, hasCube(built), told, tiling.result)))
    if (!built.tilingKeys.has(String(tilingKey)))
      return failed({ kind: 'device-error', report: noKernelFor(tilingKey, built.tilingKeys) }, hostReports, log)
    if (!answer.ok) return failed(launchVerdict(answer.failure, timeoutMs), hostReports, log)
    const { result } = answer
    const reports = [...hostReports, ...(await this.#located(artifact, kernel, result.reports))]
    const trap = trapOf(result, reports)
    if (trap) return failed({ kind: 'device-error', report: trap }, reports, log)
    const blocks: ToldBlocks[] = [
      { library: kernel.aiv, reached: result.reached.aiv },
      { library: kernel.aic, reached: result.reached.aic },
      { library: host, reached: tiling.result.reached },
    ]
    // once for all launches of a case
    const inferred = known ?? answer.inferred
    if (inferred) {
      reports.push(...inferenceReports(task.name, inferred))
      if (inferred.ok) this.#inferences.set(question, inferred)
      if (inferred.ok) blocks.push({ library: host, reached: inferred.result.reached })
    }
    const asksLater = later.after.length > 0 && !retold
    const tiledOtherwise = asksLater && (await this.#tilesOtherwise(runner, later, tiling.result))
    const { latencyNs, hostMs, addsFloats, polls, meets, profile, pipes, coverage } = result
    const reached = (await this.reachedCode(artifact)).bitsOf(blocks)
    const prefilled = outputs.flatMap((slot, i) =>
      (initial[i] ?? null) === null ? [] : [slot].flat().flatMap((one) => one?.name ?? []),
    )
    const facts = {
      latencyNs,
      hostMs,
      addsFloats,
      polls,
      meets,
      profile,
      pipes,
      coverage,
      reached,
      reports,
      blockDim,
      tilingKey,
      log,
    }
    const writers = result.writers && (await this.#writers(artifact, kernel, result.writers))
    return {
      ok: true,
      ...facts,
      ...(prefilled.length > 0 && { prefilled }),
      ...(tiledOtherwise && { tiledOtherwise }),
      ...(writers && { writers }),
      ...(result.toldShapes && { toldShapes: result.toldShapes }),
      ...(result.shares && { shares: result.shares }),
      ...(result.timeline && { timeline: result.timeline }),
      ...(result.elsewhere && { elsewhere: result.elsewhere }),
      ...(result.clock && { clock: result.clock }),
      ...(result.hottest && { hottest: await this.#hottest(artifact, kernel, result.hottest) }),
    }
  }

  /** What the host part is told of the cases that it is asked for first. */
  #nodesBefore(artifact: EmulatorArtifact, { after = [] }: LaunchArgs, hasCube: boolean) {
    return after.map((earlier) => this.#nodeOf(artifact, earlier, hasCube).node)
  }

  /**
   * Whether the tiling function gives another tiling than the first, or none, once its process has tiled other cases. A process that has
   * not come to its end says so where each of these cases alone has a tiling, and has it soon.
   */
  async #tilesOtherwise(
    runner: RunnerProcess,
    { after = [], ...question }: TileRequest,
    first: TileAnswer,
  ): Promise<boolean> {
    const reply = await runner.request({ ...question, after }, tileReply)
    if (reply.ok) return !isDeepStrictEqual(givenTiling(reply.result), givenTiling(first))
    const { kind } = reply.failure
    if (kind !== 'died' && kind !== 'timeout') return kind !== 'infrastructure'
    for (const one of [{}, ...after]) {
      const started = performance.now()
      if (!(await runner.request({ ...question, ...one }, tileReply)).ok) return false
      if (kind === 'timeout' && performance.now() - started > question.timeoutMs / 10) return false
    }
    return true
  }

  /** What the host part is told of a case. */
  #nodeOf({ task, operator }: EmulatorArtifact, kernelCase: KernelCase, hasCube: boolean) {
    const { soc } = this.#options
    const told = kernelCase.device && toldDevice(soc, kernelCase.device, hasCube)
    const node = {
      operator: task.name,
      soc,
      ...(told && { device: told }),
      inputs: task.inputs.map(({ name }) => argumentOf(kernelCase.inputs[name])),
      outputs: keepDeclaredOutputs(operator, task, task.outputs).map(({ name }) =>
        argumentOf(kernelCase.outputs[name]),
      ),
      attrs: attributesOf(task, kernelCase),
    }
    return { node, told }
  }

  /** A block dim that the host part has not computed from the cores that it was told of. */
  async #hardCodedCores(
    artifact: EmulatorArtifact,
    hasCube: boolean,
    told: ToldDevice,
    { blockDim, blockDimCaller }: { blockDim: number; blockDimCaller: number },
  ): Promise<Report[]> {
    const cores = hasCube ? told.aicCores : told.aivCores
    if (blockDim <= cores) return []
    const places = (await this.#places.in(artifact.host, [blockDimCaller])).get(blockDimCaller) ?? []
    return [
      {
        code: 'HardCodedSize',
        severity: 'warning',
        message: `block dim ${blockDim}, and the platform said that there are ${cores} cores`,
        hint: `limit the block dim to GetCoreNum${hasCube ? 'Aic' : 'Aiv'}()`,
        core: 'host',
        instruction: 'SetBlockDim',
        count: 1,
        ...locationIn(artifact, places),
      },
    ]
  }

  /** Reports with the innermost place inside the candidate's own sources. */
  async #located(artifact: EmulatorArtifact, kernel: KernelLibraries, raw: LaunchAnswer['reports']): Promise<Report[]> {
    const locationOf = await this.#locations(
      artifact,
      kernel,
      raw.flatMap(({ frames, otherFrames }) => [...frames, ...otherFrames]),
    )
    return raw.map(({ frames, otherFrames, otherInstruction, hint, ...facts }) => ({
      ...facts,
      ...(hint === '' ? {} : { hint }),
      ...locationOf(frames),
      ...(otherInstruction === '' ? {} : { other: { instruction: otherInstruction, ...locationOf(otherFrames) } }),
    }))
  }

  /** Who has written what was watched, with the place inside the candidate's own sources. */
  async #writers(
    artifact: EmulatorArtifact,
    kernel: KernelLibraries,
    raw: NonNullable<LaunchAnswer['writers']>,
  ): Promise<(Writer | null)[]> {
    const locationOf = await this.#locations(
      artifact,
      kernel,
      raw.flatMap(({ frames }) => frames),
    )
    return raw.map(({ writes, atomic, core, instruction, frames }) =>
      writes === 0 ? null : { instruction, core, ...locationOf(frames), writes, ...(atomic && { atomic }) },
    )
  }

  /** Where a core spends its time, with the place inside the candidate's own sources. */
  async #hottest(
    artifact: EmulatorArtifact,
    kernel: KernelLibraries,
    raw: NonNullable<LaunchAnswer['hottest']>,
  ): Promise<HotPlace[]> {
    const locationOf = await this.#locations(
      artifact,
      kernel,
      raw.flatMap(({ frames }) => frames),
    )
    return raw.map(({ frames, ...place }) => ({ ...place, ...locationOf(frames) }))
  }

  /** What finds the innermost place inside the candidate's own sources, for any of these return addresses. */
  async #locations(artifact: EmulatorArtifact, kernel: KernelLibraries, all: readonly Frame[]) {
    const places = new Map<string, readonly SourceLocation[]>()
    for (const lib of ['aiv', 'aic'] as const) {
      const offsets = [...new Set(all.filter((frame) => frame.lib === lib).map(({ offset }) => offset))]
      const library = kernel[lib]
      if (offsets.length === 0 || library === null) continue
      const found = await this.#places.in(library, offsets)
      for (const offset of offsets) places.set(`${lib}${offset}`, found.get(offset) ?? [])
    }
    return (frames: readonly Frame[]) =>
      locationIn(
        artifact,
        frames.flatMap(({ lib, offset }) => places.get(`${lib}${offset}`) ?? []),
      )
  }

  /** Runs `work` with a runner of its own, a warm one when there is one. */
  async #withRunner<T>(host: string, work: (runner: RunnerProcess) => Promise<T>): Promise<T> {
    return await this.#semaphore.run(async () => {
      const pooled = await this.#acquire(host)
      try {
        return await work(pooled.runner)
      } finally {
        if (pooled.runner.alive) this.#idle.push({ runner: pooled.runner, lastHost: host })
        else this.#all.delete(pooled.runner)
      }
    })
  }

  /** Says once what candidates run without. */
  async #warn(): Promise<void> {
    const missing = (await this.missingLayers()).join(' and ')
    if (missing !== '')
      this.#options.onWarning?.(`warning: candidates run without ${missing}, as allowWeakConfinement says`)
  }

  async #acquire(host: string): Promise<PooledRunner> {
    const warm = this.#idle.findIndex((pooled) => pooled.lastHost === host)
    const pooled = this.#idle.splice(Math.max(warm, 0), 1)[0]
    if (pooled?.runner.alive) return pooled
    const { runner: program } = await this.#options.runtime.files()
    const { allowMissing } = this.#options.runtime
    if (allowMissing.length > 0) this.#warned ??= this.#warn()
    await this.#warned
    const runner = new RunnerProcess(program, allowMissing)
    this.#all.add(runner)
    return { runner, lastHost: host }
  }
}

/** The innermost place inside the candidate's own sources, of lines that somebody wrote where there is one. */
function locationIn(artifact: EmulatorArtifact, places: readonly SourceLocation[]) {
  const own = places.flatMap(({ file, line }) => {
    const path = candidateFile(artifact, file)
    return path === null ? [] : [{ file: path, line }]
  })
  const { written } = artifact
  return (written && own.find(({ line }) => written.has(line))) ?? own[0]
}

/** Every cube core has two vector cores, where a kernel knows of both. */
function toldDevice(soc: string, { cores, unifiedBuffer }: NarrowDevice, hasCube: boolean): ToldDevice {
  const { aicCores, aivCores } = socOf(soc)
  const aic = Math.min(aicCores, hasCube ? cores : Math.ceil(cores / 2))
  return {
    aicCores: aic,
    aivCores: Math.min(aivCores, hasCube ? 2 * aic : cores),
    ubBytes: Math.floor((architecture.ubBytes * unifiedBuffer) / 32) * 32,
  }
}

const failed = (verdict: FailedLaunch['verdict'], reports: Report[] = [], log = ''): FailedLaunch => ({
  ok: false,
  verdict,
  reports,
  log,
})

const noKernelFor = (key: number | string, keys: ReadonlySet<string>): Report => ({
  code: 'ParameterRange',
  severity: 'error',
  message: `the tiling function sets tiling key ${key}, for which there is no kernel: it asks by TILING_KEY_IS for ${keys.size === 1 && keys.has('0') ? 'none' : [...keys].slice(0, 8).join(', ')}`,
  hint: 'ask for the key by TILING_KEY_IS in the kernel, as a number or by a macro, which a build can read, or set one that it asks for: 0 where it asks for none',
  core: 'device',
  instruction: 'launch',
  count: 1,
})

/** The part of an answer that a launch needs. */
const givenTiling = ({
  blockDim,
  tilingKey,
  tiling,
  workspaceBytes,
  shapedOutputs,
  initial,
}: TileAnswer): GivenTiling => ({
  blockDim,
  tilingKey,
  tiling,
  workspaceBytes,
  shapedOutputs,
  initial,
})

const noTiling = {
  kind: 'infrastructure',
  message: 'npu-runner has launched a case without saying its tiling',
} as const

/** What the inference functions say against the case. They run in a process of their own: whatever they do cannot change its verdict. */
function inferenceReports(operator: string, reply: Reply<InferAnswer>): Report[] {
  const findings = reply.ok ? reply.result.findings : inferenceFailure(operator, reply.failure)
  return hostReportsOf(findings, 'inference')
}

/** Of what a host part has against one case: each row of a ledger holds it. */
const mostFindings = { sentences: 100, characters: 2000 }

function hostReportsOf(sentences: readonly string[], instruction: string): Report[] {
  const shown = sentences.slice(0, mostFindings.sentences).map((each) => each.slice(0, mostFindings.characters))
  const left = sentences.length - shown.length
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].map((sentence) => hostReport(sentence, instruction))
}

/** A finding about the host part has no core of its own. */
const hostReport = (message: string, instruction: string): Report => ({
  code: 'HostWarning',
  severity: 'warning',
  message,
  core: 'host',
  instruction,
  count: 1,
})
