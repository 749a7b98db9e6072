export { samplesOf } from './find.ts'
export type { ImportDefaults } from './find.ts'
export { placeOf, problemOf, problemOfName, writeSample } from './sample.ts'
export type { Finding, ImportedSample } from './sample.ts'
