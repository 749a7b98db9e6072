import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeOwnScratch, scratchName, sweepScratch } from '../process/scratch.ts'

const filePrefix = 'vitest-npu-case'
const sharedMemory = '/dev/shm'
let swept = false

/** `/dev/shm` while the file fits there twice over, else the temporary folder: containers often have 64 MiB of it. */
function folderFor(bytes: number): string {
  try {
    const { bavail, bsize } = statfsSync(sharedMemory)
    if (bavail * bsize > 2 * bytes) return sharedMemory
  } catch {
    // no such file system
  }
  return tmpdir()
}

/** A path for a case file of so many bytes, where there is room for it. */
export function newCasePath(bytes: number): string {
  if (!swept) removeStaleCaseFiles()
  swept = true
  return join(folderFor(bytes), scratchName(filePrefix))
}

/** Removes case files of processes that are gone; those of living processes stay. */
export function removeStaleCaseFiles(): void {
  for (const folder of new Set([sharedMemory, tmpdir()])) sweepScratch(folder, filePrefix)
}

/** Removes the case files of all threads of this process. Synchronous: for the exit handler. */
export function removeOwnCaseFiles(): void {
  for (const folder of new Set([sharedMemory, tmpdir()])) removeOwnScratch(folder, filePrefix)
}
