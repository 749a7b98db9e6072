import type { LedgerEntry } from './entry.ts'
import { allJudged, compileRate, correctRate, passAt1, type Broken } from './gate-figures.ts'
import { newHazards, regressions } from './gate-against.ts'
import { askedRules, type GateOptions, type GateRule, type GateRules } from './gate-rules.ts'

/** A rule that does not hold. */
export interface GateFinding {
  /** null: of the whole run */
  level: string | null
  /** null: of the data, which are not whole */
  rule: GateRule | null
  /** by how much, in one line */
  message: string
  /** what breaks it: samples, tasks or specs, with what is to be said of each */
  causes: string[]
}

/** What a gate says of a run. It holds where nothing was found. */
export interface GateResult {
  /** the rules that were checked, e.g. `level1 minCorrect 0.9` */
  rules: string[]
  findings: GateFinding[]
}

/** What a gate is asked of. */
export interface GateData {
  entries: readonly LedgerEntry[]
  /** the entries of the ledger that `against` names */
  against?: readonly LedgerEntry[] | undefined
  /** what the run has lost, and the ledger does not know of: specs that could not be read, lines that are torn */
  incomplete?: readonly string[]
}

/** Asks a gate of a run, which `against` can be compared with (`incomparable`). */
export function judgeGate(options: GateOptions, { entries, against = [], incomplete = [] }: GateData): GateResult {
  const whole: Scope = { level: null, rules: options, entries, against }
  const levels = Object.entries(options.levels ?? {}).map(([level, rules]): Scope => {
    const own = entries.filter((entry) => isOf(entry, level))
    return { level, rules, entries: own, against }
  })
  const scopes = [whole, ...levels]
  const lost = {
    level: null,
    rule: null,
    message: `the run is not whole: ${incomplete.length} lost`,
    causes: [...incomplete],
  }
  return {
    rules: scopes.flatMap((scope) => askedRules(scope.rules).map((rule) => describeRule(scope, rule))),
    findings: [...(incomplete.length > 0 ? [lost] : []), ...scopes.flatMap(findingsOf)],
  }
}

/** Whether an entry is of a level, which is named as the closing table does, or with its suite. */
const isOf = ({ suite, group }: LedgerEntry, level: string): boolean =>
  group === null ? suite === level : group === level || `${suite}/${group}` === level

/** What a run is judged on, which has to be the same in what it is compared with. */
export type Conditions = Pick<LedgerEntry, 'target' | 'soc' | 'profile'>

/** Why a ledger cannot be compared with a run on these conditions, in one line; undefined where it can. */
export function incomparable(conditions: readonly Conditions[], against: readonly LedgerEntry[]): string | undefined {
  if (against.length === 0) return 'has no verdicts; name the ledger of a run that has judged something'
  for (const field of ['target', 'soc', 'profile'] as const) {
    const [own, theirs] = [conditions, against].map((some) => [...new Set(some.map((one) => one[field]))].sort())
    if (own!.join() === theirs!.join()) continue
    const what = { target: 'target', soc: 'SoC', profile: 'tolerance profile' }[field]
    return `is of the ${what} ${theirs!.join(' and ')}, and this run of ${own!.join(' and ')}; name a ledger of the same`
  }
  return undefined
}

/** The rules of a run or of a level, and what they are asked of. */
interface Scope {
  level: string | null
  rules: GateRules
  entries: readonly LedgerEntry[]
  against: readonly LedgerEntry[]
}

function describeRule({ level, rules }: Scope, rule: GateRule): string {
  const value = rules[rule]
  return [level ?? [], rule, typeof value === 'number' ? String(value) : []].flat().join(' ')
}

const findingsOf = (scope: Scope): GateFinding[] =>
  askedRules(scope.rules).flatMap((rule) => {
    const broken = scope.entries.length === 0 ? nothingJudged : checks[rule](scope)
    return broken ? [{ level: scope.level, rule, ...broken }] : []
  })

const nothingJudged: Broken = { message: 'nothing was judged', causes: [] }

const checks: Record<GateRule, (scope: Scope) => Broken | undefined> = {
  minCompileRate: ({ rules, entries }) => compileRate(entries, rules.minCompileRate ?? 0),
  minPassAt1: ({ rules, entries }) => passAt1(entries, rules.minPassAt1 ?? 0),
  minCorrect: ({ rules, entries }) => correctRate(entries, rules.minCorrect ?? 0),
  maxRegression: ({ rules, entries, against }) => regressions(entries, against, rules.maxRegression ?? 0),
  noNewHazards: ({ entries, against }) => newHazards(entries, against),
  requireAll: ({ entries }) => allJudged(entries),
}

/** Causes that are named one by one. */
const shownCauses = 10

/** The result as lines of text: whether the gate holds, then what does not, each with the first ten of its causes. */
export function gateLines({ rules, findings }: GateResult): string[] {
  if (findings.length === 0) return [`gate: holds (${rules.join(', ')})`]
  return [
    `gate: ${findings.length === 1 ? '1 rule does' : `${findings.length} rules do`} not hold`,
    ...findings.map((finding) => `  ${ruleOf(finding)}: ${finding.message}${listOf(finding.causes)}`),
  ]
}

/** The rule of a finding, as text names it. */
export const ruleOf = ({ level, rule }: GateFinding): string => [level ?? [], rule ?? 'data'].flat().join(' ')

function listOf(causes: readonly string[]): string {
  if (causes.length === 0) return ''
  const more = causes.length > shownCauses ? ` and ${causes.length - shownCauses} more` : ''
  return `: ${causes.slice(0, shownCauses).join(', ')}${more}`
}
