import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and those above it, where they are missing. Throws where one cannot be made. Node's own `recursive` does not end on
 * a file system that takes no folders and says that something is missing, as `/proc` does.
 */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  const missing = [path]
  for (let at = dirname(path); !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const each of missing) makeOne(each)
}

function makeOne(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    // it is there, maybe because another process was faster
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
