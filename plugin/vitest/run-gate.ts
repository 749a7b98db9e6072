import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { ResolvedConfig, TestModule } from 'vitest/node'
import {
  gateLines,
  incomparable,
  judgeGate,
  mergeLedgers,
  readLedger,
  type GateOptions,
  type GateResult,
  type LedgerEntry,
} from '../ledger/index.ts'
import { hasNotEnded, ledgerAt, lostIn } from '../ledger/runs.ts'
import { textOfLines } from '../ledger/table.ts'
import { messageOf, type Profile } from '../model/index.ts'
import { OptionError } from './options.ts'

/** What a run has to keep. */
export interface RunGate {
  options: GateOptions
  /** the other run, as it was when this one began */
  against: readonly LedgerEntry[] | undefined
  /** what that lacks, which no gate holds against */
  lacks: readonly string[]
  /** a shard is a part: the gate is asked of what they are merged to */
  isPart: boolean
}

/** The gate of a run, with the other run read. Throws an OptionError where that cannot be compared with. */
export function runGateOf(
  gate: GateOptions | undefined,
  { root, shard, watch }: Pick<ResolvedConfig, 'root' | 'shard' | 'watch'>,
  { name: target, soc, profile }: { name: string; soc: string; profile: Profile },
): RunGate | undefined {
  if (!gate || watch) return undefined
  if (shard || gate.against === undefined)
    return { options: gate, against: undefined, lacks: [], isPart: shard !== undefined }
  const option = `npuKernels(): gate.against is ${JSON.stringify(gate.against)}`
  const path = resolve(root, gate.against)
  if (!existsSync(path))
    throw new OptionError(`${option}: there is no such file; name the ledger of a run, or its folder`)
  const { entries: against, lacks } = readOther(option, path)
  const problem = incomparable([{ target, soc, profile }], against)
  if (problem !== undefined) throw new OptionError(`${option}, which ${problem}`)
  return { options: gate, against, lacks, isPart: false }
}

/** The other run, and what it lacks. */
function readOther(option: string, path: string): { entries: LedgerEntry[]; lacks: string[] } {
  const lacks: string[] = []
  try {
    const ledger = ledgerAt(path)
    const entries = mergeLedgers([{ name: path, entries: readLedger(ledger, { warn: (line) => lacks.push(line) }) }])
    if (hasNotEnded(ledger)) lacks.push(`${path}: the run has not ended, or was killed`)
    lacks.push(...lostIn(ledger).map((spec) => `${path}: ${spec} could not be read, or has come to no end`))
    return { entries, lacks: lacks.map((line) => `against ${line}`) }
  } catch (error) {
    throw new OptionError(`${option}, which cannot be read: ${messageOf(error).split('\n')[0]}`)
  }
}

/** Asks the gate of a run that has ended. The result is undefined where it is not asked. */
export function askGate(
  { options, against, lacks, isPart }: RunGate,
  modules: readonly TestModule[],
  entries: readonly LedgerEntry[],
): { result: GateResult | undefined; lines: string[] } {
  if (isPart)
    return { result: undefined, lines: ['npu: gate: not asked of a shard; merge the ledgers and run vitest-npu gate'] }
  const result = judgeGate(options, { entries, against, incomplete: [...modules.flatMap(lostOf), ...lacks] })
  return { result, lines: gateLines(result).map((line) => `  ${textOfLines([line])}`) }
}

/** The spec of a module that a run was asked for and could not read, or has not come to the end of. */
export function lostOf(module: TestModule): string[] {
  if (!('npu:options' in module.project.getProvidedContext())) return []
  const isBroken = [module, ...module.children.allSuites()].some((suite) => suite.errors().length > 0)
  const isOpen =
    ['pending', 'queued'].includes(module.state()) ||
    // a cancelled run skips the module, and leaves its tests as they are
    [...module.children.allTests()].some((test) => test.result().state === 'pending')
  return isBroken || isOpen ? [relative(module.project.config.root, module.moduleId)] : []
}
