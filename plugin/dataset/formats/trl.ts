import { answerText, assistant, imitated, labelledOf, messages, origin, originOf, paired, promptOf } from './texts.ts'
import type { Format } from './types.ts'

/** TRL, conversational: prompt-completion, preference and unpaired preference. */
export const trl: Format = {
  shapes: {
    sft: {
      columns: { prompt: messages, completion: messages, ...origin },
      records: (row) =>
        imitated(row, (text) => ({ prompt: promptOf(row), completion: [assistant(text)], ...originOf(row) })),
    },
    dpo: {
      columns: { prompt: messages, chosen: messages, rejected: messages, ...origin },
      records: (row) =>
        paired(row, (chosen, rejected) => ({
          prompt: promptOf(row),
          chosen: [assistant(chosen)],
          rejected: [assistant(rejected)],
          ...originOf(row),
        })),
    },
    kto: {
      columns: { prompt: messages, completion: messages, label: 'boolean', ...origin },
      records: (row) =>
        labelledOf(row).map(({ text, good }) => ({
          prompt: promptOf(row),
          completion: [assistant(text)],
          label: good,
          ...originOf(row),
        })),
    },
  },
}

/** Messages as the fine-tuning of OpenAI reads them: nothing else may stand in a line. */
export const openai: Format = {
  shapes: {
    sft: {
      columns: { messages },
      records: (row) =>
        row.rejected === undefined ? [{ messages: [...promptOf(row), assistant(answerText(row))] }] : [],
    },
  },
}
