export { removeOwnCaseFiles, removeStaleCaseFiles, withCaseFile, type CaseFile, type CaseLayout } from './case-file.ts'
