import { printTable } from '../figures.ts'
import { compilePacks, type Answer } from './compile.ts'
import { readLabels, type Label } from './packs.ts'

/** Builds the labelled packs of a checkout and prints how far the answers agree with those of the card's toolchain. */
export async function labels(cacheDir: string, args: readonly string[]): Promise<void> {
  const [checkout] = args.filter((arg) => !arg.startsWith('--'))
  if (checkout === undefined) throw new Error('name the checkout that holds the packs: npm run labels -- <folder>')
  const all = readLabels(new URL('./card.json', import.meta.url))
  const answers = new Map<Label, Answer>()
  await compilePacks({ checkout, cacheDir, jobs: 2 }, all, (label, answer) => {
    answers.set(label, answer)
    if (answers.size % 100 === 0) console.error(`${answers.size} of ${all.length}`)
  })
  const judged = all.map((label): Judged => ({ label, answer: answers.get(label)! }))
  printCompileAgreement(judged)
  printFirstLines(judged)
  printDisagreements(judged)
}

interface Judged {
  label: Label
  answer: Answer
}

/** Errors in these are of the environment that the card's builds ran in, and not of the operator. */
const environmentFiles = /^(?:op_proto\.h|op\.cpp|\w+_[0-9a-f]{32}_\d+_kernel\.cpp)$/

/**
 * Whether the card's answer is about the operator: it compiled, or a compiler named a line of it. A build that failed without
 * one may have failed for the environment's sake; so did those whose folder kept a generated file beside the one of the pack.
 */
function isComparable({ label, answer }: Judged): boolean {
  if (answer.kind === 'unusable') return false
  if (label.compiled) return true
  if (label.error === null || environmentFiles.test(label.error.file)) return false
  return !isLeftoverOf(label, answer)
}

/** `pool1d_custom.cpp` beside the `pool_1d_custom.cpp` of the pack: a template that was never filled in. */
function isLeftoverOf({ error, name }: Label, answer: Answer): boolean {
  const stem = /^(\w+_custom)\.cpp$/.exec(error?.file ?? '')?.[1]
  if (stem === undefined || stem === `${name}_custom`) return false
  return stem.replaceAll('_', '') === `${name}_custom`.replaceAll('_', '') && !filesOf(answer).has(`${stem}.cpp`)
}

const filesOf = (answer: Answer): ReadonlySet<string> => new Set(answer.files.map((path) => path.split('/').at(-1)!))

const compilesHere = ({ answer }: Judged): boolean => answer.kind === 'compiled'

function printCompileAgreement(judged: readonly Judged[]): void {
  const comparable = judged.filter(isComparable)
  const count = (card: boolean, here: boolean): number =>
    comparable.filter((one) => one.label.compiled === card && compilesHere(one) === here).length
  const agreeing = count(true, true) + count(false, false)
  printTable(`Compiled: ${comparable.length} of ${judged.length} labels are comparable`, [
    ['card', 'compiled here', 'rejected here'],
    ['compiled', String(count(true, true)), String(count(true, false))],
    ['rejected', String(count(false, true)), String(count(false, false))],
  ])
  console.log(`  agreement ${share(agreeing, comparable.length)}`)
}

/** The first error that names a line of the pack. */
function firstError({ answer }: Judged): { file: string; line: number; message: string } | null {
  if (answer.kind !== 'rejected') return null
  const [first] = answer.verdict.diagnostics.filter(({ severity }) => severity === 'error')
  if (first?.file === undefined || first.line === undefined) return null
  return { file: first.file.split('/').at(-1)!, line: first.line, message: first.message }
}

/** Lines of the toolkit's own headers cannot agree: the emulator's are others. */
const hasComparableLine = (one: Judged): boolean =>
  isComparable(one) && one.answer.kind === 'rejected' && filesOf(one.answer).has(one.label.error?.file ?? '')

const linesAgree = (one: Judged): boolean => {
  const first = firstError(one)
  return first?.file === one.label.error?.file && first?.line === one.label.error?.line
}

function printFirstLines(judged: readonly Judged[]): void {
  const comparable = judged.filter(hasComparableLine)
  console.log(`\nFirst error on the same line: ${share(comparable.filter(linesAgree).length, comparable.length)}`)
}

function printDisagreements(judged: readonly Judged[]): void {
  const differ = judged.filter((one) => isComparable(one) && one.label.compiled !== compilesHere(one))
  const elsewhere = judged.filter((one) => hasComparableLine(one) && !linesAgree(one))
  for (const [title, some] of [
    ['Another answer', differ],
    ['Another first line', elsewhere],
  ] as const) {
    console.log(`\n${title}: ${some.length}`)
    for (const one of some) console.log(`  ${describe(one)}`)
  }
}

function describe(one: Judged): string {
  const { label, answer } = one
  const card = label.compiled ? 'compiled' : `${label.error?.file}:${label.error?.line}`
  const first = firstError(one)
  const place = first ? `${first.file}:${first.line}: ${first.message}` : 'no line'
  const here = answer.kind === 'compiled' ? 'compiled' : answer.kind === 'unusable' ? answer.message : place
  return `${label.branch}:${label.path}\n    card: ${card}\n    here: ${here}`
}

const share = (part: number, whole: number): string =>
  `${part} of ${whole} (${whole === 0 ? '-' : ((100 * part) / whole).toFixed(1)} %)`
