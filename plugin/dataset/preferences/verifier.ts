import { readAnswer } from '../../generation/answer.ts'
import type { VerdictKind, ProjectFile } from '../../model/index.ts'
import type { RowOf } from '../row.ts'
import type { CheckContext, Verifier } from '../verifier.ts'
import { judgeAgain, type JudgedAgain } from './judge-again.ts'

type Proof = RowOf<'preference'>['proof']

/** What a verdict says without its details: of several cases that fail, any may be the first. */
function gradeOf(kind: string): 'correct' | 'hazard' | 'not-built' | 'failed' {
  if (kind === 'correct' || kind === 'hazard') return kind
  return kind === 'compile-failed' ? 'not-built' : 'failed'
}

/** Checks a pair: both answers are the files of the proof, the better one is right, and the worse one is worse as the proof says. */
export const verifyPreference: Verifier<'preference'> = async (row, context) => {
  const { proof, rejected } = row
  if (!rejected) return 'has no rejected answer'
  const differing =
    differenceOf('answer', row.answer, proof.chosen.files) ??
    differenceOf('rejected answer', rejected.answer, proof.rejected.files)
  if (differing !== undefined) return differing
  if (proof.strategy === 'faster') return await slowerOf(proof, context)
  if (gradeOf(proof.rejected.outcome) === 'correct') return 'both answers are said to be right'
  const chosen = await judgeAgain(context, proof, proof.chosen)
  if (chosen.kind !== 'correct') return `the chosen answer is not right: ${kindText(chosen)}`
  const worse = await judgeAgain(context, proof, proof.rejected)
  if (typeof worse.kind === 'object') return `the rejected answer is no sample: ${worse.kind.problem}`
  if (gradeOf(worse.kind) === 'correct') return 'the rejected answer is right'
  return fits(worse.kind, proof.rejected.outcome)
    ? undefined
    : `the rejected answer is ${worse.kind}, and is said to be ${proof.rejected.outcome}`
}

/** A candidate of which one case is a hazard and another one fails may be seen to fail by either. */
const fits = (found: VerdictKind, said: string): boolean => {
  const [one, other] = [gradeOf(found), gradeOf(said)]
  return one === other || (one === 'hazard' && other === 'failed')
}

const kindText = ({ kind }: JudgedAgain): string => (typeof kind === 'object' ? kind.problem : kind)

function differenceOf(what: string, answer: string, files: readonly ProjectFile[]): string | undefined {
  const read = readAnswer(answer, 'full')
  if (read.kind !== 'files') return `the ${what} holds no operator: ${read.reason}`
  const texts = new Map(files.map(({ path, content }) => [path, content]))
  const same = read.files.length === texts.size && read.files.every(({ path, content }) => texts.get(path) === content)
  return same ? undefined : `the ${what} has other files than the proof`
}

/** Both are right, and the one is faster by more than the clock may be wrong. */
async function slowerOf(proof: Proof, context: CheckContext): Promise<string | undefined> {
  const [fast, slow] = [
    await judgeAgain(context, proof, proof.chosen),
    await judgeAgain(context, proof, proof.rejected),
  ]
  for (const [name, side] of [
    ['chosen', fast],
    ['rejected', slow],
  ] as const)
    if (side.kind !== 'correct') return `the ${name} answer is not right: ${kindText(side)}`
  if (fast.latency === undefined || slow.latency === undefined) return 'this target tells no latency of a launch'
  const { chosen, rejected } = proof
  if (chosen.band === null || rejected.band === null || !chosen.latency || !rejected.latency)
    return 'nothing says by how much the clock may be wrong'
  // what the proof says of the clock may widen its band, and not narrow it
  const share = Math.hypot(
    Math.max(chosen.band / chosen.latency, fast.band ?? 0),
    Math.max(rejected.band / rejected.latency, slow.band ?? 0),
  )
  if (slow.latency / fast.latency > 1 + share) return undefined
  return `the chosen answer takes ${fast.latency} ns and the rejected one ${slow.latency} ns: that is within ${(100 * share).toFixed(0)} %`
}
