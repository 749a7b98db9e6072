import { writeFileSync } from 'node:fs'
import { printTable } from '../figures.ts'
import { agreementOf, type Agreement } from './agreement.ts'
import { compilePacks, type Answer } from './compile.ts'
import { differences } from './disagreement.ts'
import { compiledRows, documentOf, lineOf, ranRows, share, shares } from './document.ts'
import { readLabels, type Label } from './packs.ts'

const documentPath = new URL('../../docs/fidelity.md', import.meta.url)

/**
 * Builds the labelled packs of a checkout, launches those that the card has run, and prints how far the answers agree with
 * those of the card. `--write` renews `docs/fidelity.md`; `--right` takes those alone that were right on the card, of which none
 * is to be rejected or flagged.
 */
export async function labels(cacheDir: string, args: readonly string[]): Promise<void> {
  const [checkout] = args.filter((arg) => !arg.startsWith('--'))
  if (checkout === undefined) throw new Error('name the checkout that holds the packs: npm run labels -- <folder>')
  const rightAlone = args.includes('--right')
  if (rightAlone && args.includes('--write')) throw new Error('--write needs all labels: leave out --right')
  const all = readLabels(new URL('./card.json', import.meta.url)).filter(({ correct }) => correct || !rightAlone)
  const answers = new Map<Label, Answer>()
  await compilePacks({ checkout, cacheDir, jobs: 2 }, all, (label, answer) => {
    answers.set(label, answer)
    if (answers.size % 100 === 0) console.error(`${answers.size} of ${all.length}`)
  })
  const agreement = agreementOf(all.map((label) => ({ label, answer: answers.get(label)! })))
  print(agreement)
  if (args.includes('--write')) writeFileSync(documentPath, documentOf(agreement))
}

function print({ labels: count, compiled, ran, lines, notLaunched, disagreements }: Agreement): void {
  const builds = Object.values(compiled).reduce((sum: number, part: number) => sum + part, 0)
  printTable(`Compiled: ${builds} of ${count} labels are comparable`, compiledRows(compiled))
  console.log(`  agreement ${shares.compiled(compiled)}`)
  console.log(`\nFirst error on the same line: ${share(lines.first, lines.comparable)}`)
  console.log(`  among the first three of the card: ${lines.named} more`)
  printTable('Launched, on fewer rows where the problem of the card needs gigabytes', ranRows(ran))
  console.log(`  right on the card, clean here: ${shares.clean(ran)}`)
  console.log(`  wrong on the card, flagged here: ${shares.flagged(ran)}`)
  for (const [why, some] of notLaunched) console.log(`  not compared, ${why}: ${some}`)
  for (const kind of differences) {
    const some = disagreements.filter((one) => one.kind === kind)
    console.log(`\n${kind}: ${some.length}`)
    for (const one of some) console.log(`  ${lineOf(one)}`)
  }
}
