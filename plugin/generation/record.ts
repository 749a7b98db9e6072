import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../files/index.ts'
import { messageOf } from '../model/index.ts'
import { GenerationError } from './error.ts'
import { cutTorn } from '../ledger/lines.ts'
import { readTranscript, transcriptName, type TranscriptLine } from './transcript.ts'

/** What a recording has once: a prompt, or an answer to it for one sample and turn. */
function keyOf(line: TranscriptLine): string | undefined {
  if (line.kind === 'prompt') return `prompt ${line.hash}`
  return line.kind === 'answer' ? `answer ${line.prompt} ${line.sample} ${line.turn}` : undefined
}

/** Adds the prompts and answers of a run to a recording, as far as it has none of them; verdicts are left out. */
export function record(run: string, folder: string): void {
  const known = new Set<string>()
  const path = join(folder, transcriptName)
  for (const line of readTranscript(path)) known.add(keyOf(line) ?? '')
  try {
    makeFolder(folder)
    cutTorn(path)
    for (const line of readTranscript(join(run, transcriptName))) {
      const key = keyOf(line)
      if (key === undefined || known.has(key)) continue
      known.add(key)
      appendFileSync(path, `${JSON.stringify(line)}\n`)
    }
  } catch (error) {
    if (error instanceof GenerationError) throw error
    throw new GenerationError(`--record ${folder}: cannot be written: ${messageOf(error)}`)
  }
}
