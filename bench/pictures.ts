import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { execa } from 'execa'
import { repository } from './subjects.ts'
import { terminalPicture } from './terminal-picture.ts'

const kernel = 'op_kernel/add_custom.cpp'

/** Samples of AddCustom: the baseline, and edits of it that go wrong in different ways. */
const samples: Record<string, readonly [from: string, to: string] | null> = {
  overrun: ['copy = CopyAt(offset);', 'copy{1, static_cast<uint32_t>(tileLength_ * sizeof(half)), 0, 0, 0};'],
  right: null,
  typo: ['Add(z, x, y, static', 'Add(z, x, static'],
  unqueued: ['    xQueue_.EnQue(x);\n', ''],
}

/**
 * Draws the pictures of the README from what a run of four samples and the scorecard of it print. The package has to be built.
 */
export async function drawPictures(cacheDir: string): Promise<void> {
  mkdirSync(join(repository, '.npu'), { recursive: true })
  const folder = mkdtempSync(join(repository, '.npu', 'pictures-'))
  try {
    lay(folder)
    laySample(folder, 'overrun')
    const run = async (program: string, args: readonly string[]): Promise<string> => {
      const { all } = await execa(process.execPath, [join(repository, program), ...args], {
        cwd: folder,
        all: true,
        reject: false,
        env: { NPU_CACHE_DIR: cacheDir, NPU_SEED: '4711', FORCE_COLOR: '1', CI: '1', NPU_REMEMBER: '0' },
      })
      return all
    }
    const vitest = 'node_modules/vitest/vitest.mjs'
    // the first one leaves nothing to build, so that no progress is shown; and no case for the second one
    await run(vitest, ['run'])
    rmSync(join(folder, '.npu'), { recursive: true })
    const drawIn = (name: string, command: string, printed: string, holds: string): void =>
      draw(name, command, printed.replaceAll(folder, '~/kernels'), holds)
    drawIn('failing-run', 'npx vitest run', await run(vitest, ['run']), 'ErrorGmRead')
    for (const name of Object.keys(samples)) laySample(folder, name)
    await run(vitest, ['run'])
    drawIn(
      'scorecard',
      'npx vitest-npu score --by task',
      await run('dist/cli/main.js', ['score', '--by', 'task']),
      'correct@1',
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function lay(folder: string): void {
  const spec = 'tasks/level1/math/add-custom.spec.ts'
  for (const part of [spec, 'references/golden'])
    cpSync(join(repository, part), join(folder, part), { recursive: true })
  const plugin = `import { npuKernels } from 'vitest-npu/plugin'`
  writeFileSync(join(folder, 'vitest.config.ts'), `${plugin}\nexport default { plugins: [npuKernels()] }\n`)
}

function laySample(folder: string, name: string): void {
  const sample = join(folder, 'candidates/AddCustom', name)
  cpSync(join(repository, 'references/baseline/AddCustom'), sample, { recursive: true })
  const edit = samples[name]
  if (!edit) return
  const path = join(sample, kernel)
  const text = readFileSync(path, 'utf8')
  if (!text.includes(edit[0])) throw new Error(`${kernel} of the baseline has no ${edit[0]} any more`)
  writeFileSync(path, text.replace(...edit))
}

function draw(name: string, command: string, printed: string, holds: string): void {
  if (!printed.includes(holds)) throw new Error(`${command} has printed something else:\n${printed}`)
  const lines = printed.split('\n').filter((line) => !stripVTControlCharacters(line).startsWith('npu: '))
  const path = join(repository, 'docs/images', `${name}.svg`)
  writeFileSync(path, terminalPicture(`$ ${command}\n${lines.join('\n').trimEnd()}\n`))
  console.log(path)
}
