export {
  absoluteAndRelative,
  allClose,
  comparedIn,
  errorShare,
  onlyOutputs,
  publicDefault,
  ulpScaled,
} from './benchmark.ts'
export { accepts, judge } from './judge.ts'
export { roundBlock, roundTo } from './round.ts'
export { exact, float32Roundings } from './strict.ts'
export type * from './rules.ts'
