import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'

const folder = fileURLToPath(new URL('.', import.meta.url))
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8')

const { sources } = z
  .strictObject({
    sources: z.array(
      z.strictObject({
        project: z.string(),
        repository: z.string().regex(/^[\w-]+\/[\w-]+$/),
        revision: z.string().regex(/^(?:[0-9a-f]{40}|v\d+\.\d+\.\d+)$/),
        file: z.string(),
        form: z.enum(['fields', 'options', 'keys', 'reads']),
        names: z.array(z.string()).min(1),
      }),
    ),
  })
  .parse(JSON.parse(textOf('arguments.json')))

/** What the sources of some projects name, and what of `keys` they do not. */
const unknownTo = (projects: readonly string[], keys: readonly string[]): string[] => {
  const known = new Set(sources.filter(({ project }) => projects.includes(project)).flatMap(({ names }) => names))
  return keys.filter((key) => !known.has(key))
}

/** Hyper-parameters of KernelGen-LM as AscendKernelGen publishes them in its Table 6. */
const sft = { schedule: 'cosine', warmup: 0.01, batch: 128, micro: 1, decay: 0.1, clip: 1 }
const published = {
  'sft-full': { ...sft, rate: 1.25e-6 },
  'sft-lora': { ...sft, rate: 1.25e-5 },
  dpo: { schedule: 'cosine', warmup: 0.1, batch: 64, rate: 1e-6, beta: 0.1, steps: 150 },
} as const

type Stage = keyof typeof published
const stages: readonly Stage[] = ['sft-full', 'sft-lora', 'dpo']

/** What a recipe says, in the words of {@link published} and of what we have added. */
interface Said {
  schedule: unknown
  warmup: unknown
  batch: number
  micro: unknown
  decay: unknown
  clip: unknown
  rate: unknown
  beta: unknown
  steps: unknown
  length: unknown
  seed: unknown
  adapter: readonly unknown[]
}

type Settings = Record<string, unknown>

const settingsOf = (name: string): Settings => z.record(z.string(), z.unknown()).parse(parse(textOf(name)))

/** Settings that LLaMA-Factory and TRL take from transformers; `devices` is how many work at once. */
const saidBy = (settings: Settings, devices: number): Omit<Said, 'beta' | 'length' | 'adapter'> => ({
  schedule: settings['lr_scheduler_type'],
  warmup: settings['warmup_steps'],
  batch: devices * Number(settings['per_device_train_batch_size']) * Number(settings['gradient_accumulation_steps']),
  micro: settings['per_device_train_batch_size'],
  decay: settings['weight_decay'],
  clip: settings['max_grad_norm'],
  rate: settings['learning_rate'],
  steps: settings['max_steps'],
  seed: settings['seed'],
})

/** The devices of the command in the comments: machines times those of one. */
function devicesOf(text: string): number {
  const [, machines, each] = /NNODES=(\d+) NPROC_PER_NODE=(\d+)/.exec(text) ?? []
  return Number(machines) * Number(each)
}

/** What a script calls a program with, its environment replaced by one in which that program writes its arguments down. */
function argumentsOf(script: string, program: string, operands: readonly string[] = []): string[] {
  const place = mkdtempSync(join(tmpdir(), 'npu-recipe-'))
  try {
    const written = join(place, 'arguments')
    writeFileSync(join(place, program), `#!/bin/sh\nprintf '%s\\n' "$@" > '${written}'\n`, { mode: 0o755 })
    execFileSync('bash', [join(folder, script), ...operands], {
      env: {
        PATH: `${place}${delimiter}${process.env['PATH']}`,
        MINDSPEED_LLM: place,
        MODEL: '/weights',
        DATA: '/data',
        OUT: '/out',
        ROWS: '1000',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return readFileSync(written, 'utf8').trimEnd().split('\n')
  } finally {
    rmSync(place, { recursive: true })
  }
}

/** Options with their values: `true` for a flag. */
function optionsOf(words: readonly string[]): Map<string, string | true> {
  const at = words.flatMap((word, i) => (word.startsWith('--') ? [i] : []))
  return new Map(at.map((start, i) => [words[start]!.slice(2), words.slice(start + 1, at[i + 1]).join(' ') || true]))
}

/** The command of a stage of MindSpeed-LLM, in the part for the launcher and that for the training. */
function trainingOf(stage: Stage) {
  const words = argumentsOf(`mindspeed-llm/${stage}.sh`, 'torchrun')
  const program = words.indexOf('posttrain_gpt.py')
  return { launch: optionsOf(words.slice(0, program)), options: optionsOf(words.slice(program + 1)) }
}

const frameworks: Record<string, (stage: Stage) => Said> = {
  'LLaMA-Factory'(stage) {
    const name = `llama-factory/${stage}.yaml`
    const settings = settingsOf(name)
    return {
      ...saidBy(settings, devicesOf(textOf(name))),
      beta: settings['pref_beta'],
      length: settings['cutoff_len'],
      adapter: [settings['lora_rank'], settings['lora_alpha']],
    }
  },
  TRL(stage) {
    const settings = settingsOf(`trl/${stage}.yaml`)
    return {
      ...saidBy(settings, Number(settings['num_processes'])),
      beta: settings['beta'],
      length: settings['max_length'],
      adapter: [settings['lora_r'], settings['lora_alpha']],
    }
  },
  'MindSpeed-LLM'(stage) {
    const { options, launch } = trainingOf(stage)
    const number = (key: string) => (options.has(key) ? Number(options.get(key)) : undefined)
    const devices = Number(launch.get('nnodes')) * Number(launch.get('nproc_per_node'))
    const replicas = devices / (number('tensor-model-parallel-size')! * number('pipeline-model-parallel-size')!)
    const accumulation = number('global-batch-size')! / (number('micro-batch-size')! * replicas)
    return {
      schedule: options.get('lr-decay-style'),
      warmup: number('lr-warmup-fraction'),
      // what does not divide is no batch
      batch: Number.isInteger(accumulation) && Number.isInteger(replicas) ? number('global-batch-size')! : NaN,
      micro: number('micro-batch-size'),
      decay: number('weight-decay'),
      clip: number('clip-grad'),
      rate: number('lr'),
      beta: number('dpo-beta'),
      steps: stage === 'dpo' ? number('train-iters') : undefined,
      length: number('seq-length'),
      seed: number('seed'),
      adapter: [number('lora-r'), number('lora-alpha')],
    }
  },
}

const all = Object.entries(frameworks).flatMap(([framework, said]) =>
  stages.map((stage) => ({ framework, stage, said })),
)

test.each(all)('$framework, $stage: hyper-parameters are those that are published', ({ stage, said }) => {
  expect(said(stage)).toMatchObject(published[stage])
})

test.each(stages)('%s: the frameworks agree on what is not published', (stage) => {
  const rest = Object.values(frameworks).map((said) => {
    const { micro, decay, clip, length, seed, adapter } = said(stage)
    return { micro, decay, clip, length, seed, adapter }
  })
  expect(rest).toEqual(rest.map(() => rest[0]))
  expect(rest[0]).toMatchObject({ length: 16_384, seed: 42 })
})

const yamls = ['llama-factory', 'trl'].flatMap((framework) => stages.map((stage) => `${framework}/${stage}.yaml`))
const projectsOf: Record<string, string[]> = {
  'llama-factory': ['llama-factory', 'transformers'],
  trl: ['trl', 'accelerate', 'transformers'],
}

test.each(yamls)('%s: every key is an argument of its project', (name) => {
  const settings = settingsOf(name)
  const [framework = ''] = name.split('/')
  expect(unknownTo(projectsOf[framework]!, Object.keys(settings))).toEqual([])
  const datasets = z.array(z.record(z.string(), z.string())).default([]).parse(settings['datasets'])
  expect(unknownTo(['trl'], datasets.flatMap(Object.keys))).toEqual([])
})

test.each([...yamls, 'verl/grpo.yaml'])('%s: numbers are numbers to the YAML of Python', (name) => {
  // which reads 1e-6 as text: an exponent takes a point before it, and a sign
  expect(textOf(name)).not.toMatch(/:\s*[-+]?\d+e|e\d/im)
})

test.each(stages)('mindspeed-llm/%s.sh: every option is one of the program', (stage) => {
  const { options } = trainingOf(stage)
  expect(unknownTo(['megatron', 'mindspeed', 'mindspeed-llm'], [...options.keys()])).toEqual([])
})

test.each(['sft', 'dpo'])('mindspeed-llm/data.sh %s: every option is one of the program', (kind) => {
  const [program, ...words] = argumentsOf('mindspeed-llm/data.sh', 'python', [kind, 'rows.jsonl', 'tokens/rows'])
  expect(program).toBe('preprocess_data.py')
  const options = optionsOf(words)
  expect(unknownTo(['mindspeed-llm-data'], [...options.keys()])).toEqual([])
  const keys: unknown = JSON.parse(String(options.get('map-keys')))
  expect(keys).toMatchObject({ prompt: 'instruction', query: 'input', system: 'system' })
})

test('supervised fine-tuning of MindSpeed-LLM reads all rows twice, as the others do', () => {
  for (const stage of ['sft-full', 'sft-lora'] as const) {
    expect(trainingOf(stage).options.get('train-iters')).toBe(String(Math.ceil((1000 * 2) / 128)))
    for (const name of yamls.filter((each) => each.includes(stage)))
      expect(settingsOf(name)).toMatchObject({ num_train_epochs: 2 })
  }
})

test('preferences begin with the weights that supervised fine-tuning has saved', () => {
  for (const framework of ['llama-factory', 'trl'])
    expect(settingsOf(`${framework}/dpo.yaml`)['model_name_or_path']).toBe(
      settingsOf(`${framework}/sft-full.yaml`)['output_dir'],
    )
})

const isTree = (value: unknown): value is Settings =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const leavesOf = (value: unknown, path: readonly string[] = []): string[] =>
  isTree(value) ? Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, key])) : [path.join('.')]

const kwargs = 'reward.custom_reward_function.reward_kwargs'

test('verl/grpo.yaml: every key is one of the configuration, and what the reward is given is a parameter of it', () => {
  const { hydra: _, defaults: __, ...settings } = settingsOf('verl/grpo.yaml')
  const leaves = leavesOf(settings)
  const given = leaves.filter((leaf) => leaf.startsWith(`${kwargs}.`)).map((leaf) => leaf.slice(kwargs.length + 1))
  const keys = leaves.map((leaf) => (leaf.startsWith(`${kwargs}.`) ? kwargs : leaf))
  expect(unknownTo(['verl'], keys)).toEqual([])
  const [, parameters = ''] = /def compute_score\(\s*(.*?)\s*\):/s.exec(textOf('verl/reward.py')) ?? []
  const names = parameters.split(',').map((parameter) => parameter.replace(/=.*/s, '').trim())
  expect(names.slice(0, 4)).toEqual(['data_source', 'solution_str', 'ground_truth', 'extra_info'])
  expect(given.length).toBeGreaterThan(0)
  expect(given.filter((name) => !names.includes(name))).toEqual([])
})

test('verl/grpo.yaml: batches divide among devices, and a sequence fits into the context of the model', () => {
  const shape = z.object({
    data: z.object({ train_batch_size: z.int(), max_prompt_length: z.int(), max_response_length: z.int() }),
    actor_rollout_ref: z.object({
      actor: z.object({
        ppo_mini_batch_size: z.int(),
        fsdp_config: z.object({ ulysses_sequence_parallel_size: z.int() }),
      }),
      rollout: z.object({ n: z.int(), tensor_model_parallel_size: z.int() }),
    }),
    trainer: z.object({ nnodes: z.int(), n_gpus_per_node: z.int() }),
  })
  const { data, actor_rollout_ref: model, trainer } = shape.parse(parse(textOf('verl/grpo.yaml')))
  const devices = trainer.nnodes * trainer.n_gpus_per_node
  expect((data.train_batch_size * model.rollout.n) % devices).toBe(0)
  expect(data.train_batch_size % model.actor.ppo_mini_batch_size).toBe(0)
  expect(devices % model.actor.fsdp_config.ulysses_sequence_parallel_size).toBe(0)
  expect(devices % model.rollout.tensor_model_parallel_size).toBe(0)
  expect(data.max_prompt_length + data.max_response_length).toBeLessThanOrEqual(32_768)
})
