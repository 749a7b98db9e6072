import { messages, origin, originOf, promptOf } from './texts.ts'
import type { Format } from './types.ts'

/** Prompts of tasks for verl: what is judged is named by `ground_truth`, and who judges by `extra_info`. */
export const verl: Format = {
  shapes: {
    rl: {
      columns: {
        data_source: 'string',
        prompt: messages,
        ability: 'string',
        reward_model: { struct: { style: 'string', ground_truth: 'string' } },
        extra_info: {
          struct: { split: 'string', index: 'integer', suite: 'string', task: 'string', judge: 'string', ...origin },
        },
      },
      records: (row, { split, index, judge }) => {
        if (row.kind !== 'preference') return []
        const { suite, task } = row.proof
        return [
          {
            data_source: `vitest-npu/${suite}`,
            prompt: promptOf(row),
            ability: 'kernel',
            reward_model: { style: 'rule', ground_truth: JSON.stringify({ suite, task }) },
            extra_info: { split, index, suite, task, judge, ...originOf(row) },
          },
        ]
      },
    },
  },
}
