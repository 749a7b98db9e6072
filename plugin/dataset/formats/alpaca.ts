import type { Row } from '../row.ts'
import { imitated, labelledOf, origin, originOf, paired } from './texts.ts'
import type { Format, WrittenFile, Writing } from './types.ts'

const asked = { instruction: 'string', input: 'string', system: 'string' } as const

const askedOf = ({ system = '', request }: Row): Record<string, string> => ({ instruction: request, input: '', system })

const prompts = { prompt: 'instruction', query: 'input', system: 'system' }

const sft: Writing = {
  columns: { ...asked, output: 'string', ...origin },
  records: (row) => imitated(row, (output) => ({ ...askedOf(row), output, ...originOf(row) })),
  info: { columns: { ...prompts, response: 'output' } },
}

const dpo: Writing = {
  columns: { ...asked, chosen: 'string', rejected: 'string', ...origin },
  records: (row) => paired(row, (chosen, rejected) => ({ ...askedOf(row), chosen, rejected, ...originOf(row) })),
  info: { ranking: true, columns: { ...prompts, chosen: 'chosen', rejected: 'rejected' } },
}

const kto: Writing = {
  columns: { ...asked, output: 'string', kto_tag: 'boolean', ...origin },
  records: (row) =>
    labelledOf(row).map(({ text, good }) => ({ ...askedOf(row), output: text, kto_tag: good, ...originOf(row) })),
  info: { columns: { ...prompts, response: 'output', kto_tag: 'kto_tag' } },
}

/** `dataset_info.json`: what LLaMA-Factory is told of each file. */
export const datasetInfo =
  (writings: Format['shapes']) =>
  (files: readonly WrittenFile[]): Record<string, unknown> => ({
    'dataset_info.json': Object.fromEntries(
      files.map(({ file, name, shape }) => [name, { file_name: file, ...writings[shape]?.info }]),
    ),
  })

const shapes = { sft, dpo, kto }

/** LLaMA-Factory, Alpaca. */
export const llamaFactory: Format = { shapes, beside: datasetInfo(shapes) }

/** `--map-keys` of MindSpeed-LLM: its handlers find chosen and rejected answers by these names. */
const mapKeys: Record<string, { handler: string; keys: Record<string, string> }> = {
  sft: { handler: 'AlpacaStyleInstructionHandler', keys: { ...prompts, response: 'output' } },
  dpo: { handler: 'AlpacaStylePairwiseHandler', keys: prompts },
}

/** MindSpeed-LLM: Alpaca, pairwise as well, with the keys that its preprocessing is told. */
export const mindspeed: Format = {
  shapes: { sft, dpo },
  beside: (files) => ({
    'preprocess.json': Object.fromEntries(
      files.map(({ file, shape }) => [
        file,
        { 'handler-name': mapKeys[shape]?.handler, 'map-keys': JSON.stringify(mapKeys[shape]?.keys) },
      ]),
    ),
  }),
}
