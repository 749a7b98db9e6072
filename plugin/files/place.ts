import { sep } from 'node:path'

/** Whether a path is that folder or lies in it; both absolute, without links. */
export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
