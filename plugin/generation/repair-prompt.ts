import { render, type Templates } from './template.ts'
import type { Finding } from './types.ts'

/** Characters that are shown of an answer, of one finding, and of all findings together. */
export const bounds = { answer: 100_000, finding: 6000, findings: 24_000 } as const

/** The beginning and the end of a text that is too long, and how much lies between. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  return `${text.slice(0, half)}\n[${text.length - 2 * half} characters left out]\n${text.slice(-half)}`
}

const verdicts: Readonly<Record<string, string>> = {
  'no-answer': 'There is no file in your answer.',
  'unusable-answer': 'The files of your answer cannot be taken as they are.',
  'compile-failed': 'It does not compile.',
  slow: 'It is right, and can be faster.',
}

/** What findings are about; nothing is wrong with an answer of which nothing was found. */
const kindOf = (findings: readonly Finding[]): string => findings[0]?.kind ?? 'slow'

const verdictOf = (findings: readonly Finding[]): string =>
  verdicts[kindOf(findings)] ?? 'It compiles, and is not right yet.'

const requestOf = (findings: readonly Finding[]): string =>
  kindOf(findings) === 'slow' ? 'Make it faster, and keep it right.' : 'Correct this, and keep what was right.'

function findingsText(findings: readonly Finding[]): string {
  const shown: string[] = []
  let left: number = bounds.findings
  for (const { kind, text } of findings) {
    const entry = `### ${kind}\n\n${shortened(text.trim(), bounds.finding)}`
    if (entry.length > left && shown.length > 0) break
    left -= entry.length
    shown.push(entry)
  }
  const rest = findings.length - shown.length
  return [...shown, ...(rest > 0 ? [`${rest} more of these are left out.`] : [])].join('\n\n')
}

/** What a model is told of its answer. */
export interface Repair {
  /** shown where the conversation does not hold it; null: it does */
  answer: string | null
  findings: readonly Finding[]
  /** sections that are empty or rendered */
  card: string
  documents: string
}

export const repairText = (templates: Templates, { answer, findings, card, documents }: Repair): string =>
  render(templates.of('repair'), {
    previous:
      answer === null ? '' : render(templates.of('previous'), { answer: shortened(answer.trim(), bounds.answer) }),
    verdict: verdictOf(findings),
    request: requestOf(findings),
    findings: findingsText(findings),
    card,
    documents,
  })
