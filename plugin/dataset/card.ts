import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { markdownText } from '../ledger/table.ts'
import { replaceFile } from '../ledger/runs.ts'
import { wholeLines } from '../ledger/lines.ts'
import { neutralJson } from '../model/index.ts'
import { settingsName, type Settings } from '../generation/run-settings.ts'
import { readRows, rowsName } from './row-file.ts'
import { rejectedName } from './work-folder.ts'

/** What a data set says of itself. */
export interface Card {
  settings: Settings
  rows: number
  /** by kind, operator, source's licence, who has written them, and version of the prompt */
  kinds: Record<string, number>
  operators: number
  licences: Record<string, number>
  models: Record<string, number>
  prompts: Record<string, number>
  sources: number
  /** share of all that was decided which became rows */
  acceptance: number | null
  /** how often something was refused, by reason */
  rejected: Record<string, number>
  /** what its builder counts beside */
  figures: Readonly<Record<string, number>>
  /** of the file of rows */
  sha256: string
}

const rejectedLine = z.object({ reason: z.string() })
const settingsFile = z.record(z.string(), z.unknown())

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** Most first. */
const listed = (counts: Map<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)))

/** Reads the folder of a builder, line by line, and writes `card.json` and `card.md` into it. */
export async function writeCard(folder: string, figures: Card['figures'] = {}): Promise<Card> {
  const [kinds, licences, models, prompts, rejected] = Array.from({ length: 5 }, () => new Map<string, number>())
  const [operators, sources] = [new Set<string>(), new Set<string>()]
  const path = join(folder, rowsName)
  let rows = 0
  const sha256 = createHash('sha256')
  if (existsSync(path)) {
    for (const { kind, operator, provenance } of readRows(path)) {
      rows++
      count(kinds!, kind)
      count(licences!, provenance.licence)
      if (provenance.model !== undefined) count(models!, provenance.model)
      for (const prompt of [provenance.questionPrompt, provenance.prompt])
        if (prompt !== undefined) count(prompts!, prompt)
      if (operator !== undefined) operators.add(operator)
      sources.add(provenance.source)
    }
    await pipeline(createReadStream(path), sha256)
  }
  const refused = join(folder, rejectedName)
  let refusals = 0
  if (existsSync(refused))
    for (const { text } of wholeLines(refused)) {
      refusals++
      count(rejected!, rejectedLine.parse(JSON.parse(text)).reason)
    }
  const card: Card = {
    settings: settingsFile.parse(JSON.parse(readFileSync(join(folder, settingsName), 'utf8'))),
    rows,
    kinds: listed(kinds!),
    operators: operators.size,
    sources: sources.size,
    licences: listed(licences!),
    models: listed(models!),
    prompts: listed(prompts!),
    acceptance: rows + refusals === 0 ? null : rows / (rows + refusals),
    rejected: listed(rejected!),
    figures,
    sha256: sha256.digest('hex'),
  }
  replaceFile(join(folder, 'card.json'), `${neutralJson(card)}\n`)
  replaceFile(join(folder, 'card.md'), cardText(card))
  return card
}

/** Characters of a name of others, or of a setting. */
const maxShown = 500

/** Rows may be those of others, and so is what they are called: text in one line. */
const shown = (text: string): string => markdownText(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text)

const table = (head: string, counts: Readonly<Record<string, number>>): string[] =>
  Object.keys(counts).length === 0
    ? []
    : [
        '',
        `| ${head} | count |`,
        '|---|---|',
        ...Object.entries(counts).map(([name, n]) => `| ${shown(name)} | ${n} |`),
      ]

function cardText(card: Card): string {
  const share = card.acceptance === null ? '' : `, ${(100 * card.acceptance).toFixed(1)} % of what was decided`
  return `${[
    '# Data set',
    '',
    `${card.rows} rows${share}; ${card.operators} operators, ${card.sources} sources; SHA-256 \`${card.sha256}\`.`,
    ...table('kind', card.kinds),
    ...table('refused because', card.rejected),
    ...table('of what was asked', card.figures),
    ...table('licence', card.licences),
    ...table('written by', card.models),
    ...table('prompts', card.prompts),
    '',
    'Made with:',
    '',
    ...Object.entries(card.settings).map(([name, value]) => `- ${shown(name)}: ${shown(JSON.stringify(value))}`),
  ].join('\n')}\n`
}
