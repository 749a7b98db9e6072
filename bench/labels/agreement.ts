import {
  compilesHere,
  firstError,
  hasComparableLine,
  isClean,
  isComparable,
  isErrorOfCard,
  isLaunchComparable,
  isNamedLater,
  type Judged,
} from './judged.ts'
import type { Disagreement } from './disagreement.ts'
import { reasonOf } from './reasons.ts'

/** How often two answers of two kinds meet: the card's first, ours second. */
export interface Matrix {
  yesYes: number
  yesNo: number
  noYes: number
  noNo: number
}

/** How far the answers agree. */
export interface Agreement {
  labels: number
  compiled: Matrix
  /** `named`: not the first error of the card, and among its first three */
  lines: { comparable: number; first: number; named: number }
  ran: Matrix
  /** packs that ran on the card and are not compared, by why */
  notLaunched: Map<string, number>
  disagreements: Disagreement[]
}

export function agreementOf(judged: readonly Judged[]): Agreement {
  const compared = judged.filter(isComparable)
  const lines = judged.filter(hasComparableLine)
  // of code that was right on the card, another run of the same code says nothing: the card's own environment failed
  const right = new Set(judged.filter(({ label }) => label.correct === true).map(codeOf))
  const isContradicted = (one: Judged): boolean => one.label.correct === false && right.has(codeOf(one))
  const launched = judged.filter((one) => one.label.correct !== null)
  const ran = launched.filter((one) => isLaunchComparable(one) && !isContradicted(one))
  return {
    labels: judged.length,
    compiled: matrixOf(compared, ({ label }) => label.compiled, compilesHere),
    lines: {
      comparable: lines.length,
      first: lines.filter((one) => isErrorOfCard(one, 0)).length,
      named: lines.filter((one) => !isErrorOfCard(one, 0) && isNamedLater(one)).length,
    },
    ran: matrixOf(ran, ({ label }) => label.correct === true, isClean),
    notLaunched: countedBy(
      launched.filter((one) => !ran.includes(one)),
      (one) => (isContradicted(one) ? 'the same code was right in another run of the card' : whyNot(one)),
    ),
    disagreements: [
      ...compared.filter((one) => one.label.compiled !== compilesHere(one)).map(ofBuild),
      ...ran.filter((one) => one.label.correct !== isClean(one)).map(ofLaunch),
      ...lines.filter((one) => !isErrorOfCard(one, 0)).map(ofLine),
    ],
  }
}

export function matrixOf<T>(all: readonly T[], card: (one: T) => boolean, here: (one: T) => boolean): Matrix {
  const count = (yes: boolean, also: boolean): number =>
    all.filter((one) => card(one) === yes && here(one) === also).length
  return { yesYes: count(true, true), yesNo: count(true, false), noYes: count(false, true), noNo: count(false, false) }
}

function countedBy<T>(all: readonly T[], key: (one: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(key(one), (counts.get(key(one)) ?? 0) + 1)
  return counts
}

const codeOf = ({ label, answer }: Judged): string =>
  answer.kind === 'compiled' ? answer.code : `${label.branch}:${label.path}`

function whyNot({ answer }: Judged): string {
  if (answer.kind === 'unusable') return answer.message
  if (answer.kind === 'rejected') return 'rejected here'
  return answer.launched?.kind === 'not comparable' ? answer.launched.why : 'not launched'
}

function ofBuild(one: Judged): Disagreement {
  const kind = one.label.compiled ? 'compiled on the card, rejected here' : 'rejected on the card, compiled here'
  return disagreement(one, kind, one.label.compiled ? 'compiled' : firstOfCard(one), hereOf(one))
}

const ofLine = (one: Judged): Disagreement => disagreement(one, 'another first line', firstOfCard(one), hereOf(one))

function ofLaunch(one: Judged): Disagreement {
  const { label, answer } = one
  const kind = label.correct === true ? 'right on the card, flagged here' : 'wrong on the card, clean here'
  const launched = answer.kind === 'compiled' ? answer.launched : null
  const here = launched?.kind === 'flagged' ? launched.finding : 'clean'
  return disagreement(one, kind, label.failure === null ? 'right' : `wrong: ${label.failure}`, here)
}

const firstOfCard = ({ label: { errors } }: Judged): string =>
  errors[0] === undefined ? 'no line' : `${errors[0].file}:${errors[0].line}`

function hereOf(one: Judged): string {
  const first = firstError(one)
  if (first !== null) return `${first.file}:${first.line}: ${first.message}`
  return one.answer.kind === 'compiled' ? 'compiled' : 'no line'
}

function disagreement(one: Judged, kind: Disagreement['kind'], card: string, here: string): Disagreement {
  const place = `${one.label.branch}:${one.label.path}`
  const named = kind === 'another first line' && isNamedLater(one)
  const reason = named ? 'among the first three of the card, whose log interleaves compilations' : null
  return { kind, place, card, here, reason: reason ?? reasonOf({ kind, place, card, here }) }
}
