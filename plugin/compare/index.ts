export { absoluteAndRelative, onlyOutputs, publicDefault, ulpScaled } from './benchmark.ts'
export { judge } from './judge.ts'
export { exact, float32Roundings } from './strict.ts'
