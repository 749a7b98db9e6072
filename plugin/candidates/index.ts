export { findSamples } from './find.ts'
export type { Found } from './project.ts'
export { isSource, sourcesOf } from './sources.ts'
