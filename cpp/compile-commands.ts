import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findCompiler } from '../plugin/toolchain/compiler.ts'
import { repository, sourceUnits } from './units.ts'

/** Writes what clangd and other tools ask for: how each source of the emulator is compiled on this machine. */
export async function writeCompileCommands(): Promise<void> {
  const compiler = await findCompiler()
  const commands = sourceUnits(compiler).map(({ args }) => ({
    directory: repository,
    file: args.at(-1),
    arguments: [compiler.path, '-c', ...args],
  }))
  const path = join(repository, 'compile_commands.json')
  await writeFile(path, `${JSON.stringify(commands, null, 1)}\n`)
  process.stdout.write(`${path}: ${commands.length} files, ${compiler.version}\n`)
}
