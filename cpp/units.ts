import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Compiler } from '../plugin/toolchain/compiler.ts'
import {
  candidateFlags,
  emulatorIncludes,
  precompiledHeader,
  runtimeFlags,
  toolFlags,
  type HeaderKind,
} from '../plugin/toolchain/flags.ts'

export const repository = fileURLToPath(new URL('../', import.meta.url))
const emulator = join(repository, 'plugin/emulator')

/** A piece of our own C++ that a compiler sees by itself. */
export interface Unit {
  /** e.g. `plugin/emulator/runtime/clock.cpp`, `kernel_operator.h (aiv)` */
  name: string
  /** what the compiler is told, without what to make of it */
  args: string[]
}

const sourcesIn = (folder: string): string[] => {
  const files = readdirSync(join(emulator, folder)).filter((name) => name.endsWith('.cpp'))
  return files.toSorted().map((name) => join(emulator, folder, name))
}

const unit = (flags: readonly string[], file: string): Unit => ({
  name: relative(repository, file),
  args: [...flags, file],
})

/** The sources of the runtime, the runner and the confinement, with the flags that build them. */
export function sourceUnits(compiler: Compiler): Unit[] {
  const flags = [...runtimeFlags(compiler), ...emulatorIncludes(emulator)]
  return [
    ...[...sourcesIn('runtime'), ...sourcesIn('runner')].map((file) => unit(flags, file)),
    ...sourcesIn('confine').map((file) => unit(toolFlags, file)),
    ...deviceUnits(),
  ]
}

/** The program that launches operators on a device, and the stand-in of the runtime, by whose headers both are compiled here. */
function deviceUnits(): Unit[] {
  const [runner, fake] = ['plugin/ascend/runner', 'fixtures/fake-cann'].map((folder) => join(repository, folder))
  const flags = ['-std=c++17', `-I${fake}/include`, `-I${emulator}/runner`]
  const names = readdirSync(runner!).filter((name) => name.endsWith('.cpp'))
  return [...names.toSorted().map((name) => join(runner!, name)), join(fake!, 'runtime.cpp')].map((file) =>
    unit(flags, file),
  )
}

/** What candidates are compiled with, seen as headers of ours: those of the system are silent about warnings. */
export function headerUnits(compiler: Compiler): Unit[] {
  const kinds: HeaderKind[] = ['aiv', 'aic', 'host']
  return kinds.map((kind) => {
    const header = precompiledHeader[kind]
    const include = [`-I${join(emulator, 'include')}`, '-include', header]
    return {
      name: `plugin/emulator/include/${header} (${kind})`,
      args: [...candidateFlags(compiler, kind), ...include, '-x', 'c++', '/dev/null'],
    }
  })
}
