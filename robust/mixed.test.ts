import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Launcher } from '../fixtures/launcher.ts'
import { interfaceOf } from '../fixtures/operator.ts'
import { withCaseFile } from '../plugin/case-file/index.ts'
import { RandomStream } from '../plugin/inputs/index.ts'
import type { BuildArgs, KernelCase, LaunchResult, Target, TensorSpec } from '../plugin/model/index.ts'
import { KernelService, ServiceClient } from '../plugin/service/index.ts'
import { emulator } from '../plugin/targets/emulator.ts'
import type { EmulatorArtifact } from '../plugin/toolchain/artifact.ts'
import { cacheDir } from './project.ts'
import { childrenOf, leftoversOf } from './traces.ts'

/** Launches in all; NPU_ROBUST_LAUNCHES asks for fewer. */
const launches = Number(process.env['NPU_ROBUST_LAUNCHES'] || 1000)
const seed = Number(process.env['NPU_SEED'] || Date.now() % 2 ** 31)

/** Connections, as workers have one each, and what each has under way. */
const connections = 3
const inFlight = 2
/** Processor time of a launch: what hangs, hangs that long. */
const launchTimeoutMs = 400

const folder = fileURLToPath(new URL('../fixtures/skeleton', import.meta.url))
const task = interfaceOf('Skeleton', 'skeleton', ['mode', 'twice', 'cores', 'blocks'], ['float32', 'int32'])
const length = 128
const spec = (dtype: 'float32' | 'int32'): TensorSpec => ({ dtype, shape: [length] })

/** What a launch came to: how it ended, whether the output is the input, doubled where the kernel was asked to. */
interface Outcome {
  result: LaunchResult
  isRight: boolean
}

interface Kind {
  name: string
  /** of a hundred launches */
  share: number
  /** machine code in `fixtures/hostile/` that takes the place of the kernel, with its flags; without one, the kernel itself */
  hostile?: readonly [file: string, ...flags: string[]]
  /** the kernel is asked for something else than what its output is compared with */
  asksWrong?: boolean
  /** one of these: what the machine leaves a kernel to go on with may decide which limit it meets first */
  expected: readonly object[]
}

const ran = { isRight: true, result: { ok: true, reports: [] } }
const ranWrong = { isRight: false, result: { ok: true } }
const crashed = (signal: string): object => ({ result: { ok: false, verdict: { kind: 'crashed', signal } } })
const deviceError = (code: string): object => ({
  result: { ok: false, verdict: { kind: 'device-error', report: { code } } },
})
const timeout = { result: { ok: false, verdict: { kind: 'timeout' } } }

const kinds: readonly Kind[] = [
  { name: 'honest', share: 40, expected: [ran] },
  { name: 'wrong', share: 8, asksWrong: true, expected: [ranWrong] },
  { name: 'aborts', share: 6, hostile: ['aborts'], expected: [crashed('SIGABRT')] },
  { name: 'writes to null', share: 6, hostile: ['null_write'], expected: [crashed('SIGSEGV')] },
  { name: 'overflows its stack', share: 4, hostile: ['overflows_stack'], expected: [crashed('SIGSEGV')] },
  { name: 'exits', share: 6, hostile: ['exits'], expected: [crashed('exit')] },
  { name: 'exits at load', share: 4, hostile: ['exits_at_load'], expected: [crashed('exit')] },
  { name: 'forges a reply', share: 6, hostile: ['forges_reply'], expected: [crashed('invalid reply')] },
  ...['-DCALL=60000', '-DCALL=65283'].map((flag) => ({
    name: `forges a stream ${flag}`,
    share: 3,
    hostile: ['forges_stream', flag] as const,
    expected: [deviceError('InvalidStream')],
  })),
  { name: 'prints without end', share: 3, hostile: ['prints_forever'], expected: [ranWrong] },
  { name: 'eats memory', share: 3, hostile: ['eats_memory'], expected: [ranWrong] },
  { name: 'forks', share: 3, hostile: ['forks'], expected: [crashed('SIGSYS')] },
  // the clock limit, five times that of processor time, comes first where it gets less than a fifth of a processor
  { name: 'loops', share: 2, hostile: ['endless'], expected: [deviceError('InstructionLimit'), timeout] },
  { name: 'outlives its time', share: 1, hostile: ['outlives_its_time'], expected: [timeout] },
  { name: 'sleeps', share: 1, hostile: ['sleeps', '-DSECONDS=1000'], expected: [timeout] },
  { name: 'cuts its line', share: 1, hostile: ['closes_socket'], expected: [crashed('SIGKILL')] },
]

let launcher: Launcher
let service: KernelService<EmulatorArtifact>
let clients: ServiceClient[]
let filesBefore: string[]
let descendants: number[] = []

/** The emulator, on which a sample whose folder is the name of a kind has the machine code of that kind for its kernel. */
function hostileTarget(): Target<EmulatorArtifact> {
  const real = emulator.create({ cacheDir, soc: 'Ascend910B2', jobs: 3, launchTimeoutMs })
  return {
    description: real.description,
    launch: async (artifact, args) => await real.launch(artifact, args),
    conditionsOf: (artifact) => real.conditionsOf(artifact),
    release: () => real.release(),
    close: async () => await real.close(),
    async build(args, urgent) {
      const { hostile } = kinds.find(({ name }) => name === args.sample.root) ?? {}
      const built = await real.build({ ...args, sample: { ...args.sample, root: folder } }, urgent)
      if (!built.ok || !hostile) return built
      const [file, ...flags] = hostile
      const aiv = await launcher.library(`hostile/${file}`, ...flags)
      const variants = [...built.artifact.kernels].map(
        ([key, kernel]) => [key, kernel.supported ? { ...kernel, aiv, aic: null } : kernel] as const,
      )
      return { ...built, artifact: { ...built.artifact, id: args.sample.root, kernels: new Map(variants) } }
    },
  }
}

function buildOf(root: string): BuildArgs {
  const sample = {
    task: task.name,
    name: 's',
    root,
    kernelDir: join(folder, 'op_kernel'),
    hostDir: join(folder, 'op_host'),
  }
  const combinations = (['float32', 'int32'] as const).map((dtype) => ({ inputs: [dtype], outputs: [dtype] }))
  return { sample: { ...sample, cmakeLists: [] }, task, combinations }
}

/** One launch on inputs of its own, by a connection to the service. */
async function launch(
  client: ServiceClient,
  artifact: string,
  asksWrong: boolean,
  random: RandomStream,
): Promise<Outcome> {
  const [combination, factor, coreOrder] = [random.below(2), 1 + random.below(2), random.below(2)]
  const dtype = combination === 0 ? ('float32' as const) : ('int32' as const)
  const values = Array.from({ length }, () => random.below(1 << 20))
  const data = combination === 0 ? Float32Array.from(values) : Int32Array.from(values)
  const twice = asksWrong ? 2 - factor : factor - 1
  const attrs = { mode: 0, twice, cores: 1, blocks: 1 }
  const tensors = { inputs: { x: spec(dtype) }, outputs: { y: spec(dtype) } }
  const kernelCase: KernelCase = { task: task.name, name: 'c', combination, ...tensors, attrs, seed: 1 }
  const inputs = { x: { dtype, shape: [length], data } }
  return await withCaseFile(task, kernelCase, inputs, async ({ path: file, fileBytes, slots, readOutputs }) => {
    const order = coreOrder === 1 ? { coreOrder: 'reverse' } : {}
    const poison = 'a5a5a5a5a5a5a5a5'
    const result = await client.call('launch', { artifact, case: kernelCase, file, fileBytes, slots, poison, ...order })
    const { y } = readOutputs()
    const got = y && 'dtype' in y ? Array.from(y.data, Number) : []
    return { result, isRight: got.length === length && got.every((value, i) => value === values[i]! * factor) }
  })
}

function matches(outcome: Outcome, expected: object): boolean {
  try {
    expect(outcome).toMatchObject(expected)
    return true
  } catch {
    return false
  }
}

/** What this process holds open, by what it is: sockets and pipes have numbers of their own. */
const openFiles = (pid: number | 'self' = 'self'): string[] =>
  readdirSync(`/proc/${pid}/fd`)
    .flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`).replace(/:\[\d+\]$/, '')]
      } catch {
        return []
      }
    })
    .filter((name) => !name.startsWith('/proc/'))
    .sort()

const descendantsOf = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])

const isRunning = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

beforeAll(async () => {
  console.log(`NPU_SEED=${seed}`)
  launcher = await Launcher.start()
  // the supervisor of the launcher itself stays until it stops
  filesBefore = openFiles()
  descendants = descendantsOf(process.pid)
  const target = hostileTarget()
  service = new KernelService({ target, cacheDir, jobs: 2 })
  await service.start()
  clients = Array.from({ length: connections }, () => new ServiceClient(service.path))
})
afterAll(async () => {
  for (const client of clients ?? []) client.close()
  await service?.close()
  await launcher?.stop()
})

test(`${launches} launches of all kinds, mixed: each gets its own verdict`, async () => {
  const artifacts = new Map<Kind, string>()
  for (const kind of kinds) {
    const built = await clients[0]!.call('build', buildOf(kind.name))
    expect(built, kind.name).toMatchObject({ ok: true })
    if (built.ok) artifacts.set(kind, built.artifact)
  }
  const lots = kinds.flatMap((kind) => Array.from({ length: kind.share }, () => kind))
  const draw = new RandomStream(seed)
  // drawn before the first one, so that a seed repeats the order however launches overtake each other
  const planned = Array.from({ length: launches }, (_, i) => ({ i, kind: lots[draw.below(lots.length)]! }))
  const counts = new Map<string, number>()
  const wrong: string[] = []
  const left = planned.values()
  const worker = async (client: ServiceClient): Promise<void> => {
    for (const { i, kind } of left) {
      const artifact = artifacts.get(kind) ?? ''
      const outcome = await launch(client, artifact, kind.asksWrong === true, new RandomStream(seed, `launch ${i}`))
      counts.set(kind.name, (counts.get(kind.name) ?? 0) + 1)
      if (!kind.expected.some((one) => matches(outcome, one)))
        wrong.push(`launch ${i}, ${kind.name}: ${JSON.stringify(outcome).slice(0, 500)}`)
    }
  }
  await Promise.all(clients.flatMap((client) => Array.from({ length: inFlight }, async () => await worker(client))))
  console.log([...counts].map(([name, count]) => `${name} ${count}`).join(', '))
  expect(wrong, `NPU_SEED=${seed}`).toEqual([])
  expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(launches)
})

test('nothing is left of them', async () => {
  const own = descendantsOf(process.pid).filter((pid) => !descendants.includes(pid))
  expect(own.length).toBeGreaterThan(0)
  const supervisors = childrenOf(process.pid).filter((pid) => own.includes(pid))
  const held = supervisors.map((pid) => ({ files: openFiles(pid).length, children: childrenOf(pid).length }))
  console.log(JSON.stringify(held))
  // of a child: its sockets, its log, its memory and that which it shares with its device
  for (const { files, children } of held) expect(files).toBeLessThan(24 + 8 * children)
  expect(leftoversOf(process.pid, cacheDir).filter((path) => !service.path.startsWith(path))).toEqual([])
  for (const client of clients) client.close()
  await service.close()
  await expect.poll(() => own.filter(isRunning), { timeout: 5000 }).toEqual([])
  expect(leftoversOf(process.pid, cacheDir)).toEqual([])
  await expect.poll(() => openFiles(), { timeout: 5000 }).toEqual(filesBefore)
})
