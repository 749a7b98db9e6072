/** `a` and `a/b` of `a/b/c`; of an absolute path all folders but the root. */
export const foldersAbove = (path: string): string[] =>
  path.split('/').flatMap((_, i, parts) => (i === 0 ? [] : [parts.slice(0, i).join('/')]))
