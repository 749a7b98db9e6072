export { serviceClient, ServiceClient, ServiceGoneError } from './client.ts'
export type * from './protocol.ts'
export { candidateSources, type CandidateSources, type SourcePlaces } from './source-hash.ts'
export { KernelService, type ServiceOptions } from './service.ts'
