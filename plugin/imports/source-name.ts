import { extname } from 'node:path'
import { isSource } from '../files/index.ts'
import { isProgram, roleOf } from '../candidates/index.ts'

export const isLines = (path: string): boolean => /\.(?:jsonl|ndjson)$/i.test(path)
export const isPack = (path: string): boolean => extname(path) === '.txt'

/** Can this file be a sample, a part of one, or what operators share, by its path below the folder that is read? */
export function isSourceFile(path: string): boolean {
  const folders = path.split('/').slice(0, -1)
  const isText = isLines(path) || isPack(path) || isProgram(path) || isSource(path)
  return isText || folders.some((name) => roleOf(name) !== undefined)
}
