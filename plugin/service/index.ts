export { serviceClient, ServiceClient, ServiceGoneError } from './client.ts'
export type * from './protocol.ts'
export { KernelService, type ServiceOptions } from './service.ts'
