import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InfrastructureError } from '../model/index.ts'

/** MiB of what a compiler makes of one source: kernels and host parts take some, and all of it is read. No tool can write more. */
export const maxOutputMiB = 64
/** MiB of a library, and of all objects that go into it. */
export const maxLinkedMiB = 256

/**
 * Bytes: what a tool may write. Tools remove what they could not finish, so that a disk that was full has room again when they
 * have ended.
 */
const leastRoom = maxLinkedMiB << 20
/** For sources, objects and temporary files. */
const leastFiles = 64

/**
 * Throws `InfrastructureError` where a disk has so little room that the failure of a tool tells nothing of what the tool was
 * given. The disk is asked, as a candidate can have a compiler say anything.
 */
export async function requireRoom(folder: string, tool: string): Promise<void> {
  const { blocks, bavail, bsize, files, ffree } = await statfs(folder)
  // some file systems have no such numbers
  const isFull = blocks > 0 && bavail * bsize < leastRoom
  if (!isFull && (files === 0 || ffree >= leastFiles)) return
  const left = isFull ? `${Math.floor((bavail * bsize) / 2 ** 20)} MiB` : `room for ${ffree} files`
  const needed = isFull ? `${leastRoom / 2 ** 20} MiB` : `${leastFiles}`
  // the scratch folder itself is gone before anybody reads this
  throw new InfrastructureError(
    `the ${tool} failed, and the disk of ${dirname(folder)} is full: ${left} of ${needed} left`,
  )
}
