// Asks a server for 500 samples, as the command does, with a prompt of one line: what is tested is what a kill leaves behind.
import { Loop } from '../dist/generation/loop.js'
import { RunFolder } from '../dist/generation/run-folder.js'
import { ServerModel } from '../dist/generation/server-model.js'
import { Spending } from '../dist/generation/budget.js'

const [baseUrl, path, count] = process.argv.slice(2)
const prompter = {
  first: (task) =>
    Promise.resolve({ version: '1', messages: [{ role: 'user', content: `write ${task.interface.name}` }] }),
  repair: () => Promise.reject(new Error('nothing is judged')),
  read: (text) => ({ kind: 'files', files: [{ path: 'op_kernel/k.cpp', content: text }] }),
}
const task = { interface: { suite: 'own', group: 'level1', category: 'math', name: 'Add' } }
const model = new ServerModel({
  baseUrl,
  model: 'coder',
  key: process.env['NPU_API_KEY'],
  concurrency: 32,
  sampling: {},
  patience: { firstTokenMs: 10_000, nextTokenMs: 10_000, answerMs: 30_000, retries: 6, backOffMs: 20 },
  onRetry: (line) => console.error(line),
})
try {
  const folder = await RunFolder.open(path, { model: 'coder' })
  const loop = new Loop({
    folder,
    samples: Array.from({ length: Number(count) }, (_, sample) => ({
      name: { suite: 'own', task: 'Add', sample },
      task,
      place: { task: 'Add', sample: `s${sample}` },
    })),
    model,
    prompter,
    prompts: { mode: 'full', shapes: 'dynamic', soc: 'Ascend910B2', cardTokens: 0 },
    judge: () => Promise.reject(new Error('nothing is judged')),
    rules: { turns: 1, strategy: 'repair', feedback: 'all', history: 'keep', improve: false, judges: false },
    spending: new Spending({}, undefined),
    facts: { model: 'coder', target: 'none', soc: 'Ascend910B2', profile: 'standard', seed: 0 },
  })
  const { fatal, unanswered } = await loop.run(new AbortController().signal)
  folder.close()
  if (fatal || unanswered.length > 0) throw fatal ?? new Error(unanswered[0])
  console.log('done')
} catch (error) {
  console.error(error.message)
  process.exitCode = 3
}
