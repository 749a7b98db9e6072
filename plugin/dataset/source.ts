import type { ProjectFile } from '../model/index.ts'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execa } from 'execa'

/** What first words of a licence say which one it is. */
const licences: readonly [RegExp, string][] = [
  [/\bMIT License\b/i, 'MIT'],
  [/\bApache License\b/i, 'Apache-2.0'],
  [/\bMulan PSL v2\b|\bMulanPSL-2\.0\b/i, 'MulanPSL-2.0'],
  [/\bCANN Open Software License Agreement Version 2\.0\b/i, 'LicenseRef-CANN-2.0'],
  [/\bCANN Open Software License Agreement Version 1\.0\b/i, 'LicenseRef-CANN-1.0'],
  [/\bRedistribution and use in source and binary forms\b/i, 'BSD-3-Clause'],
]

/** The licence that lies in a folder or above it; `unknown` where none does, or one that is not known here. */
export function licenceAround(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    const found = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'COPYING'].map((name) => join(at, name)).find(existsSync)
    if (found !== undefined) {
      const text = readFileSync(found, 'utf8').slice(0, 4000)
      return licences.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown'
    }
    if (at === dirname(at)) return 'unknown'
  }
}

/** The revision of the repository that a folder is in; undefined where it is in none. */
export async function revisionOf(folder: string): Promise<string | undefined> {
  const { stdout, exitCode } = await execa('git', ['rev-parse', 'HEAD'], { cwd: folder, reject: false })
  return exitCode === 0 ? stdout.trim() : undefined
}

/** Of names and contents. */
export function digestOfFiles(files: readonly ProjectFile[]): string {
  const hash = createHash('sha256')
  for (const { path, content } of files) hash.update(`${path}\0${content}\0`)
  return hash.digest('hex')
}
