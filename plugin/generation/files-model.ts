import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FileError, makeFolder, readRegular } from '../files/index.ts'
import { bounded, estimatedTokens, maxAnswer, UnansweredError, type Model, type Question, type Reply } from './model.ts'
import type { Message } from './types.ts'

/**
 * Lays prompts out as files, for whoever answers them elsewhere: `<place>/prompt.md`, e.g. `AddCustom/s0/turn1/prompt.md`, and takes
 * the `answer.md` that lies beside one in the next call.
 */
export class FilesModel implements Model {
  readonly concurrency = 1
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async ask({ place, prompt }: Question): Promise<Reply | 'pending'> {
    const folder = join(this.#folder, place)
    const [asked, answered] = [join(folder, 'prompt.md'), join(folder, 'answer.md')]
    const text = textOf(prompt.messages)
    if (existsSync(answered)) {
      if (existsSync(asked) && readFileSync(asked, 'utf8') !== text)
        throw new UnansweredError(`${answered}: answers another prompt than the one that is asked now; remove it`)
      const answer = read(answered)
      const usage = { input: estimatedTokens(text), output: estimatedTokens(answer.text), estimated: true as const }
      return { ...answer, reasoning: '', finish: 'stop', usage, ms: 0 }
    }
    makeFolder(folder)
    writeFileSync(asked, text)
    return 'pending'
  }
}

/** Larger files are not even opened. */
const maxBytes = 4 * maxAnswer

function read(path: string): Pick<Reply, 'text' | 'unusable'> {
  try {
    return bounded(readRegular(path, maxBytes).toString('utf8'))
  } catch (error) {
    if (error instanceof FileError) return { text: '', unusable: error.message }
    throw error
  }
}

/** The messages of a prompt as one text: a system message and a question, or a conversation with who has said what. */
function textOf(messages: readonly Message[]): string {
  const isConversation = messages.some(({ role }) => role === 'assistant')
  return `${messages.map(({ role, content }) => (isConversation ? `# ${role}\n\n${content}` : content)).join('\n\n')}\n`
}
