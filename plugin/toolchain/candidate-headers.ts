import type { CannVersion } from '../model/index.ts'
import { forwardedPaths, forwardingText } from './forwarding-headers.ts'
import { writtenOut } from './instruction-macros.ts'

/** A header by its path, which begins with `include/`. */
interface HeaderFile {
  name: string
  text: Buffer | string
}

/** All that candidates can include: the headers of the include folder, and the paths that forward to them. */
export function candidateHeaders(written: readonly HeaderFile[], cann?: CannVersion): HeaderFile[] {
  const forwarding = forwardedPaths(cann).map(([path, header]) => ({
    name: `include/${path}`,
    text: forwardingText(header),
  }))
  return [...written.map(({ name, text }) => ({ name, text: writtenOut(text.toString()) })), ...forwarding]
}
