import { z } from 'zod'
import { recordOf } from '../model/index.ts'

const share = z.number().min(0).max(1)

const rules = {
  /**
   * The least share of samples that compile. A sample of which nobody could tell counts as one that does not; so does it in all
   * rules of shares.
   */
  minCompileRate: share.describe('a share from 0 to 1, e.g. 0.9').optional(),
  /**
   * The least pass@1: for each task the share of its samples that are correct, averaged over the tasks that have samples, each
   * with the same weight.
   */
  minPassAt1: share.describe('a share from 0 to 1, e.g. 0.9').optional(),
  /** The least share of samples that are correct, all tasks together. */
  minCorrect: share.describe('a share from 0 to 1, e.g. 0.9').optional(),
  /**
   * The largest loss of speed of a sample that is correct in this run and in `against`: 0.05 tolerates 5% less. It is what is
   * beyond the error of both: 1 - (mean + margin before) / (mean - margin now). A sample that `against` has correct, of a
   * task that was asked for, and that was not judged to an end or has no time of the same clock in both, breaks the rule.
   */
  maxRegression: share.describe('a share from 0 to 1, e.g. 0.05').optional(),
  /**
   * No sample has a code of a device error (a race, an access past its memory) that the same sample has not in `against`; of one
   * that `against` does not have, each is new. Warnings count where they make a hazard. A sample of which a case was not judged
   * breaks the rule.
   */
  noNewHazards: z.boolean().describe('true or false').optional(),
  /** Every task that was asked for has a sample, and every sample is known to be correct or not. */
  requireAll: z.boolean().describe('true or false').optional(),
}

const ruleSet = z.strictObject(rules)

/** What is asked of a run, or of a level of it. What nobody has judged keeps no rule. */
export type GateRules = z.output<typeof ruleSet>

export type GateRule = keyof GateRules

/** Names of the rules, in the order in which they are checked. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are these
export const gateRules = Object.keys(rules) as GateRule[]

/** Rules that need another run to compare with. */
const comparing: readonly GateRule[] = ['maxRegression', 'noNewHazards']

const gate = ruleSet.extend({
  /** Rules of a level, by its name, e.g. `{ level1: { minCorrect: 0.9 } }`; of several suites, `<suite>/<group>` names one. */
  levels: recordOf(ruleSet).describe('an object of rules by the name of a level').optional(),
  /** The ledger that samples are compared with: a file, or the folder of a run. */
  against: z.string().min(1).describe('the file of a ledger').optional(),
  /**
   * What the exit code of a run follows from. `tests`: a failing candidate fails the run, and so does the gate. `gate`: the
   * gate alone decides over candidates; tests that are not of a candidate fail the run all the same.
   */
  failures: z.enum(['tests', 'gate']).describe('"tests" or "gate"').optional(),
})

/** The option `gate`. */
export type GateOptions = z.output<typeof gate>

/** A gate that makes no sense: one line that names the field. */
export class GateError extends Error {
  override name = 'GateError'
}

/** The rules that are asked for; `false` asks for nothing. */
export const askedRules = (rules: GateRules): GateRule[] =>
  gateRules.filter((rule) => rules[rule] !== undefined && rules[rule] !== false)

const allRules = ({ levels = {}, ...rules }: GateOptions): GateRule[] =>
  [rules, ...Object.values(levels)].flatMap(askedRules)

/** The first rule that needs another run to compare with; undefined where none does. */
export const comparingRule = (options: GateOptions): GateRule | undefined =>
  allRules(options).find((rule) => comparing.includes(rule))

/** Checks what somebody asks of a gate, field by field. Throws a {@link GateError}. */
export function checkGate(value: unknown): GateOptions {
  const parsed = gate.safeParse(value)
  if (!parsed.success) throw new GateError(explain(parsed.error, value))
  const { data } = parsed
  if (allRules(data).length === 0) throw new GateError(`gate: asks for nothing; name one of ${gateRules.join(', ')}`)
  const needs = comparingRule(data)
  if (needs !== undefined && data.against === undefined)
    throw new GateError(`gate.${needs} compares with another run: name its ledger, gate.against`)
  return data
}

function explain(error: z.ZodError, value: unknown): string {
  const issue = error.issues[0]
  const path = (issue?.path ?? []).map(String)
  const place = ['gate', ...path].join('.')
  const isLevel = path[0] === 'levels' && path.length > 1
  const names = isLevel ? gateRules : Object.keys(gate.shape)
  if (issue?.code === 'unrecognized_keys')
    return `${place}: no rule is called ${issue.keys.map((key) => `"${key}"`).join(' or ')}; there are ${names.join(', ')}`
  const found = path.reduce<unknown>(
    (inside, name) => (isObject(inside) ? Reflect.get(inside, name) : undefined),
    value,
  )
  const field = Object.entries(gate.shape).find(([name]) => name === (isLevel ? path[2] : path[0]))?.[1]
  const allowed = field?.unwrap().description ?? `an object with ${names.join(', ')}`
  return `${place} is ${JSON.stringify(found)}; allowed: ${allowed}`
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
