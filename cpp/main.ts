import { writeCompileCommands } from './compile-commands.ts'
import { clangFormat } from './format.ts'
import { lintCpp } from './lint.ts'

/** Each says whether all is well. */
const commands: Record<string, () => Promise<boolean>> = {
  lint: lintCpp,
  format: async () => {
    const answer = await clangFormat('-i')
    if (!answer?.ok) process.stderr.write(`${answer?.text ?? 'clang-format is not installed'}\n`)
    return answer?.ok === true
  },
  'compile-commands': async () => {
    await writeCompileCommands()
    return true
  },
}

export async function main([name = '']: string[]): Promise<void> {
  const command = commands[name]
  if (!command) process.stderr.write(`usage: node cpp/run.mjs ${Object.keys(commands).join('|')}\n`)
  process.exitCode = (await command?.()) === true ? 0 : 1
}
