import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryAround } from '../../plugin/candidates/project.ts'
import type { Sample } from '../../plugin/model/index.ts'
import { repository } from '../subjects.ts'
import { applyEdit } from './edits.ts'
import type { Mutant } from './mutants.ts'

/** A copy of all baselines to edit: operators include headers of each other. */
export class BaselineCopy {
  readonly folder = mkdtempSync(join(tmpdir(), 'mutants-'))

  constructor() {
    cpSync(join(repository, 'references/baseline'), this.folder, { recursive: true })
  }

  /** The operator as a candidate. */
  sampleOf(operator: string): Sample {
    const root = join(this.folder, operator)
    const around = repositoryAround(root)
    const [kernelDir, hostDir] = [join(root, 'op_kernel'), join(root, 'op_host')]
    const sample: Sample = { task: operator, name: 'mutant', root, kernelDir, hostDir, cmakeLists: [] }
    return around === undefined ? sample : { ...sample, repository: around }
  }

  async withEdit<T>({ file, text, edit }: Mutant, work: () => Promise<T>): Promise<T> {
    const path = join(this.folder, file)
    writeFileSync(path, applyEdit(text, edit))
    try {
      return await work()
    } finally {
      writeFileSync(path, text)
    }
  }

  close(): void {
    rmSync(this.folder, { recursive: true })
  }
}
