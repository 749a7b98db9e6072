import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { InfrastructureError } from '../model/index.ts'
import type { AscendArtifact } from './build-operator.ts'
import { inToolkit, type Toolkit } from './cann.ts'
import type { Machine } from './machine.ts'
import { sendFiles, succeed } from './remote-folder.ts'
import type { AscendRequest } from './runner-protocol.ts'

/** Types of tasks that are kernels, as the profiler names them. */
const kernelTypes = new Set(['AI_CORE', 'AI_VECTOR_CORE', 'MIX_AIC', 'MIX_AIV'])

const profileLimitMs = 300_000

/** What is profiled: launches that do not count, and those that do. */
export interface Profiled {
  artifact: Pick<AscendArtifact, 'task' | 'libraries' | 'package'>
  /** the device runner for it, absolute on the machine */
  program: string
  device: number
  /** in this order, in a process of its own */
  requests: readonly AscendRequest[]
  warmUps: number
  launches: number
}

/**
 * Kernel times of launches in nanoseconds, by the vendor's profiler, which runs the device runner once more. The caller has the
 * device for itself. Rejects with `InfrastructureError` where the profiler does not tell them.
 */
export async function profiledTimes(machine: Machine, toolkit: Toolkit, profiled: Profiled): Promise<number[]> {
  const { artifact, program, device, requests, warmUps, launches } = profiled
  const folder = join(await machine.folder(), 'profiles', randomBytes(8).toString('hex'))
  try {
    const lines = requests.map((request) => `${JSON.stringify(request)}\n`).join('')
    await sendFiles(machine, [{ path: 'requests.jsonl', content: lines }], folder)
    const options = [`--output=${join(folder, 'out')}`, '--task-time=on', '--ascendcl=off', '--ai-core=off'] as const
    const runner = [program, artifact.libraries.join(':'), String(device), folder, join(folder, 'requests.jsonl')]
    const command = inToolkit(toolkit, ['msprof', ...options, ...runner], { ASCEND_CUSTOM_OPP_PATH: artifact.package })
    const { exitCode, stdout, stderr } = await machine.run(command, { cwd: folder, timeoutMs: profileLimitMs })
    if (exitCode !== 0)
      throw new InfrastructureError(`msprof failed: ${(stderr.trim() || stdout.trim()).split('\n').at(-1) ?? ''}`)
    const find = 'cat "$1"/PROF_*/mindstudio_profiler_output/op_summary_*.csv'
    const table = await succeed(machine, ['sh', '-c', find, 'sh', join(folder, 'out')])
    const times = kernelTimes(table, artifact.task.name)
    if (times.length !== warmUps + launches)
      throw new InfrastructureError(
        `msprof tells of ${times.length} kernels of ${artifact.task.name}, and ${warmUps + launches} were launched`,
      )
    return times.slice(warmUps)
  } finally {
    await machine.run(['rm', '-rf', folder], { timeoutMs: profileLimitMs }).catch(() => {})
  }
}

/**
 * Durations of the kernels of an operator in nanoseconds, in the order of their starts, from a table of the profiler. Throws
 * `InfrastructureError` where one of them is no time.
 */
export function kernelTimes(table: string, operator: string): number[] {
  const [head, ...rows] = table.split('\n').filter((line) => line.trim() !== '')
  const names = cellsOf(head ?? '')
  const at = (cells: readonly string[], name: string): string => cells[names.indexOf(name)]?.trim() ?? ''
  return rows
    .map(cellsOf)
    .filter((cells) => at(cells, 'OP Type') === operator && kernelTypes.has(at(cells, 'Task Type')))
    .map((cells) => [Number(at(cells, 'Task Start Time(us)')), Number(at(cells, 'Task Duration(us)'))] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, microseconds]) => {
      // `N/A` where the profiler has lost the end of a kernel
      if (Number.isFinite(microseconds) && microseconds > 0) return 1000 * microseconds
      throw new InfrastructureError(
        `msprof tells no time of a kernel of ${operator}: its duration is no number above 0`,
      )
    })
}

/** Shapes stand in quotes, as they hold commas. */
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
