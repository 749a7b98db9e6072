import type { Finding, Judgement } from '../compare/rules.ts'
import { worstAccuracy, type Answer, type Assessment, type Profile } from '../model/index.ts'

const answerOf = ({ kind }: Finding): Answer => (kind === 'correct' ? 'accepted' : 'rejected')

/** The answers of all profiles, without the places. */
export function assessmentOf({ standard, strict, benchmark, revisions, accuracy }: Judgement): Assessment {
  return {
    answers: {
      standard: answerOf(standard),
      strict: answerOf(strict),
      benchmark,
      ...(revisions && { revisions: { ...revisions } }),
    },
    ...(accuracy && { accuracy }),
  }
}

const both = (one: Answer | undefined, other: Answer | undefined): Answer =>
  one === 'accepted' && other === 'accepted' ? 'accepted' : 'rejected'

/** What two cases come to together: a profile accepts what it accepts in both, and the worse accuracy counts. */
export function bothOf(one: Assessment | undefined, other: Assessment | undefined): Assessment | undefined {
  if (!one || !other) return one ?? other
  const accuracy = one.accuracy && other.accuracy && worstAccuracy([one.accuracy, other.accuracy])
  const together = (profile: Profile): Answer => both(one.answers[profile], other.answers[profile])
  const revisions = one.answers.revisions && bothRevisions(one.answers.revisions, other.answers.revisions ?? {})
  return {
    answers: {
      standard: together('standard'),
      strict: together('strict'),
      benchmark: together('benchmark'),
      ...(revisions && { revisions }),
    },
    ...(accuracy && { accuracy }),
  }
}

const bothRevisions = (one: Record<string, Answer>, other: Record<string, Answer>): Record<string, Answer> =>
  Object.fromEntries(Object.entries(one).map(([name, answer]) => [name, both(answer, other[name])]))
