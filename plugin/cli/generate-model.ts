import { GenerationError } from '../generation/error.ts'
import { FilesModel } from '../generation/files-model.ts'
import type { Model } from '../generation/model.ts'
import { RecordedModel } from '../generation/recorded-model.ts'
import { ServerModel } from '../generation/server-model.ts'
import type { ModelOptions } from './model-options.ts'
import { UserError } from './user-error.ts'

/** Variables that hold a key, the first one that is set. */
const keyVariables = ['NPU_API_KEY', 'OPENAI_API_KEY']

/** Takes the key out of the environment: what is started from here on has no use for it. */
export function takeKey(environment: NodeJS.ProcessEnv): string | undefined {
  const keys = keyVariables.map((name) => environment[name]?.trim()).filter((key) => key !== undefined && key !== '')
  for (const name of keyVariables) delete environment[name]
  return keys[0]
}

/** The model that `--model` names, and what the ledger calls it. */
export async function modelOf(
  command: string,
  options: ModelOptions,
  environment: NodeJS.ProcessEnv,
  tell: (line: string) => void,
): Promise<{ model: Model; label: string }> {
  const key = takeKey(environment)
  const [, kind, folder = ''] = /^(recorded|files):(.*)$/.exec(options.model) ?? []
  const named = environment['NPU_MODEL'] || undefined
  if (kind !== undefined && folder === '')
    throw new UserError(`${command}: --model ${options.model}: name a folder behind the colon`)
  if (kind === 'recorded') return { model: await RecordedModel.open(folder, tell), label: named ?? kind }
  if (kind === 'files') return { model: new FilesModel(folder), label: named ?? kind }
  if (/^\w+:\/\//.test(options.model))
    throw new UserError(`${command}: --model is the name of a model; the server is --base-url`)
  const baseUrl = checkedUrl(command, options.baseUrl ?? environment['NPU_BASE_URL'])
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new UserError(
      `${command}: the key in ${keyVariables.join(' or ')} has characters that no header can hold: copy it again`,
    )
  const { temperature, topP, maxTokens, reasoningEffort, seed, concurrency, rpm, retries } = options
  const model = new ServerModel({
    baseUrl,
    model: options.model,
    key,
    concurrency,
    requestsPerMinute: rpm,
    sampling: { temperature, topP, maxTokens, reasoningEffort, seed },
    patience: {
      firstTokenMs: options.firstTokenSeconds * 1000,
      nextTokenMs: options.tokenSeconds * 1000,
      answerMs: options.answerSeconds * 1000,
      retries,
    },
    onRetry: tell,
  })
  return { model, label: named ?? options.model }
}

function checkedUrl(command: string, given: string | undefined): string {
  if (given === undefined || given === '')
    throw new UserError(`${command}: give --base-url or set NPU_BASE_URL, e.g. --base-url http://localhost:8000/v1`)
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UserError(`${command}: --base-url is no address, e.g. http://localhost:8000/v1`)
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw new GenerationError('--base-url: keys belong in NPU_API_KEY, not in an address', 64)
  return given.replace(/(?<!\/)\/+$/, '')
}
