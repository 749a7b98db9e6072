import { basename } from 'node:path'
import { strategies, type Strategy } from '../generation/steps.ts'
import { languages, type Language } from '../generation/types.ts'
import { parseCommand } from './command.ts'
import {
  modelArguments,
  modelNameUsage,
  modelOptionsOf,
  modelUsage,
  number,
  positive,
  whole,
  type ModelOptions,
} from './model-options.ts'
import { didYouMean, UserError } from './user-error.ts'

export const generateUsage = `Usage: vitest-npu generate --model <name> --tasks <specs or names>

Asks a model for operators, judges what it writes, and tells it what is wrong, turn by turn. Everything is kept in
<out>/<run>: the newest files of each sample as candidates lie, transcript.jsonl, run.json, ledger.jsonl. A run that was killed, or has
run out of budget, goes on where it was when the same command is given again; see docs/generation.md.

${modelNameUsage}
  --tasks <list>            names of tasks, and patterns of specs: RmsNorm,'level1/**'; may be repeated
  --draw <n>                of each level that many of these tasks, drawn by --seed
  --name <run>              the folder of the run; what --model ends with
  --out <folder>            where runs lie; runs
  --samples <n>             of each task; 1
  --turns <n>               prompts for each sample at most; 1
  --strategy <s>            ${strategies.join(', ')}: what is repaired after the first turn; repair
  --feedback first | all    findings that a repair is told; all
  --history keep | fresh    whether a model sees its earlier turns; keep
  --improve                 goes on after a right turn, for a shorter time; the best turn counts
  --language ascendc | dsl  an operator project, or a program that is compiled to one (docs/dsl.md); ascendc
  --mode full | kernel-only whether the host part is asked for as well; full
  --case <id>               one static case, for which a kernel may be specialised; it is judged on that one alone
  --card-tokens <n>         of the API card in the prompt; 4000; 0 leaves it out
  --docs <folder>           Markdown of your own: what fits the task goes into the prompt
  --prompts <folder>        templates of your own, each in place of the packaged one of its name
  --watch-task <Task>       one sample, again whenever a template changes
  --record <folder>         keeps prompts and answers there as well, for recorded:<folder>
  --no-judge                keeps answers, and judges nothing

${modelUsage('sampling, of judging and of --draw')}
  --help, --version

Exit code: 0 whatever was written; 3 where a prompt found no answer, or an answer could not be judged; 64 for an argument that makes no sense;
130 after Ctrl-C.

  npx vitest-npu generate --model qwen3-coder --base-url http://localhost:8000/v1 --tasks RmsNorm,AddCustom --samples 10 --turns 3
  npx vitest-npu generate --model qwen3-coder --tasks 'level1/**' --draw 8 --seed 7 --name pilot
  npx vitest-npu generate --model files:chat --tasks RmsNorm      # lays the prompt out, and takes the answer.md beside it
`

export interface GenerateOptions extends ModelOptions {
  tasks: readonly string[]
  /** tasks of each group that are drawn of them; undefined for all */
  draw: number | undefined
  name: string
  out: string
  samples: number
  turns: number
  strategy: Strategy
  feedback: 'first' | 'all'
  history: 'keep' | 'fresh'
  improve: boolean
  language: Language
  mode: 'full' | 'kernel-only'
  case: number | undefined
  cardTokens: number
  docs: string | undefined
  prompts: string | undefined
  watchTask: string | undefined
  record: string | undefined
  judges: boolean
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

/** What a run is called whose user gives it no name: `Qwen/Qwen3-Coder:free` is `Qwen3-Coder-free`. */
const nameFor = (model: string): string =>
  basename(model.replace(/^(recorded|files):/, '')).replaceAll(/[^\w.-]+/g, '-')

/** Reads the arguments; undefined where they ask for help. Throws a UserError. */
export function generateOptionsOf(args: readonly string[]): GenerateOptions | undefined {
  const parsed = parse(args)
  if (!parsed) return undefined
  const { values, positionals } = parsed
  if (positionals.length > 0)
    throw new UserError(`generate: takes no names: ${positionals.join(' ')}; see vitest-npu generate --help`)
  const watchTask = values['watch-task']
  const tasks = (values.tasks ?? [])
    .flatMap((each) => each.split(','))
    .map((each) => each.trim())
    .filter((each) => each !== '')
  if (watchTask === undefined && tasks.length === 0)
    throw new UserError("generate: give --tasks, names or patterns of specs, e.g. --tasks 'level1/**'")
  const model = modelOptionsOf('generate', values)
  const name = values.name ?? (watchTask === undefined ? nameFor(model.model) : `watch-${watchTask}`)
  if (!/^[\w][\w.-]{0,99}$/.test(name))
    throw new UserError(`generate: --name ${name}: give the run a name of letters, digits, ".", "_" and "-"`)
  if (values.out.includes(','))
    throw new UserError(`generate: --out ${values.out}: folders of candidates have no comma`)
  const language = oneOf('--language', values.language, languages)
  if (language === 'dsl' && (values.mode === 'kernel-only' || values.case !== undefined))
    throw new UserError('generate: --language dsl asks for whole programs, for all cases: leave --mode and --case out')
  return {
    ...model,
    tasks: watchTask === undefined ? tasks : [watchTask],
    draw: number('generate', values, 'draw', positive),
    name,
    out: values.out,
    samples: number('generate', values, 'samples', positive) ?? 1,
    turns: number('generate', values, 'turns', positive) ?? 1,
    strategy: oneOf('--strategy', values.strategy, strategies),
    feedback: oneOf('--feedback', values.feedback, ['first', 'all']),
    history: oneOf('--history', values.history, ['keep', 'fresh']),
    improve: values.improve ?? false,
    language,
    mode: oneOf('--mode', values.mode, ['full', 'kernel-only']),
    case: number('generate', values, 'case', whole),
    cardTokens: number('generate', values, 'card-tokens', whole) ?? 4000,
    docs: values.docs,
    prompts: values.prompts,
    watchTask,
    record: values.record,
    judges: !values['no-judge'],
  }
}

function oneOf<const T extends string>(option: string, given: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === given)
  if (found === undefined)
    throw new UserError(`generate: ${option} ${given}: is not ${allowed.join(', ')}${didYouMean(given, allowed)}`)
  return found
}

function parse(args: readonly string[]) {
  return parseCommand('generate', generateUsage, args, {
    ...modelArguments,
    tasks: { ...text, multiple: true },
    draw: text,
    name: text,
    out: { ...text, default: 'runs' },
    samples: text,
    turns: text,
    strategy: { ...text, default: 'repair' },
    feedback: { ...text, default: 'all' },
    history: { ...text, default: 'keep' },
    improve: flag,
    language: { ...text, default: 'ascendc' },
    mode: { ...text, default: 'full' },
    case: text,
    'card-tokens': text,
    docs: text,
    prompts: text,
    'watch-task': text,
    record: text,
    'no-judge': flag,
  })
}
