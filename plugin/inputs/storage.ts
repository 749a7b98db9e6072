import type { Storage } from '../model/index.ts'

/** Storage whose elements are numbers: all but that of 64-bit integers. */
export type NumberStorage = Exclude<Storage, BigInt64Array | BigUint64Array>

/** The storage of a 16-bit float type; a TypeError if the tensor holds another. */
export function words16(data: Storage): Uint16Array {
  if (data instanceof Uint16Array) return data
  throw new TypeError(`a 16-bit float tensor is stored as Uint16Array, not ${data.constructor.name}`)
}

/** Storage as numbers; a TypeError for 64-bit integers. */
export function numbers(data: Storage): NumberStorage {
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    throw new TypeError(`${data.constructor.name} does not hold plain numbers`)
  }
  return data
}
