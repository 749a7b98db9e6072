import type { Finding, Judgement } from '../compare/rules.ts'
import { worstAccuracy, type Answer, type Assessment } from '../model/index.ts'

const answerOf = ({ kind }: Finding): Answer => (kind === 'correct' ? 'accepted' : 'rejected')

/** The answers of all profiles, without the places. */
export function assessmentOf({ standard, strict, benchmark, accuracy }: Judgement): Assessment {
  return {
    answers: { standard: answerOf(standard), strict: answerOf(strict), benchmark },
    ...(accuracy && { accuracy }),
  }
}

/** What two cases come to together: a profile accepts what it accepts in both, and the worse accuracy counts. */
export function bothOf(one: Assessment | undefined, other: Assessment | undefined): Assessment | undefined {
  if (!one || !other) return one ?? other
  const both = (profile: keyof Assessment['answers']): Answer =>
    one.answers[profile] === 'accepted' && other.answers[profile] === 'accepted' ? 'accepted' : 'rejected'
  const accuracy = one.accuracy && other.accuracy && worstAccuracy([one.accuracy, other.accuracy])
  return {
    answers: { standard: both('standard'), strict: both('strict'), benchmark: both('benchmark') },
    ...(accuracy && { accuracy }),
  }
}
