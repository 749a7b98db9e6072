import { llamaFactory, mindspeed } from './alpaca.ts'
import { sharegpt } from './sharegpt.ts'
import { openai, trl } from './trl.ts'
import type { Format } from './types.ts'
import { verl } from './verl.ts'

/** What reads rows, by name. */
export const formats: Readonly<Record<string, Format>> = {
  trl,
  verl,
  'llama-factory': llamaFactory,
  mindspeed,
  openai,
  sharegpt,
}
