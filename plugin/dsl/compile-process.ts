import { Worker, isMainThread, parentPort } from 'node:worker_threads'
import { messageOf } from '../model/error.ts'
import { onLines } from '../process/lines.ts'
import { refusal, type CompileAnswer, type CompileRequest } from './compile-answer.ts'
import { compileDsl } from './compile.ts'

// A program that compiles texts of candidates: a line of JSON each way. A text may be made so that its compiler takes for ever
// or all memory, or ends with its process: it costs this one. A thread compiles, so that this one notices when it has to end.

/** Processor time for a program: large ones take a second. */
const limitMs = 10_000
const memoryMiB = 512
/** Characters of a project: those of large programs have some hundred thousand. */
const longestProject = 4 << 20

function compiled({ file, text }: CompileRequest): CompileAnswer {
  try {
    const answer = compileDsl(file, text)
    if (!answer.ok) return answer
    const { files, lines } = answer
    const length = files.reduce((sum, { content }) => sum + content.length, 0)
    return length > longestProject
      ? refusal(`the project has ${length} characters`, 'write a shorter program')
      : { ok: true, files, lines: [...lines] }
  } catch (error) {
    return refusal(`the compiler fails: ${messageOf(error)}`)
  }
}

const startCompiler = (): Worker =>
  new Worker(new URL(import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: memoryMiB } })

/** What a thread answers; a refusal where it takes too long or too much, after which it is of no more use. */
async function ask(compiler: Worker, request: CompileRequest): Promise<{ answer: CompileAnswer; isUsable: boolean }> {
  const before = process.cpuUsage()
  return await new Promise((resolve) => {
    const onAnswer = (answer: CompileAnswer): void => end(answer, true)
    const onError = (error: unknown): void => end(refusal(`the compiler fails: ${messageOf(error)}`), false)
    const end = (answer: CompileAnswer, isUsable: boolean): void => {
      clearInterval(watch)
      compiler.off('message', onAnswer).off('error', onError)
      resolve({ answer, isUsable })
    }
    const watch = setInterval(() => {
      const { user, system } = process.cpuUsage(before)
      if ((user + system) / 1000 > limitMs)
        end(refusal(`this takes more than ${limitMs / 1000} s to compile`, 'write a simpler program'), false)
    }, 100)
    compiler.on('message', onAnswer).on('error', onError)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    compiler.postMessage(request)
  })
}

const say = (value: object): boolean => process.stdout.write(`${JSON.stringify(value)}\n`)

function serve(): void {
  let compiler = startCompiler()
  compiler.once('online', () => say({ ready: true }))
  process.stdin.once('close', () => process.exit())
  const answerTo = async (line: string): Promise<void> => {
    const { answer, isUsable } = await ask(compiler, JSON.parse(line))
    if (!isUsable) {
      void compiler.terminate()
      compiler = startCompiler()
    }
    say(answer)
  }
  onLines(process.stdin, (line) => void answerTo(line))
}

if (isMainThread) serve()
else
  parentPort?.on('message', (request: CompileRequest) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort?.postMessage(compiled(request))
  })
