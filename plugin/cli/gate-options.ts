import type { ParseArgsConfig } from 'node:util'
import { checkGate, comparingRule, GateError, type GateOptions } from '../ledger/index.ts'
import { didYouMean, UserError } from './user-error.ts'

/** Options of the command line that are rules, and the names that the option `gate` of the plugin has for them. */
const fields = {
  'min-compile-rate': 'minCompileRate',
  'min-pass-at-1': 'minPassAt1',
  'min-correct': 'minCorrect',
  'max-regression': 'maxRegression',
  'no-new-hazards': 'noNewHazards',
  'require-all': 'requireAll',
} as const

type RuleOption = keyof typeof fields

/** Rules that are on or off; the others are shares. */
const switches: readonly RuleOption[] = ['no-new-hazards', 'require-all']

const ruleOptions = Object.keys(fields)

const isRule = (name: string): name is RuleOption => name in fields

/** What the command line takes. */
export const gateArguments = {
  'min-compile-rate': { type: 'string' },
  'min-pass-at-1': { type: 'string' },
  'min-correct': { type: 'string' },
  'max-regression': { type: 'string' },
  'no-new-hazards': { type: 'boolean' },
  'require-all': { type: 'boolean' },
  level: { type: 'string', multiple: true },
  against: { type: 'string' },
} as const satisfies ParseArgsConfig['options']

type Values = { [name in keyof typeof gateArguments]?: string | boolean | string[] | undefined }

/** The gate that the command line asks for; undefined where it names no rule. Throws a UserError. */
export function gateOf(values: Values): GateOptions | undefined {
  const { level = [], against } = values
  const whole = ruleOptions.flatMap((name) => {
    const value = isRule(name) ? values[name] : undefined
    return value === undefined || !isRule(name) ? [] : [ruleOf(`--${name}`, name, value)]
  })
  const levels = new Map<string, Record<string, unknown>>()
  for (const text of Array.isArray(level) ? level : []) {
    const [name, rules] = levelOf(text)
    levels.set(name, { ...levels.get(name), ...rules })
  }
  if (whole.length === 0 && levels.size === 0) return undefined
  const asked = { ...Object.fromEntries(whole), ...(levels.size > 0 && { levels: Object.fromEntries(levels) }) }
  if (against === undefined && comparingRule(asked) !== undefined)
    throw new UserError(
      'gate: --max-regression and --no-new-hazards compare with another run: give --against <ledger | run>',
    )
  try {
    return checkGate({ ...asked, ...(against !== undefined && { against }) })
  } catch (error) {
    throw error instanceof GateError ? new UserError(error.message) : error
  }
}

/** A rule as the option `gate` has it. */
function ruleOf(given: string, name: RuleOption, value: unknown): readonly [string, number | true] {
  if (switches.includes(name)) {
    if (value === true) return [fields[name], true]
    throw new UserError(`${given}=${String(value)}: takes no value`)
  }
  const share = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  if (share >= 0 && share <= 1) return [fields[name], share]
  const shown = typeof value === 'string' ? ` ${value}` : ''
  const meant = share > 1 && share <= 100 ? ` (did you mean ${share / 100}?)` : ''
  throw new UserError(`${given}${shown}: is not a share from 0 to 1, e.g. 0.9${meant}`)
}

/** The rules of `level1:min-correct=0.9,require-all`. */
function levelOf(text: string): [name: string, rules: Record<string, unknown>] {
  const split = text.lastIndexOf(':')
  const name = text.slice(0, split)
  if (split <= 0 || split === text.length - 1)
    throw new UserError(`--level ${text}: is no level with its rules, e.g. level1:min-correct=0.9,require-all`)
  const rules = text
    .slice(split + 1)
    .split(',')
    .map((part) => {
      const [rule = '', value] = part.trim().split('=')
      if (!isRule(rule))
        throw new UserError(
          `--level ${text}: no rule is called "${rule}"${didYouMean(rule, ruleOptions)}; there are ${ruleOptions.join(', ')}`,
        )
      return ruleOf(`--level ${name}:${rule}`, rule, value ?? true)
    })
  return [name, Object.fromEntries(rules)]
}
