import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { isInside } from '../files/index.ts'
import { blankVendorSyntax } from './entry.ts'
import type { Macros } from './macros.ts'
import type { SourceTree } from './sources.ts'
import { cString } from './text.ts'

/**
 * Writes copies of the files that launch kernels into `folder`, without the launches and under the names that they have below
 * `places`, so that it can be searched before these. `macros`: those of the kernel's folder. Returns the originals.
 */
export async function writeWithoutLaunches(
  trees: readonly SourceTree[],
  places: readonly string[],
  folder: string,
  macros: Macros,
): Promise<string[]> {
  const originals: string[] = []
  for (const { root, files } of trees) {
    for (const file of files) {
      if (!file.text.includes('<<<')) continue
      const source = file.text.toString('utf8')
      const text = blankVendorSyntax(source, macros)
      if (text === source) continue
      const path = join(root, file.name)
      originals.push(path)
      for (const place of places.filter((each) => isInside(path, each))) {
        const copy = join(folder, relative(place, path))
        await mkdir(dirname(copy), { recursive: true })
        await writeFile(copy, `#line 1 ${cString(path)}\n${text}`)
      }
    }
  }
  return originals
}
