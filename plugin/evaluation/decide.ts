import type { Judgement } from '../compare/rules.ts'
import type { Profile, Report, Verdict } from '../model/index.ts'

/** What a warning of the device does when values are right: it is shown, or makes the verdict a hazard. */
export type Warnings = 'report' | 'fail'

/** What decides besides values and reports. */
interface Rules {
  profile: Profile
  warnings?: Warnings
}

/**
 * The verdict of a launch that ran to its end. Right values with an error of the device left over are a hazard: a real
 * device may turn it into wrong ones. The public benchmark has no such notion, so its profile looks at values only.
 */
export function decide(
  judgement: Judgement,
  reports: readonly Report[],
  { profile, warnings = 'report' }: Rules,
): Verdict {
  if (profile === 'benchmark') {
    if (judgement.benchmark === 'accepted') return { kind: 'correct' }
    if (judgement.strict.kind !== 'correct') return judgement.strict
    return { kind: 'wrong-structure', message: 'the rule of the public benchmark rejects the outputs' }
  }
  const finding = judgement[profile]
  if (finding.kind !== 'correct') return finding
  const error = reports.find((report) => report.severity === 'error')
  const defect = error ?? (warnings === 'fail' ? reports[0] : undefined)
  return defect ? { kind: 'hazard', report: defect } : finding
}
