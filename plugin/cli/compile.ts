import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { compileDsl, type Compiled } from '../dsl/compile.ts'
import { explainMemory } from '../dsl/explain.ts'
import { explainSync } from '../dsl/explain-sync.ts'
import { printStage, stages, type StageName } from '../dsl/stages.ts'
import { makeFolder, readRegular } from '../files/index.ts'
import { ProgramCompiler } from '../targets/program-compiler.ts'
import { onlyName, parseCommand } from './command.ts'
import { explainedProblem } from './explained-problem.ts'
import { didYouMean, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu compile <program.npu.ts> --out <folder>

Compiles a kernel written in the DSL to an operator project: op_host/ and op_kernel/. docs/dsl.md teaches the
language, docs/dsl-reference.md has all of it.

  --out <folder>       where the project goes; files of the same names are replaced
  --stage <name>       prints what one of the lowerings has come to: ${stages.join(', ')}
  --explain-memory     prints what takes how much of the unified buffer, with the lines of the program
  --explain-sync       prints the flags and barriers that the compiler inserts, with their cycles and the lines of the program
  --shape <input=AxB>  the shape to explain it for, e.g. --shape x=64x4096; may be given several times; 1024 for each dimension
  --attr <name=value>  the attribute to explain it for, e.g. --attr reduction=mean or --attr size=2,2; may be given several times
  --column <n>         the dtype column to explain it for; 0

Examples:
  npx vitest-npu compile softmax.npu.ts --out candidates/Softmax/mine
  npx vitest-npu compile softmax.npu.ts --explain-memory --shape x=64x4096
`

const isStage = (name: string): name is StageName => (stages as readonly string[]).includes(name)

/** Programs are written by people: none is longer. */
const maxBytes = 1 << 20

/** `vitest-npu compile` */
export async function compileCommand(args: readonly string[]): Promise<void> {
  const parsed = parseCommand('compile', usage, args, {
    out: { type: 'string' },
    stage: { type: 'string' },
    'explain-memory': { type: 'boolean' },
    'explain-sync': { type: 'boolean' },
    shape: { type: 'string', multiple: true, default: [] },
    attr: { type: 'string', multiple: true, default: [] },
    column: { type: 'string', default: '0' },
  })
  if (!parsed) return
  const { values, positionals } = parsed
  const file = onlyName('compile', positionals, 'a program')
  if (!file.endsWith('.npu.ts'))
    throw new UserError(`compile: a program is called <name>.npu.ts, and not ${basename(file)}`)
  const { out, stage } = values
  if (stage !== undefined && !isStage(stage))
    throw new UserError(`--stage ${stage}: is none${didYouMean(stage, stages)}; there are ${stages.join(', ')}`)
  if (out === undefined && stage === undefined && !values['explain-memory'] && !values['explain-sync'])
    throw new UserError(
      'compile: give --out, --stage, --explain-memory or --explain-sync; see vitest-npu compile --help',
    )
  const text = textOf(file)
  await requireCompilable(file, text)
  const compiled = compileDsl(file, text)
  if (!compiled.ok) throw new UserError(compiled.message)
  if (stage !== undefined) console.log(printStage(compiled, stage).trimEnd())
  if (values['explain-memory']) console.log(explainMemory(compiled, text, explainedProblem(compiled.program, values)))
  if (values['explain-sync']) console.log(explainSync(compiled, text))
  if (out !== undefined) write(compiled, out)
}

function textOf(file: string): string {
  if (!existsSync(file)) throw new UserError(`compile: there is no ${file}`)
  return readRegular(file, maxBytes).toString('utf8')
}

/** What a program does to its compiler, it does to another process: it may be anybody's. */
async function requireCompilable(file: string, text: string): Promise<void> {
  const compiler = new ProgramCompiler()
  try {
    const answer = await compiler.compile({ file, text })
    if (!answer.ok && !answer.message.includes(file)) throw new UserError(`${file}: ${answer.message}`)
    if (!answer.ok) throw new UserError(answer.message)
  } finally {
    compiler.close()
  }
}

function write({ files }: Compiled, out: string): void {
  for (const { path, content } of files) {
    makeFolder(dirname(join(out, path)))
    writeFileSync(join(out, path), content)
    console.log(join(out, path))
  }
}
