import { ask, findTool, type Answer } from './tools.ts'

/** Files a call; a command line has room for more. */
const atATime = 200

/** Every tracked C++ file. Folders that keep their layout say so in a `.clang-format` of their own. */
async function trackedFiles(): Promise<string[]> {
  const { ok, text } = await ask('git', ['ls-files', '-z', '--', '*.cpp', '*.h'])
  if (!ok) throw new Error(`git: ${text}`)
  return text.split('\0').filter((file) => file !== '')
}

/** What clang-format has to say with these options; null where it is not installed. */
export async function clangFormat(...options: string[]): Promise<Answer | null> {
  const program = await findTool('clang-format')
  if (program === undefined) return null
  const files = await trackedFiles()
  const answer = { ok: true, text: '' }
  for (let i = 0; i < files.length; i += atATime) {
    const { ok, text } = await ask(program, [...options, ...files.slice(i, i + atATime)])
    answer.ok &&= ok
    answer.text += text
  }
  return answer
}
