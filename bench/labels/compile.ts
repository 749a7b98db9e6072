import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Verdict } from '../../plugin/model/index.ts'
import { KernelService } from '../../plugin/service/index.ts'
import { emulator } from '../../plugin/targets/emulator.ts'
import { combinationOf } from '../subjects.ts'
import { launchPack, type Launched } from './launch.ts'
import { codeOf, importPack, packText, type Label } from './packs.ts'

/** What became of a pack here. */
export type Answer = (
  | { kind: 'compiled'; warnings: string[]; launched: Launched | null; code: string }
  | { kind: 'rejected'; verdict: Extract<Verdict, { kind: 'compile-failed' }> }
  | { kind: 'unusable'; message: string }
) & {
  /** what the pack was written to, relative paths */
  files: readonly string[]
}

/** Processor time that a launch may take: the problems of the card are large, and some loop over them by elements. */
const launchTimeoutMs = 300_000

/** Builds every labelled pack, and launches those that the card has run. Calls `told` after each. */
export async function compilePacks(
  { checkout, cacheDir, jobs }: { checkout: string; cacheDir: string; jobs: number },
  labels: readonly Label[],
  told: (label: Label, answer: Answer) => void,
): Promise<void> {
  const target = emulator.create({ cacheDir, soc: 'Ascend910B2', cann: '8.3', jobs, launchTimeoutMs })
  const service = new KernelService({ target, cacheDir, jobs })
  await service.start()
  const folder = mkdtempSync(join(tmpdir(), 'npu-labels-'))
  const left = [...labels.entries()].reverse()
  const work = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) {
      const [index, label] = next
      const root = join(folder, String(index))
      const imported = importPack(await packText(checkout, label), label.name, root)
      if ('unusable' in imported) {
        told(label, { kind: 'unusable', message: imported.unusable, files: [] })
        continue
      }
      const { sample, task, pack } = imported
      const files = [...pack.files.keys()]
      const built = await service.build({ sample, task, combinations: [combinationOf(task, 0)] })
      rmSync(root, { recursive: true })
      if (built.ok) {
        const { artifact } = built
        const { model, extension } = pack
        const host = [...pack.files].map(([path, text]) => (path.startsWith('op_host/') ? text : '')).join('\n')
        const ran = label.compiled && label.correct !== null
        const launched = ran
          ? await launchPack(service, { name: label.name, task, artifact, host, extension, model })
          : null
        told(label, {
          kind: 'compiled',
          warnings: built.warnings.map(({ message }) => message),
          launched,
          code: codeOf(pack),
          files,
        })
      } else if (built.verdict.kind === 'compile-failed')
        told(label, { kind: 'rejected', verdict: built.verdict, files })
      else throw new Error(`${label.path}: ${built.verdict.message}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: jobs * 2 }, work))
  } finally {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
