import type { Row } from '../row.ts'
import { datasetInfo } from './alpaca.ts'
import { imitated, labelledOf, origin, originOf, paired } from './texts.ts'
import type { Format } from './types.ts'

const turn = { struct: { from: 'string', value: 'string' } } as const
const asked = { conversations: { list: turn }, system: 'string' } as const

const human = ({ request }: Row) => ({ from: 'human', value: request })
const gpt = (value: string) => ({ from: 'gpt', value })

const described = {
  formatting: 'sharegpt',
  tags: { role_tag: 'from', content_tag: 'value', user_tag: 'human', assistant_tag: 'gpt' },
}
const columns = { messages: 'conversations', system: 'system' }

const shapes: Format['shapes'] = {
  sft: {
    columns: { ...asked, ...origin },
    records: (row) =>
      imitated(row, (text) => ({
        conversations: [human(row), gpt(text)],
        system: row.system ?? '',
        ...originOf(row),
      })),
    info: { ...described, columns },
  },
  dpo: {
    columns: { ...asked, chosen: turn, rejected: turn, ...origin },
    records: (row) =>
      paired(row, (chosen, rejected) => ({
        conversations: [human(row)],
        system: row.system ?? '',
        chosen: gpt(chosen),
        rejected: gpt(rejected),
        ...originOf(row),
      })),
    info: { ...described, ranking: true, columns: { ...columns, chosen: 'chosen', rejected: 'rejected' } },
  },
  kto: {
    columns: { ...asked, kto_tag: 'boolean', ...origin },
    records: (row) =>
      labelledOf(row).map(({ text, good }) => ({
        conversations: [human(row), gpt(text)],
        system: row.system ?? '',
        kto_tag: good,
        ...originOf(row),
      })),
    info: { ...described, columns: { ...columns, kto_tag: 'kto_tag' } },
  },
}

/** Conversations of `human` and `gpt`, as ShareGPT wrote them and LLaMA-Factory reads them. */
export const sharegpt: Format = { shapes, beside: datasetInfo(shapes) }
