import type { Agreement, Matrix } from './agreement.ts'
import { differences, type Disagreement } from './disagreement.ts'

/** `339 of 342 (99.1 %)` */
export const share = (part: number, whole: number): string =>
  `${part} of ${whole} (${whole === 0 ? '-' : ((100 * part) / whole).toFixed(1)} %)`

const table = (rows: readonly (readonly string[])[]): string =>
  rows
    .flatMap((row, i) => [`| ${row.join(' | ')} |`, ...(i === 0 ? [`|${' --- |'.repeat(row.length)}`] : [])])
    .join('\n')

/** The rows of both matrices, headings first. */
export const compiledRows = ({ yesYes, yesNo, noYes, noNo }: Matrix): string[][] => [
  ['card', 'compiled here', 'rejected here'],
  ['compiled', String(yesYes), String(yesNo)],
  ['rejected', String(noYes), String(noNo)],
]

export const ranRows = ({ yesYes, yesNo, noYes, noNo }: Matrix): string[][] => [
  ['card', 'clean here', 'flagged here'],
  ['right', String(yesYes), String(yesNo)],
  ['wrong', String(noYes), String(noNo)],
]

export const shares = {
  compiled: ({ yesYes, yesNo, noYes, noNo }: Matrix): string => share(yesYes + noNo, yesYes + yesNo + noYes + noNo),
  clean: ({ yesYes, yesNo }: Matrix): string => share(yesYes, yesYes + yesNo),
  flagged: ({ noYes, noNo }: Matrix): string => share(noNo, noYes + noNo),
}

/** One line: what the card said, what is said here, and why they differ. */
export const lineOf = ({ place, card, here, reason }: Disagreement): string =>
  `${place}: card ${card}; here ${here.split('\n', 1)[0]}; ${reason ?? 'not explained'}`

/** The Markdown of `docs/fidelity.md`. */
export function documentOf(agreement: Agreement): string {
  const { compiled, ran, lines, labels, notLaunched, disagreements } = agreement
  const sections = differences.flatMap((kind) => {
    const some = disagreements.filter((one) => one.kind === kind)
    return some.length === 0 ? [] : [`### ${capital(kind)}: ${some.length}`, listOf(some)]
  })
  return (
    [
      '# Fidelity: what a card says of the same operators',
      `Made by \`npm run labels -- <checkout> --write\`. ${labels} operators that models have written (MultiKernelBench, float32)
were built and run on an Ascend 910B with CANN 8.3.RC2; \`bench/labels/card.json\` keeps what came of it. The tool builds
them with the emulator, launches those that the card has run, and compares.`,
      '## Builds',
      table(compiledRows(compiled)),
      `Both give the same answer for ${shares.compiled(compiled)}. Labels without a line of the operator are left out: such
builds can have failed for other reasons. Of operators that both reject, the first error is on the same line for
${share(lines.first, lines.comparable)}; ${lines.named} more are among the first three that the card names.`,
      '## Results',
      table(ranRows(ran)),
      `Right on the card and clean here: ${shares.clean(ran)}. Wrong on the card and flagged here: ${shares.flagged(ran)}.
Clean means that values agree within the tolerance of the benchmark (absolute and relative 1e-4) and that no error is
reported. Inputs are those of the benchmark; where they need gigabytes, fewer rows or smaller matrices
(\`bench/labels/operators.ts\` has both).`,
      ['Not compared:', ...[...notLaunched].map(([why, count]) => `- ${why}: ${count}`)]
        .join('\n')
        .replace('\n', '\n\n'),
      '## Where the answers differ',
      ...sections,
      '',
    ]
      .join('\n\n')
      .trimEnd() + '\n'
  )
}

const capital = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`

/** Disagreements of one reason together. */
function listOf(all: readonly Disagreement[]): string {
  const reasons = new Set(all.map((one) => one.reason ?? 'not explained'))
  return [...reasons]
    .map((reason) => {
      const some = all.filter((one) => (one.reason ?? 'not explained') === reason)
      return `${capital(reason)}:\n\n${some.map((one) => `- ${itemOf(one)}`).join('\n')}`
    })
    .join('\n\n')
}

// Messages name code of others: a place is enough to find them.
const itemOf = ({ kind, place, card, here }: Disagreement): string =>
  `\`${place}\`: ${card} / ${kind === 'another first line' ? here.split(': ', 1)[0] : here.split('\n', 1)[0]}`
