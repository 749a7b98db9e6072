import { cpSync, lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { isInside, isSource } from '../files/index.ts'
import { realPath } from '../candidates/index.ts'
import type { Sample } from '../model/index.ts'
import { scratchName, sweepScratch } from '../process/scratch.ts'
import { applyEdit } from './edits.ts'
import type { Mutant } from './mutant.ts'

const prefix = 'vitest-npu-mutants'

/** The folder that holds all of an operator: its own, and that of the headers it shares with others. */
export function folderAround({ root, repository = root }: Pick<Sample, 'root' | 'repository'>): string {
  const [own, other] = [realPath(root), realPath(repository)]
  let folder = own
  while (folder !== other && !isInside(other, folder)) folder = dirname(folder)
  return folder
}

/** What a build may read: sources and folders that are not hidden, and links to files of the same part. */
function isCopied(path: string, part: string): boolean {
  if (basename(path).startsWith('.') || basename(path) === 'node_modules') return false
  const entry = lstatSync(path)
  if (entry.isDirectory()) return true
  if (!isSource(path)) return false
  if (!entry.isSymbolicLink()) return entry.isFile()
  const target = realPath(path)
  return isInside(target, part) && (statSync(target, { throwIfNoEntry: false })?.isFile() ?? false)
}

/** A copy of operators to edit, in a scratch folder: what it is made of stays as it is. */
export class Workspace {
  /** what is copied, and where to; real paths */
  readonly base: string
  readonly folder: string

  /** Copies folders below `base`. */
  constructor(base: string, parts: readonly string[] = [base]) {
    this.base = realPath(base)
    sweepScratch(tmpdir(), prefix)
    const folder = join(tmpdir(), scratchName(prefix))
    mkdirSync(folder, { mode: 0o700 })
    this.folder = realPath(folder)
    for (const part of new Set(parts.map(realPath))) this.#copy(part)
  }

  #copy(part: string): void {
    const to = join(this.folder, relative(this.base, part))
    mkdirSync(dirname(to), { recursive: true })
    cpSync(part, to, { recursive: true, dereference: true, filter: (path) => path === part || isCopied(path, part) })
  }

  /** The same operator in the copy. */
  sampleOf(sample: Sample): Sample {
    const moved = (path: string): string => join(this.folder, relative(this.base, realPath(path)))
    return {
      ...sample,
      root: moved(sample.root),
      kernelDir: moved(sample.kernelDir),
      hostDir: sample.hostDir === null ? null : moved(sample.hostDir),
      cmakeLists: sample.cmakeLists.map(moved),
      ...(sample.repository !== undefined && { repository: moved(sample.repository) }),
    }
  }

  /** Does something while an edit is made. */
  async withEdit<T>({ file, text, edit }: Mutant, work: () => Promise<T>): Promise<T> {
    const path = join(this.folder, file)
    writeFileSync(path, applyEdit(text, edit))
    try {
      return await work()
    } finally {
      writeFileSync(path, text)
    }
  }

  /** Removes the copy. */
  close(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
