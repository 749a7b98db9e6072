import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeOwnScratch, scratchName, sweepScratch } from '../process/scratch.ts'

const filePrefix = 'vitest-npu-case'
const sharedMemory = '/dev/shm'
let swept = false

/** Is there room in `/dev/shm` for the file twice over? Containers often have 64 MiB of it. */
function fitsSharedMemory(bytes: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(sharedMemory)
    return bavail * bsize > 2 * bytes
  } catch {
    // no such file system
    return false
  }
}

/** Where a case file of so many bytes may lie, the best path first: others may take the room before it is written. */
export function newCasePaths(bytes: number): string[] {
  if (!swept) removeStaleCaseFiles()
  swept = true
  const folders = new Set([...(fitsSharedMemory(bytes) ? [sharedMemory] : []), tmpdir()])
  return [...folders].map((folder) => join(folder, scratchName(filePrefix)))
}

/** Removes case files of processes that are gone; those of living processes stay. */
export function removeStaleCaseFiles(): void {
  for (const folder of new Set([sharedMemory, tmpdir()])) sweepScratch(folder, filePrefix)
}

/** Removes the case files of all threads of this process. Synchronous: for the exit handler. */
export function removeOwnCaseFiles(): void {
  for (const folder of new Set([sharedMemory, tmpdir()])) removeOwnScratch(folder, filePrefix)
}
