export { decode, decoders, toFloat64, valueTable } from './decode.ts'
export {
  absolute,
  bool,
  byCase,
  byDtype,
  drawn,
  eitherSign,
  normal,
  oneOf,
  randint,
  shifted,
  uniform,
  widened,
  within,
  withNonFinite,
} from './draw.ts'
export type { Draw, DrawContext } from './draw.ts'
export { bitsOf16, encode, encoders } from './encode.ts'
export { planted } from './planted.ts'
export { hash, RandomStream } from './random.ts'
export { numbers, words16 } from './storage.ts'
export { tiedTo } from './ties.ts'
