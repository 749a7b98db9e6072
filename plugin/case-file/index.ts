export { withCaseFile, type CaseFile } from './case-file.ts'
export type { CaseLayout } from './layout.ts'
export { removeOwnCaseFiles, removeStaleCaseFiles } from './location.ts'
