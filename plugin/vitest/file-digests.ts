import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { hashOf } from '../cache/hash.ts'

const packageJson = z.object({ name: z.string(), version: z.string() })

/** Packages that give specs no other results at another time or elsewhere: of tests, of draws, of schemas, and this one. */
const knownPackage = /^(?:vitest|@vitest\/[\w-]+|vitest-npu|fast-check|zod)$/

/**
 * Contents of files as they were when a run began. A file that has changed since has none: what a worker loaded of it
 * may have been the one or the other.
 */
export class FileDigests {
  readonly #since: number
  readonly #known = new Map<string, string>()

  constructor(since: number) {
    this.#since = since
  }

  /** Hash of names and contents, null when a file has changed or cannot be read. */
  ofAll(paths: readonly string[]): string | null {
    const digests: string[] = []
    for (const path of paths) {
      const digest = this.of(path)
      if (digest === null) return null
      digests.push(path, digest)
    }
    return hashOf(...digests)
  }

  of(path: string): string | null {
    try {
      // the change time is the kernel's: unlike that of modification, no program can set it back
      if (statSync(path).ctimeMs >= this.#since) return null
      let digest = this.#known.get(path)
      if (digest === undefined) this.#known.set(path, (digest = hashOf(readFileSync(path))))
      return digest
    } catch {
      return null
    }
  }

  text(path: string): string | null {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return null
    }
  }

  /**
   * Name and version of the package that an installed file is part of; null where its code may ask for anything: what it loads in its
   * turn is in no graph.
   */
  ofPackage(path: string): string | null {
    if (!path.includes('/node_modules/')) return null
    for (let folder = dirname(path); !folder.endsWith('/node_modules'); folder = dirname(folder)) {
      const parsed = packageJson.safeParse(parse(this.text(join(folder, 'package.json'))))
      if (!parsed.success) continue
      const { name, version } = parsed.data
      return knownPackage.test(name) ? `${name}@${version}` : null
    }
    return null
  }
}

function parse(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
