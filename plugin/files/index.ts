export { listBelow } from './list.ts'
export type { Listed } from './list.ts'
export { isOddName, shownName } from './name.ts'
export { FileError, megabytes, readRegular } from './read.ts'
