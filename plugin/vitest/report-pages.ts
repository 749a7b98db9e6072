import { dirname } from 'node:path'

/** Of files that reports have beside their pages: a folder of the name of one cannot be. */
const ownFile = /\.(?:html|css|js|png|json|xml|info)$/i
const pageEnding = '.html'
/** Bytes: file systems take no longer name. */
const maxName = 255

/**
 * Files that can have a page in a report of istanbul, which makes `a/b.h.html` of `a/b.h`, and folders of those below which all lie:
 * one that has none would leave all others without theirs.
 */
export function withPages(files: readonly string[]): string[] {
  const folders = files.map((file) => dirname(file).split('/'))
  const [first = []] = folders
  const isCommon = (depth: number): boolean => folders.every((folder) => folder[depth] === first[depth])
  const firstOwn = first.findIndex((_, depth) => !isCommon(depth))
  const common = firstOwn < 0 ? first.length : firstOwn
  return files.filter((file) => {
    const names = file.split('/').slice(common)
    return (
      !names.slice(0, -1).some((folder) => ownFile.test(folder)) &&
      names.every((name) => Buffer.byteLength(name + pageEnding) <= maxName)
    )
  })
}
